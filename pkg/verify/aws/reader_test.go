package aws

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// fake answers the few calls the reader makes, in pages, and counts them.
type fake struct {
	mu      sync.Mutex
	calls   map[string]int
	missing string
	deny    string // action that is answered with AccessDenied
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	action := r.Form.Get("Action")
	f.mu.Lock()
	f.calls[action]++
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/xml")
	if action == f.deny {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>`)
		return
	}
	switch action {
	case "DescribeInstances":
		fmt.Fprint(w, f.instances(r.Form))
	case "DescribeSecurityGroups":
		fmt.Fprint(w, `<DescribeSecurityGroupsResponse><securityGroupInfo><item><groupId>sg-1</groupId><tagSet><item><key>kubernetes.io/cluster/demo</key><value>owned</value></item></tagSet></item></securityGroupInfo></DescribeSecurityGroupsResponse>`)
	case "DescribeSubnets":
		fmt.Fprint(w, `<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet></DescribeSubnetsResponse>`)
	case "DescribeRouteTables":
		fmt.Fprint(w, `<DescribeRouteTablesResponse><routeTableSet><item><routeTableId>rtb-1</routeTableId></item></routeTableSet></DescribeRouteTablesResponse>`)
	case "GetCallerIdentity":
		fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::1:user/a</Arn><Account>1</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	case "GetInstanceProfile":
		fmt.Fprint(w, `<GetInstanceProfileResponse><GetInstanceProfileResult><InstanceProfile><Roles><member><Arn>arn:aws:iam::1:role/cp</Arn></member></Roles></InstanceProfile></GetInstanceProfileResult></GetInstanceProfileResponse>`)
	case "SimulatePrincipalPolicy":
		fmt.Fprint(w, simulate(r.Form))
	default:
		http.Error(w, "no such action "+action, http.StatusBadRequest)
	}
}

// instances gives half a batch per page.
func (f *fake) instances(form url.Values) string {
	var ids []string
	for i := 1; form.Get(fmt.Sprintf("Filter.1.Value.%d", i)) != ""; i++ {
		ids = append(ids, form.Get(fmt.Sprintf("Filter.1.Value.%d", i)))
	}
	if len(ids) > 200 || form.Get("Filter.1.Name") != "instance-id" {
		return "too many values, or another filter"
	}
	half, next := len(ids)/2, "<nextToken>second</nextToken>"
	part := ids[:half]
	if form.Get("NextToken") != "" {
		part, next = ids[half:], ""
	}
	var b strings.Builder
	for _, id := range part {
		if id == f.missing {
			continue
		}
		fmt.Fprintf(&b, `<item><instancesSet><item><instanceId>%s</instanceId><instanceState><name>running</name></instanceState><privateDnsName>%s.internal</privateDnsName>
<privateIpAddress>10.0.0.1</privateIpAddress><placement><availabilityZone>us-east-1a</availabilityZone></placement><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>
<iamInstanceProfile><arn>arn:aws:iam::1:instance-profile/x/cp</arn></iamInstanceProfile><groupSet><item><groupId>sg-1</groupId></item></groupSet>
<metadataOptions><httpTokens>required</httpTokens><httpPutResponseHopLimit>1</httpPutResponseHopLimit><httpEndpoint>enabled</httpEndpoint></metadataOptions>
<tagSet><item><key>kubernetes.io/cluster/demo</key><value>owned</value></item></tagSet>
<networkInterfaceSet><item><privateIpAddressesSet><item><privateIpAddress>10.0.0.1</privateIpAddress></item><item><privateIpAddress>10.0.0.2</privateIpAddress></item></privateIpAddressesSet></item></networkInterfaceSet></item></instancesSet></item>`, id, id)
	}
	return `<DescribeInstancesResponse><reservationSet>` + b.String() + `</reservationSet>` + next + `</DescribeInstancesResponse>`
}

func simulate(form url.Values) string {
	part, more := 1, `<IsTruncated>true</IsTruncated><Marker>2</Marker>`
	if form.Get("Marker") != "" {
		part, more = 2, `<IsTruncated>false</IsTruncated>`
	}
	var name strings.Builder
	_ = xml.EscapeText(&name, []byte(form.Get(fmt.Sprintf("ActionNames.member.%d", part))))
	decision := map[int]string{1: "allowed", 2: "implicitDeny"}[part]
	return fmt.Sprintf(`<SimulatePrincipalPolicyResponse><SimulatePrincipalPolicyResult><EvaluationResults><member><EvalActionName>%s</EvalActionName><EvalDecision>%s</EvalDecision></member></EvaluationResults>%s</SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`, name.String(), decision, more)
}

func clients(t *testing.T, f *fake) Clients {
	t.Helper()
	f.calls = map[string]int{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	cfg := awssdk.Config{
		Region: "us-east-1", BaseEndpoint: awssdk.String(server.URL),
		Credentials: awssdk.CredentialsProviderFunc(fixed),
	}
	return Clients{EC2: ec2.NewFromConfig(cfg), IAM: iam.NewFromConfig(cfg), STS: sts.NewFromConfig(cfg)}
}

func many(n int) []downstream.Node {
	var nodes []downstream.Node
	for i := range n {
		node := downstream.Node{Name: fmt.Sprintf("n%d", i), ProviderID: fmt.Sprintf("aws:///us-east-1a/i-%08x", i)}
		if i == 0 {
			node.Labels = map[string]string{"node-role.kubernetes.io/control-plane": "true"}
		}
		nodes = append(nodes, node)
	}
	return append(nodes, downstream.Node{Name: "foreign", ProviderID: "rke2://x"})
}

func TestReadAsksByThePage(t *testing.T) {
	f := &fake{missing: "i-00000007"}
	got := ReadWith(t.Context(), clients(t, f), "us-east-1", many(450), []string{"ec2:DescribeInstances", "ec2:CreateRoute"})
	if !got.Instances.OK() || len(got.Instances.Value) != 449 {
		t.Fatalf("%d instances, %v", len(got.Instances.Value), got.Instances.Err)
	}
	if n := f.calls["DescribeInstances"]; n != 6 {
		t.Errorf("%d calls for 450 instances, want 3 batches of 2 pages", n)
	}
	if _, there := got.Instances.Value["i-00000007"]; there {
		t.Error("the missing instance was found")
	}
	i := got.Instances.Value["i-00000001"]
	if i.HTTPTokens != "required" || i.HopLimit != 1 || i.Zone != "us-east-1a" || i.State != "running" || len(i.PrivateIPs) != 2 || !i.Tags.Has("demo") {
		t.Errorf("instance %+v", i)
	}
	if !got.SecurityGroups.Value["sg-1"].Has("demo") || len(got.Subnets.Value) != 1 || len(got.RouteTables.Value) != 1 {
		t.Errorf("tags %+v %+v %+v", got.SecurityGroups, got.Subnets, got.RouteTables)
	}
	r := got.Roles.Value
	if len(r) != 1 || len(r[0].Allowed) != 1 || len(r[0].Denied) != 1 || r[0].Denied[0] != "ec2:CreateRoute" {
		t.Errorf("roles %+v, %v", r, got.Roles.Err)
	}
	if got.Identity.Value.Account != "1" {
		t.Errorf("identity %+v", got.Identity)
	}
}

func TestForbiddenIsNotMissing(t *testing.T) {
	got := ReadWith(t.Context(), clients(t, &fake{deny: "DescribeInstances"}), "us-east-1", many(3), []string{"a"})
	if got.Instances.OK() || got.SecurityGroups.OK() || got.Roles.OK() || !strings.Contains(got.Instances.Err.Error(), "UnauthorizedOperation") {
		t.Errorf("got %+v", got)
	}
	got = ReadWith(t.Context(), clients(t, &fake{deny: "DescribeSubnets"}), "us-east-1", many(3), []string{"a"})
	if !got.Instances.OK() || got.Subnets.OK() {
		t.Errorf("got %+v", got)
	}
}

func TestOff(t *testing.T) {
	if got := Read(t.Context(), many(1), Options{Mode: Off}); got.On || got.Off == "" {
		t.Errorf("got %+v", got)
	}
}

func TestRegionOf(t *testing.T) {
	for want, zones := range map[string][]string{
		"us-east-1":     {"us-east-1a", "us-east-1b"},
		"us-west-2":     {"us-west-2-lax-1a"},
		"us-gov-west-1": {"us-gov-west-1a"},
		"":              {"us-east-1a", "eu-west-1a"},
	} {
		var nodes []downstream.Node
		for _, z := range zones {
			nodes = append(nodes, downstream.Node{ProviderID: "aws:///" + z + "/i-00000001"})
		}
		if got := RegionOf(nodes); got != want {
			t.Errorf("%v: %q, want %q", zones, got, want)
		}
	}
}

func fixed(context.Context) (awssdk.Credentials, error) {
	return awssdk.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
}

// The SDK's own warnings, such as of a response that was cut off, do not belong
// between the lines that a person reads.
func TestSDKIsSilent(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	c, off, err := Connect(t.Context(), Options{Mode: On}, "us-east-1")
	if err != nil || off != "" {
		t.Fatal(off, err)
	}
	if _, silent := c.EC2.Options().Logger.(logging.Nop); !silent {
		t.Errorf("the SDK logs to a %T", c.EC2.Options().Logger)
	}
}
