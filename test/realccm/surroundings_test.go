//go:build realccm

package realccm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/realccm"
)

// surrounding is a part of kube-controller-manager's surroundings that the chart carries over.
type surrounding struct {
	name string
	run  realccm.Run
	// dropped is the run without it, if that is not a variable of run.Without.
	dropped func(realccm.Run) realccm.Run
	// read returns an error unless the CCM used it.
	read func(realccm.Result) error
	// fails reports whether the CCM cannot work with it here: the stand-in has no proxy for http and
	// no AssumeRoleWithWebIdentity, and an instance's role needs the metadata service.
	fails bool
	// onlySDK names the SDK that reads it, or is empty.
	onlySDK string
}

func env(pairs ...string) (s ccmchart.Surroundings) {
	s.Literal = true
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		s.Env = append(s.Env, ccmchart.Variable{Name: name, Value: value})
	}
	return s
}

func bound(s ccmchart.Surroundings, binds ...ccmchart.Bind) ccmchart.Surroundings {
	s.Binds = binds
	return s
}

// plain is a run in which nothing special is needed.
func plain(s ccmchart.Surroundings, without string) realccm.Run {
	return realccm.Run{Surroundings: s, Without: without, Hosts: realccm.PublicNames(), Trusted: true, Role: aws.RoleControlPlane}
}

func with(r realccm.Run, change func(*realccm.Run)) realccm.Run {
	change(&r)
	return r
}

// called returns a check of the AWS names, addresses or targets that were called.
func called(list func(realccm.Result) []string, want ...string) func(realccm.Result) error {
	return func(r realccm.Result) error {
		for _, name := range want {
			if !slices.Contains(list(r), name) {
				return fmt.Errorf("did not call %s, but %v", name, list(r))
			}
		}
		return nil
	}
}

func notCalled(list func(realccm.Result) []string, names ...string) func(realccm.Result) error {
	return func(r realccm.Result) error {
		for _, name := range names {
			if slices.Contains(list(r), name) {
				return fmt.Errorf("called %s", name)
			}
		}
		return nil
	}
}

// tokenUsed returns an error unless STS was asked for credentials.
func tokenUsed(r realccm.Result) error {
	if !slices.ContainsFunc(r.Hosts, func(host string) bool { return strings.HasPrefix(host, "sts.") }) {
		return fmt.Errorf("did not call STS, but %v", r.Hosts)
	}
	return nil
}

func hosts(r realccm.Result) []string   { return r.Hosts }
func proxied(r realccm.Result) []string { return r.Proxied }
func imds(r realccm.Result) []string    { return r.IMDS }

func worked(realccm.Result) error { return nil }

const overrides = `[Global]
[ServiceOverride "1"]
Service = ec2
Region = us-east-1
URL = https://ec2.private.example
SigningRegion = us-east-1
[ServiceOverride "2"]
Service = elasticloadbalancing
Region = us-east-1
URL = https://elb.private.example
SigningRegion = us-east-1
`

func surroundings(a *realccm.Account) []surrounding {
	ca := a.CA.CertPEM
	id, secret, token := a.Cloud.Credentials(aws.RoleControlPlane)
	keys := fmt.Sprintf("aws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n", id, secret, token)
	untrusted := func(r *realccm.Run) { r.Trusted = false }
	roleless := func(r *realccm.Run) { r.Role = "" }
	closed := func(r *realccm.Run) { r.Hosts = nil }
	private := []string{"ec2.private.example", "elb.private.example"}
	targets := []string{"ec2.us-east-1.amazonaws.com:443", "elasticloadbalancing.us-east-1.amazonaws.com:443"}
	file := func(path, content string) func(*realccm.Run) {
		return func(r *realccm.Run) { r.Files = map[string][]byte{path: []byte(content)} }
	}
	return []surrounding{
		{name: "HTTPS_PROXY", run: with(plain(env("HTTPS_PROXY=http://10.60.0.2:3128"), "HTTPS_PROXY"), closed), read: called(proxied, targets...)},
		{name: "https_proxy", run: with(plain(env("https_proxy=http://10.60.0.2:3128"), "https_proxy"), closed), read: called(proxied, targets...)},
		{name: "HTTP_PROXY", fails: true, run: with(plain(env("HTTPS_PROXY=http://10.60.0.2:3128", "HTTP_PROXY=http://10.60.0.2:3128"), "HTTP_PROXY"), closed), read: called(proxied, "169.254.169.254")},
		{name: "NO_PROXY", run: with(plain(env("HTTPS_PROXY=http://10.60.0.2:3128", "HTTP_PROXY=http://10.60.0.2:3128", "NO_PROXY=169.254.169.254"), "NO_PROXY"), closed), read: notCalled(proxied, "169.254.169.254", "10.43.0.1:443")},
		{name: "AWS_CA_BUNDLE", run: with(with(plain(bound(env("AWS_CA_BUNDLE=/etc/pki/region/ca.pem"), ccmchart.Bind{Host: "/opt/region", Path: "/etc/pki/region"}), "AWS_CA_BUNDLE"), untrusted), file("/opt/region/ca.pem", string(ca))), read: worked},
		{name: "SSL_CERT_FILE", run: with(with(plain(bound(env("SSL_CERT_FILE=/ca/ca.pem"), ccmchart.Bind{Host: "/opt/ca", Path: "/ca"}), "SSL_CERT_FILE"), untrusted), file("/opt/ca/ca.pem", string(ca))), read: worked},
		{name: "SSL_CERT_DIR", run: with(with(plain(bound(env("SSL_CERT_DIR=/ca/a:/ca/b"), ccmchart.Bind{Host: "/opt/ca", Path: "/ca"}), "SSL_CERT_DIR"), untrusted), file("/opt/ca/b/ca.pem", string(ca))), read: worked},
		{name: "the host's trust store", run: with(with(plain(bound(env(), ccmchart.Bind{Host: "/opt/certs", Path: "/etc/ssl/certs"}), ""), untrusted), file("/opt/certs/ca-certificates.crt", string(ca))), read: worked,
			dropped: func(r realccm.Run) realccm.Run { r.Surroundings.Binds = nil; return r }},
		{name: "keys", run: with(plain(env("AWS_ACCESS_KEY_ID="+id, "AWS_SECRET_ACCESS_KEY="+secret, "AWS_SESSION_TOKEN="+token), "AWS_ACCESS_KEY_ID"), roleless), read: worked},
		{name: "older names of keys", run: with(plain(env("AWS_ACCESS_KEY="+id, "AWS_SECRET_KEY="+secret, "AWS_SESSION_TOKEN="+token), "AWS_ACCESS_KEY"), roleless), read: worked},
		{name: "~/.aws/credentials", run: with(with(plain(bound(env(), ccmchart.Bind{Host: "/root/.aws", Path: "/root/.aws"}), "AWS_SHARED_CREDENTIALS_FILE"), roleless), file("/root/.aws/credentials", "[default]\n"+keys)), read: worked},
		{name: "~/.aws/config", run: with(with(plain(bound(env(), ccmchart.Bind{Host: "/root/.aws", Path: "/root/.aws"}), "AWS_CONFIG_FILE"), roleless), file("/root/.aws/config", "[default]\n"+keys)), read: worked},
		{name: "AWS_SHARED_CREDENTIALS_FILE", run: with(with(plain(bound(env("AWS_SHARED_CREDENTIALS_FILE=/c/keys"), ccmchart.Bind{Host: "/opt/c", Path: "/c"}), "AWS_SHARED_CREDENTIALS_FILE"), roleless), file("/opt/c/keys", "[default]\n"+keys)), read: worked},
		{name: "AWS_CONFIG_FILE", run: with(with(plain(bound(env("AWS_CONFIG_FILE=/c/config"), ccmchart.Bind{Host: "/opt/c", Path: "/c"}), "AWS_CONFIG_FILE"), roleless), file("/opt/c/config", "[default]\n"+keys)), read: worked},
		{name: "AWS_PROFILE", run: with(with(plain(bound(env("AWS_PROFILE=cluster"), ccmchart.Bind{Host: "/root/.aws", Path: "/root/.aws"}), "AWS_PROFILE"), roleless), file("/root/.aws/credentials", "[cluster]\n"+keys)), read: worked},
		{name: "[ServiceOverride]", run: with(plain(env(), ""), func(r *realccm.Run) { r.CloudConfig, r.Hosts = overrides, private }), read: called(hosts, private...),
			dropped: func(r realccm.Run) realccm.Run { r.CloudConfig = ""; return r }},
		{name: "AWS_WEB_IDENTITY_TOKEN_FILE", fails: true, run: with(with(plain(bound(env("AWS_ROLE_ARN=arn:aws:iam::123456789012:role/control-plane", "AWS_WEB_IDENTITY_TOKEN_FILE=/tok/token"), ccmchart.Bind{Host: "/opt/tok", Path: "/tok"}), "AWS_WEB_IDENTITY_TOKEN_FILE"), func(r *realccm.Run) {
			r.Role, r.Hosts = "", append(r.Hosts, "sts.amazonaws.com", "sts.us-east-1.amazonaws.com")
		}), file("/opt/tok/token", "token")), read: tokenUsed},
		{name: "AWS_STS_REGIONAL_ENDPOINTS", onlySDK: "v1", fails: true, run: with(with(plain(bound(env("AWS_ROLE_ARN=arn:aws:iam::123456789012:role/control-plane", "AWS_WEB_IDENTITY_TOKEN_FILE=/tok/token", "AWS_STS_REGIONAL_ENDPOINTS=regional"), ccmchart.Bind{Host: "/opt/tok", Path: "/tok"}), "AWS_STS_REGIONAL_ENDPOINTS"), func(r *realccm.Run) {
			r.Role, r.Hosts = "", append(r.Hosts, "sts.amazonaws.com", "sts.us-east-1.amazonaws.com")
		}), file("/opt/tok/token", "token")), read: called(hosts, "sts.us-east-1.amazonaws.com")},
		{name: "AWS_EC2_METADATA_DISABLED", fails: true, run: with(plain(env("AWS_EC2_METADATA_DISABLED=true"), "AWS_EC2_METADATA_DISABLED"), func(r *realccm.Run) {
			n := a.Cloud.Network()
			r.CloudConfig = fmt.Sprintf("[Global]\nZone = us-east-1a\nVPC = %s\nSubnetID = %s\nKubernetesClusterID = %s\n", n.VpcID, n.Subnets["us-east-1a"], n.ClusterID)
		}), read: notCalled(imds, "169.254.169.254")},
		{name: "AWS_ENDPOINT_URL", onlySDK: "v2", run: with(plain(env("AWS_ENDPOINT_URL=https://ec2.private.example"), "AWS_ENDPOINT_URL"), func(r *realccm.Run) { r.Hosts = append(r.Hosts, private...) }), read: called(hosts, "ec2.private.example")},
		{name: "AWS_ENDPOINT_URL_EC2", onlySDK: "v2", run: with(plain(env("AWS_ENDPOINT_URL_EC2=https://ec2.private.example"), "AWS_ENDPOINT_URL_EC2"), func(r *realccm.Run) { r.Hosts = append(r.Hosts, private...) }), read: called(hosts, "ec2.private.example")},
		{name: "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING", onlySDK: "v2", run: with(plain(env("AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING=https://elb.private.example"), "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING"), func(r *realccm.Run) { r.Hosts = append(r.Hosts, private...) }), read: called(hosts, "elb.private.example")},
		{name: "AWS_EC2_METADATA_SERVICE_ENDPOINT", run: plain(env("AWS_EC2_METADATA_SERVICE_ENDPOINT=http://10.60.0.3"), "AWS_EC2_METADATA_SERVICE_ENDPOINT"), read: called(imds, "10.60.0.3")},
		{name: "AWS_USE_FIPS_ENDPOINT", run: with(plain(env("AWS_USE_FIPS_ENDPOINT=true"), "AWS_USE_FIPS_ENDPOINT"), func(r *realccm.Run) {
			r.Hosts = append(r.Hosts, "ec2-fips.us-east-1.amazonaws.com", "elasticloadbalancing-fips.us-east-1.amazonaws.com")
		}), read: called(hosts, "ec2-fips.us-east-1.amazonaws.com", "elasticloadbalancing-fips.us-east-1.amazonaws.com")},
		{name: "AWS_USE_DUALSTACK_ENDPOINT", run: with(plain(env("AWS_USE_DUALSTACK_ENDPOINT=true"), "AWS_USE_DUALSTACK_ENDPOINT"), func(r *realccm.Run) {
			r.Hosts = append(r.Hosts, "ec2.us-east-1.api.aws", "elasticloadbalancing.us-east-1.api.aws")
		}), read: called(hosts, "ec2.us-east-1.api.aws")},
	}
}

// Each part of the surroundings is read by the CCM of either SDK. Without it the CCM fails, or
// calls another address. A variable that one SDK ignores is a concern of the chart.
func TestSurroundings(t *testing.T) {
	account := realccm.NewAccount(t)
	for _, p := range realccm.Pairs() {
		if p.CCM != "v1.28.1" && p.CCM != "v1.33.4" {
			continue
		}
		t.Run(p.CCM, func(t *testing.T) {
			cluster := realccm.NewCluster(t, p)
			for _, s := range surroundings(account) {
				t.Run(s.name, func(t *testing.T) { s.try(t, cluster, account, p) })
			}
		})
	}
}

func (s surrounding) try(t *testing.T, c *realccm.Cluster, a *realccm.Account, p realccm.Pair) {
	r := s.run
	r.Pair = p
	without := r
	if s.dropped != nil {
		without = s.dropped(r)
	}
	r.Without = ""
	got := r.Do(t, c, a)
	lacks := without.Do(t, c, a)
	fmt.Printf("| %s | %s | with: %s | without: %s | %v |\n", p.CCM, s.name, outcome(got), outcome(lacks), got.Concerns)
	if (got.Balanced == 0) != s.fails {
		t.Errorf("with it: %s", outcome(got))
	}
	if s.onlySDK != "" && s.onlySDK != p.SDK {
		if !slices.Equal(got.Hosts, lacks.Hosts) || !slices.Equal(got.IMDS, lacks.IMDS) {
			t.Errorf("this SDK does not ignore it: %s", outcome(got))
		}
	} else if err := s.read(got); err != nil {
		t.Errorf("with it: %v", err)
	} else if lacks.Balanced > 0 && s.read(lacks) == nil {
		t.Errorf("without it, it was used: %s", outcome(lacks))
	}
	named := slices.ContainsFunc(got.Concerns, func(c ccmchart.Concern) bool { return strings.Contains(c.Why, "SDK") })
	if want := s.onlySDK == "v2" || s.onlySDK == "v1" && p.SDK == "v2"; named != want {
		t.Errorf("the chart's concerns: %+v", got.Concerns)
	}
}

func outcome(r realccm.Result) string {
	word := "works"
	if r.Balanced == 0 {
		word = "fails: " + r.Error
	}
	return fmt.Sprintf("%s; hosts %v, proxy %v, metadata %v", word, r.Hosts, r.Proxied, r.IMDS)
}
