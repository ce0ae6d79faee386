package aws_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func staticCredentials(c sdk.Credentials) sdk.CredentialsProvider {
	return sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) { return c, nil })
}

func metadataServer(t *testing.T, f *fixture, id string) string {
	t.Helper()
	server := httptest.NewServer(f.Metadata(id))
	t.Cleanup(server.Close)
	return server.URL
}

// get sends a request as IMDSv1 does.
func get(t *testing.T, url string, header ...string) (int, string) {
	t.Helper()
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	response := must[*http.Response](t)(http.DefaultClient.Do(r)) //nolint:bodyclose // closed in the next line
	defer response.Body.Close()
	body := must[[]byte](t)(io.ReadAll(response.Body))
	return response.StatusCode, string(body)
}

func TestMetadataTree(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{PrivateIP: "10.0.1.9", LocalHostname: "local.example", Hostname: "host.example", Role: aws.RoleWorker})
	url, net := metadataServer(t, f, i.ID), f.Network()
	macs := "meta-data/network/interfaces/macs/" + i.MAC
	for path, want := range map[string]string{
		"meta-data/instance-id":                 i.ID,
		"meta-data/local-hostname":              "local.example",
		"meta-data/hostname":                    "host.example",
		"meta-data/local-ipv4":                  "10.0.1.9",
		"meta-data/placement/availability-zone": "us-east-1a",
		"meta-data/placement/region":            "us-east-1",
		"meta-data/services/domain":             "amazonaws.com",
		"meta-data/mac":                         i.MAC,
		"meta-data/network/interfaces/macs/":    i.MAC + "/",
		macs + "/vpc-id":                        net.VpcID,
		macs + "/subnet-id":                     net.Subnets["us-east-1a"],
		macs + "/local-ipv4s":                   "10.0.1.9",
		macs + "/device-number":                 "0",
		"meta-data/iam/security-credentials/":   "worker",
		"meta-data/iam":                         "info\nsecurity-credentials/",
		"dynamic":                               "instance-identity/",
	} {
		if status, got := get(t, url+"/latest/"+path); status != 200 || got != want {
			t.Errorf("%s = %d %q, want %q", path, status, got, want)
		}
	}
	for _, path := range []string{"/latest/meta-data/public-ipv4", "/meta-data/instance-id", "/newest/meta-data/instance-id"} {
		if status, _ := get(t, url+path); status != 404 {
			t.Errorf("%s = %d, want 404", path, status)
		}
	}
}

func TestMetadataTokens(t *testing.T) {
	f := newFixture(t, aws.Options{})
	required := f.run(t, aws.Instance{HTTPTokens: "required"})
	optional := f.run(t, aws.Instance{})
	url := metadataServer(t, f, required.ID)
	if status, _ := get(t, url+"/latest/meta-data/local-hostname"); status != 401 {
		t.Errorf("IMDSv1 with tokens required = %d, want 401", status)
	}
	if status, _ := get(t, metadataServer(t, f, optional.ID)+"/latest/meta-data/local-hostname", "X-aws-ec2-metadata-token", "bad"); status != 401 {
		t.Errorf("bad token = %d, want 401", status)
	}
	put := func(name, value string) (int, string) {
		r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/latest/api/token", nil))
		r.Header.Set(name, value)
		response := must[*http.Response](t)(http.DefaultClient.Do(r)) //nolint:bodyclose // closed in the next line
		defer response.Body.Close()
		return response.StatusCode, string(must[[]byte](t)(io.ReadAll(response.Body)))
	}
	const ttl = "X-aws-ec2-metadata-token-ttl-seconds"
	if status, _ := put("x", "y"); status != 400 {
		t.Errorf("token without TTL = %d, want 400", status)
	}
	if status, _ := put(ttl, "21601"); status != 400 {
		t.Errorf("token with TTL 21601 = %d, want 400", status)
	}
	status, token := put(ttl, "60")
	if status != 200 {
		t.Fatalf("token = %d", status)
	}
	read := func() int {
		status, _ := get(t, url+"/latest/meta-data/instance-id", "X-aws-ec2-metadata-token", token)
		return status
	}
	if got := read(); got != 200 {
		t.Errorf("with token = %d", got)
	}
	if got, _ := get(t, metadataServer(t, f, optional.ID)+"/latest/meta-data/instance-id", "X-aws-ec2-metadata-token", token); got != 401 {
		t.Errorf("another instance's token = %d, want 401", got)
	}
	*f.at = start.Add(61 * time.Second)
	if got := read(); got != 401 {
		t.Errorf("expired token = %d, want 401", got)
	}
}

func TestMetadataSDK(t *testing.T) {
	f := newFixture(t, aws.Options{})
	*f.at = time.Now() // the SDK checks the expiry by its own clock
	i := f.run(t, aws.Instance{HTTPTokens: "required", Role: aws.RoleControlPlane})
	client := imds.New(imds.Options{Endpoint: metadataServer(t, f, i.ID)})
	identity := must[*imds.GetInstanceIdentityDocumentOutput](t)(client.GetInstanceIdentityDocument(t.Context(), nil))
	if identity.InstanceID != i.ID || identity.Region != "us-east-1" || identity.PrivateIP != i.PrivateIP {
		t.Errorf("identity %+v", identity.InstanceIdentityDocument)
	}
	cfg := f.config(aws.RoleWorker, "test")
	cfg.Credentials = ec2rolecreds.New(func(o *ec2rolecreds.Options) { o.Client = client })
	who := must[*sts.GetCallerIdentityOutput](t)(sts.NewFromConfig(cfg).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{}))
	if want := "arn:aws:sts::123456789012:assumed-role/control-plane/" + i.ID; *who.Arn != want {
		t.Errorf("identity %s, want %s", *who.Arn, want)
	}
}

func TestMetadataHopLimit(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{HTTPTokens: "required"})
	ask := func(hops int, patience time.Duration) error {
		server := httptest.NewServer(f.MetadataAcross(i.ID, hops))
		defer server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		r := must[*http.Request](t)(http.NewRequestWithContext(ctx, http.MethodPut, server.URL+"/latest/api/token", nil))
		r.Header.Set("X-aws-ec2-metadata-token-ttl-seconds", "60")
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	if err := ask(1, time.Minute); err != nil {
		t.Errorf("one hop: %v", err)
	}
	if err := ask(2, 200*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two hops past a limit of one: %v, want silence", err)
	}
	if err := f.UpdateInstance(i.ID, func(i *aws.Instance) { i.HopLimit = 2 }); err != nil {
		t.Fatal(err)
	}
	if err := ask(2, time.Minute); err != nil {
		t.Errorf("two hops with a limit of two: %v", err)
	}
}

func TestMetadataIsRecorded(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{HTTPTokens: "required"})
	get(t, metadataServer(t, f, i.ID)+"/latest/meta-data/local-hostname")
	call := f.calls(t)[0]
	if call.Service != "imds" || call.Caller != i.ID || call.Error != "401" || !strings.Contains(call.Action, "local-hostname") {
		t.Errorf("recorded %+v", call)
	}
}
