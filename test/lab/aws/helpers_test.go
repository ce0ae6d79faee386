package aws_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

var start = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

type fixture struct {
	*aws.Cloud
	record *bytes.Buffer
	url    string
	at     *time.Time
	http   sdk.HTTPClient
}

func newFixture(t *testing.T, o aws.Options) *fixture {
	t.Helper()
	at := start
	f := &fixture{record: &bytes.Buffer{}, at: &at, http: strictClient{}}
	o.Record = f.record
	o.Now = func() time.Time { return at }
	f.Cloud = aws.New(o)
	f.serve(t)
	return f
}

func (f *fixture) serve(t testing.TB) {
	server := httptest.NewServer(f.Handler())
	t.Cleanup(server.Close)
	f.url = server.URL
}

func (f *fixture) run(t *testing.T, i aws.Instance) aws.Instance {
	t.Helper()
	out, err := f.RunInstance(i)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// calls reads the record so far.
func (f *fixture) calls(t *testing.T) []aws.Call {
	t.Helper()
	var out []aws.Call
	decoder := json.NewDecoder(bytes.NewReader(f.record.Bytes()))
	for decoder.More() {
		var call aws.Call
		if err := decoder.Decode(&call); err != nil {
			t.Fatalf("record line %d: %v", len(out)+1, err)
		}
		out = append(out, call)
	}
	return out
}

// config returns the client configuration of a role, under a caller's name.
func (f *fixture) config(role, caller string) sdk.Config {
	id, secret, token := f.Credentials(role)
	return sdk.Config{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(id, secret, token),
		BaseEndpoint: sdk.String(f.url + "/as/" + caller + "/"),
		Retryer:      func() sdk.Retryer { return sdk.NopRetryer{} },
		HTTPClient:   f.http,
	}
}

// strictClient reads every answer to its end as XML. Newer SDKs stop when they have what they
// need, older ones do not.
type strictClient struct{}

func (strictClient) Do(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("answer is no XML: %w in %s", err, body)
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

func (f *fixture) ec2(role string) *ec2.Client { return ec2.NewFromConfig(f.config(role, "test")) }
func (f *fixture) elb(role string) *elb.Client { return elb.NewFromConfig(f.config(role, "test")) }
func (f *fixture) elbv2(role string) *elbv2.Client {
	return elbv2.NewFromConfig(f.config(role, "test"))
}
func (f *fixture) iam(role string) *iam.Client { return iam.NewFromConfig(f.config(role, "test")) }
func (f *fixture) sts(role string) *sts.Client { return sts.NewFromConfig(f.config(role, "test")) }

// code returns the AWS error code of an error.
func code(t *testing.T, err error) string {
	t.Helper()
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		t.Fatalf("want an API error, got %v", err)
	}
	return refused.ErrorCode()
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(out T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}
