package rollout

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// The lines are those of client-go v0.26 and of the AWS SDKs v1 and v2, as klog prints them.
func TestCauseOf(t *testing.T) {
	const (
		api = `https://10.43.0.1:443`
		ec2 = `https://ec2.us-east-1.amazonaws.com/`
		v1  = `F0101 10:00:00.000000       1 main.go:97] Cloud provider could not be initialized: could not init cloud provider "aws": error finding instance i-0: "error listing AWS instances: \"RequestError: send request failed\\ncaused by: Post \\\"` + ec2 + `\\\": `
		v2  = `F0101 10:00:00.000000       1 main.go:97] Cloud provider could not be initialized: could not init cloud provider "aws": error listing AWS instances: "operation error EC2: DescribeInstances, exceeded maximum number of attempts, 3, https response error StatusCode: 0, RequestID: , request send failed, Post \"` + ec2 + `\": `
		im  = `unable to determine AWS zone from cloud provider config or EC2 instance metadata: EC2MetadataRequestError: failed to get EC2 instance identity document`
	)
	for name, tt := range map[string]struct {
		text   string
		reason string // empty if passing
	}{
		"API server refuses a lease_passing":   {`E leaderelection.go:330] error retrieving resource lock kube-system/cloud-controller-manager: Get "` + api + `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x?timeout=5s": dial tcp 10.43.0.1:443: connect: connection refused`, ""},
		"API server refuses a list_passing":    {`E reflector.go:140] failed to list *v1.Node: Get "` + api + `/api/v1/nodes?limit=500": dial tcp 10.43.0.1:443: connect: connection refused`, ""},
		"API server times out_passing":         {`E reflector.go:140] failed to list *v1.Node: Get "` + api + `/api/v1/nodes?limit=500": dial tcp 10.43.0.1:443: i/o timeout`, ""},
		"API server shakes no hand_passing":    {`Get "https://127.0.0.1:6443/healthz": net/http: TLS handshake timeout`, ""},
		"API server by IPv6_passing":           {`Get "https://[fd00::1]:443/version": dial tcp [fd00::1]:443: connect: connection refused`, ""},
		"API server ends a connection_passing": {`Put "` + api + `/apis/coordination.k8s.io/v1/x": http2: client connection lost`, ""},
		"API server is not healthy_passing":    {`F controllermanager.go:180] failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: Get "` + api + `/healthz": dial tcp 10.43.0.1:443: connect: connection refused`, ""},
		"lease lost_passing":                   {`F leaderelection lost`, ""},
		"API server of another CA_named":       {`failed to list *v1.Node: Get "` + api + `/api/v1/nodes": x509: certificate signed by unknown authority`, "APITrust"},
		"API server through a proxy_named":     {`Get "` + api + `/api/v1/nodes": proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused`, "Proxy"},
		"EC2 refuses, SDK v1_named":            {v1 + `dial tcp 52.46.1.1:443: connect: connection refused\""`, "AWSUnreachable"},
		"EC2 refuses, SDK v1, lines_named":     {"F main.go:97] RequestError: send request failed\ncaused by: Post \"" + ec2 + "\": dial tcp 52.46.1.1:443: connect: connection refused", "AWSUnreachable"},
		"EC2 refuses, SDK v2_named":            {v2 + `dial tcp 52.46.1.1:443: connect: connection refused"`, "AWSUnreachable"},
		"EC2 times out, SDK v1_named":          {v1 + `dial tcp 52.46.1.1:443: i/o timeout\""`, "AWSUnreachable"},
		"EC2 times out, SDK v2_named":          {v2 + `dial tcp 52.46.1.1:443: i/o timeout"`, "AWSUnreachable"},
		"STS deadline, SDK v2_named":           {`operation error STS: AssumeRole, https response error StatusCode: 0, RequestID: , canceled, context deadline exceeded`, "AWSUnreachable"},
		"own endpoint refuses_named":           {`RequestError: send request failed caused by: Post "https://vpce-1.example.internal/": dial tcp 10.1.1.1:443: connect: connection refused`, "AWSUnreachable"},
		"proxy refuses, SDK v1_named":          {v1 + `proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused\""`, "Proxy"},
		"proxy refuses, SDK v2_named":          {v2 + `proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused"`, "Proxy"},
		"proxy asks for a name_named":          {v2 + `Proxy Authentication Required"`, "Proxy"},
		"proxy has no name_named":              {v1 + `proxyconnect tcp: dial tcp: lookup proxy.corp: no such host\""`, "Proxy"},
		"certificate, SDK v1_named":            {v1 + `x509: certificate signed by unknown authority\""`, "AWSTrust"},
		"certificate, SDK v2_named":            {v2 + `tls: failed to verify certificate: x509: certificate signed by unknown authority"`, "AWSTrust"},
		"certificate out of date_named":        {v1 + `x509: certificate has expired or is not yet valid: current time 2024-01-01T00:00:00Z is after 2023-01-01T00:00:00Z\""`, "AWSTrust"},
		"name, SDK v1_named":                   {v1 + `dial tcp: lookup ec2.us-east-1.amazonaws.com on 10.0.0.2:53: no such host\""`, "NameResolution"},
		"name, SDK v2_named":                   {v2 + `dial tcp: lookup ec2.us-east-1.amazonaws.com on 10.43.0.10:53: server misbehaving"`, "NameResolution"},
		"resolver is silent_named":             {v2 + `dial tcp: lookup ec2.us-east-1.amazonaws.com: i/o timeout"`, "NameResolution"},
		"no credentials, SDK v1_named":         {"error listing AWS instances: \"NoCredentialProviders: no valid providers in chain. Deprecated.\n\tFor verbose messaging see aws.Config.CredentialsChainVerboseErrors\"", "NoCredentials"},
		"no role, SDK v2_named":                {`operation error EC2: DescribeInstances, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, http response error StatusCode: 404, request to EC2 IMDS failed`, "NoCredentials"},
		"metadata refuses, SDK v1_named":       {im + "\ncaused by: RequestError: send request failed\ncaused by: Get \"http://169.254.169.254/latest/dynamic/instance-identity/document\": dial tcp 169.254.169.254:80: connect: connection refused", "MetadataService"},
		"metadata is silent, SDK v1_named":     {`error querying AWS metadata for "instance-id": "RequestError: send request failed\ncaused by: Get \"http://169.254.169.254/latest/meta-data/instance-id\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"`, "MetadataService"},
		"metadata wants a token, SDK v1_named": {"unable to determine AWS zone: EC2MetadataError: failed to make EC2Metadata request\n\n\tstatus code: 401, request id: ", "MetadataService"},
		"metadata is silent, SDK v2_named":     {`operation error EC2: DescribeInstances, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, exceeded maximum number of attempts, 3, request send failed, Get "http://169.254.169.254/latest/meta-data/iam/security-credentials/": dial tcp 169.254.169.254:80: i/o timeout`, "MetadataService"},
		"metadata is cut off, SDK v2_named":    {`no EC2 IMDS role found, operation error ec2imds: GetMetadata, canceled, context deadline exceeded`, "MetadataService"},
		"keys refused, SDK v1_named":           {`error listing AWS instances: "AuthFailure: AWS was not able to validate the provided access credentials\n\tstatus code: 401, request id: 1"`, "AWSCredentials"},
		"token expired, SDK v2_named":          {`operation error EC2: DescribeInstances, https response error StatusCode: 400, RequestID: 1, api error ExpiredToken: The security token included in the request is expired`, "AWSCredentials"},
		"clock, SDK v1_named":                  {`SignatureDoesNotMatch: Signature expired: 20240101T000000Z is now earlier than 20240101T001000Z`, "NodeClock"},
		"right missing, SDK v1_named":          {`UnauthorizedOperation: You are not authorized to perform this operation. status code: 403, request id: 1`, "AWSRights"},
		"right missing, SDK v2_named":          {`operation error Elastic Load Balancing: DescribeLoadBalancers, https response error StatusCode: 403, RequestID: 1, api error AccessDenied: User x is not authorized`, "AWSRights"},
		"address without a URL_named":          {`dial tcp 10.9.9.9:443: connect: connection refused`, "Unreachable"},
		"no cluster tag_named":                 {`no ClusterID found.  A ClusterID is required`, "ClusterTag"},
		"AWS after the API server_the last":    {`Get "` + api + `/healthz": dial tcp 10.43.0.1:443: connect: connection refused` + "\n" + v2 + `dial tcp 52.46.1.1:443: connect: connection refused"`, "AWSUnreachable"},
		"the API server after AWS_the last":    {v2 + `dial tcp 52.46.1.1:443: connect: connection refused"` + "\n" + `Get "` + api + `/healthz": dial tcp 10.43.0.1:443: connect: connection refused`, ""},
		"nothing that is known_the last line":  {"one\ntwo", "Crashing"},
	} {
		t.Run(name, func(t *testing.T) {
			got, line := causeOf(tt.text)
			if got.reason != tt.reason || got.passing != (tt.reason == "") || line == "" {
				t.Errorf("%q, passing %t: %s", got.reason, got.passing, line)
			}
			if !got.passing && (got.fix == "" || got.wanted == "") {
				t.Errorf("no way out: %+v", got)
			}
		})
	}
}

// A CCM that crashes because of AWS is a fault even while API servers restart.
func TestCheckCrash_refusedByAWS_fault(t *testing.T) {
	for _, outage := range []bool{false, true} {
		r := healthyRollout(t)
		r.DaemonSet.Ready--
		r.Outage = outage
		unready(&r.Pods[0], "Running", crashed(`Post "https://ec2.us-east-1.amazonaws.com/": proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused`, 5))
		f, ok := fault.As(Judge(r).Err)
		if !ok || f.Reason != "Proxy" || !strings.Contains(f.Seen, "10.0.0.9") {
			t.Errorf("outage %t: %v", outage, Judge(r).Err)
		}
	}
}
