package aws

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// fake is EC2, IAM and STS as far as the client calls them, in every region. It
// leaves out signatures, rights, all other filters, and most of an instance.
type fake struct {
	mu        sync.Mutex
	asked     map[string]map[string]bool // by action
	sent      map[string]int             // requests by action, those that were sent again too
	instances map[string]ec2Instance     // by id
	page      int                        // instances in a page; 0: as many as are asked for

	deny     string // action that is refused
	denyIn   string // only in this region, or empty for all
	throttle int    // answers that are RequestLimitExceeded before one is not
	hang     bool   // no answer at all
	cut      bool   // answers end in the middle
	loop     bool   // every page names the same next one
	short    int    // answers by id that leave out the last instance
	half     bool   // IAM answers for half of the actions
	byTag    int
	change   func(action, body string) string // changes an answer, or nil
	role     string                           // the role that was asked for, its session and external id
}

type ec2Instance struct{ region, tag, state string }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	action, region := r.Form.Get("Action"), regionOf(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked[action] == nil {
		f.asked[action] = map[string]bool{}
	}
	f.asked[action][r.Form.Encode()] = true
	if f.sent == nil {
		f.sent = map[string]int{}
	}
	f.sent[action]++
	w.Header().Set("Content-Type", "text/xml")
	switch {
	case f.hang && action == "DescribeInstances":
		f.mu.Unlock()
		<-r.Context().Done()
		f.mu.Lock()
		return
	case f.throttle > 0 && action == "DescribeInstances":
		f.throttle--
		refuse(w, http.StatusServiceUnavailable, "RequestLimitExceeded")
		return
	case action == f.deny && (f.denyIn == "" || f.denyIn == region):
		refuse(w, http.StatusForbidden, "UnauthorizedOperation")
		return
	}
	body := f.answer(action, region, r.Form)
	if f.change != nil {
		body = f.change(action, body)
	}
	if f.cut && action == "DescribeInstances" {
		body = body[:len(body)/2]
	}
	fmt.Fprint(w, body)
}

// questions returns the number of different requests. The SDK repeats a request after a broken
// connection, which happens on a busy machine's loopback.
func (f *fake) questions(action string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked[action])
}

// requests returns the number of requests, including repeated ones.
func (f *fake) requests(action string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[action]
}

// regionOf returns the region that the request is signed for.
func regionOf(r *http.Request) string {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	if parts := strings.Split(scope, "/"); len(parts) > 2 {
		return parts[2]
	}
	return ""
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `<Response><Errors><Error><Code>%s</Code><Message>no</Message></Error></Errors></Response>`, code)
}

func (f *fake) answer(action, region string, form url.Values) string {
	switch action {
	case "DescribeInstances":
		return f.describe(region, form)
	case "DescribeSecurityGroups":
		return `<DescribeSecurityGroupsResponse><securityGroupInfo><item><groupId>sg-1</groupId><tagSet><item><key>kubernetes.io/cluster/demo</key><value>owned</value></item></tagSet></item></securityGroupInfo></DescribeSecurityGroupsResponse>`
	case "DescribeSubnets":
		return `<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet></DescribeSubnetsResponse>`
	case "DescribeRouteTables":
		return `<DescribeRouteTablesResponse><routeTableSet><item><routeTableId>rtb-1</routeTableId></item></routeTableSet></DescribeRouteTablesResponse>`
	case "GetCallerIdentity":
		return `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::1:user/a</Arn><Account>1</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
	case "AssumeRole":
		f.role = fmt.Sprintf("%s as %s, external id %s", form.Get("RoleArn"), form.Get("RoleSessionName"), form.Get("ExternalId"))
		return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	case "GetInstanceProfile":
		return `<GetInstanceProfileResponse><GetInstanceProfileResult><InstanceProfile><Roles><member><Arn>arn:aws:iam::1:role/cp</Arn></member></Roles></InstanceProfile></GetInstanceProfileResult></GetInstanceProfileResponse>`
	case "SimulatePrincipalPolicy":
		return f.simulate(form)
	}
	return "no such action " + action
}

func (f *fake) describe(region string, form url.Values) string {
	var wanted []string
	for i := 1; form.Get(fmt.Sprintf("Filter.1.Value.%d", i)) != ""; i++ {
		wanted = append(wanted, form.Get(fmt.Sprintf("Filter.1.Value.%d", i)))
	}
	if len(wanted) > 200 {
		return "too many values"
	}
	var ids []string
	name := form.Get("Filter.1.Name")
	for id, i := range f.instances {
		match := name == "instance-id" && slices.Contains(wanted, id) ||
			name == "tag-key" && i.tag != "" && slices.Contains(wanted, "kubernetes.io/cluster/"+i.tag) ||
			name == "tag:KubernetesCluster" && slices.Contains(wanted, strings.TrimPrefix(i.tag, "legacy:")) && strings.HasPrefix(i.tag, "legacy:")
		if match && i.region == region {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if name == "instance-id" && f.short > 0 && len(ids) > 0 {
		f.short--
		ids = ids[:len(ids)-1]
	}
	if name != "instance-id" {
		f.byTag++
	}
	return f.pageOf(ids, form)
}

func (f *fake) pageOf(ids []string, form url.Values) string {
	size, _ := strconv.Atoi(form.Get("MaxResults"))
	if f.page > 0 {
		size = f.page
	}
	from, _ := strconv.Atoi(form.Get("NextToken"))
	next := ""
	if from+size < len(ids) {
		next = fmt.Sprintf("<nextToken>%d</nextToken>", from+size)
	}
	if f.loop {
		next = "<nextToken>0</nextToken>"
	}
	var b strings.Builder
	for _, id := range ids[min(from, len(ids)):min(from+size, len(ids))] {
		i := f.instances[id]
		tag := fmt.Sprintf(`<item><key>kubernetes.io/cluster/%s</key><value>owned</value></item>`, i.tag)
		if legacy, ok := strings.CutPrefix(i.tag, "legacy:"); ok {
			tag = fmt.Sprintf(`<item><key>KubernetesCluster</key><value>%s</value></item>`, legacy)
		} else if i.tag == "" {
			tag = ""
		}
		state := i.state
		if state == "" {
			state = "running"
		}
		fmt.Fprintf(&b, `<item><instancesSet><item><instanceId>%s</instanceId><instanceState><name>%s</name></instanceState><privateDnsName>%s.internal</privateDnsName>
<privateIpAddress>10.0.0.1</privateIpAddress><placement><availabilityZone>%sa</availabilityZone></placement><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>
<iamInstanceProfile><arn>arn:aws:iam::1:instance-profile/x/cp</arn></iamInstanceProfile><groupSet><item><groupId>sg-1</groupId></item></groupSet>
<metadataOptions><httpTokens>required</httpTokens><httpPutResponseHopLimit>1</httpPutResponseHopLimit><httpEndpoint>enabled</httpEndpoint></metadataOptions>
<launchTime>2024-01-01T00:00:00.000Z</launchTime><tagSet><item><key>Name</key><value>x</value></item>%s</tagSet>
<networkInterfaceSet><item><privateIpAddressesSet><item><privateIpAddress>10.0.0.1</privateIpAddress></item><item><privateIpAddress>10.0.0.2</privateIpAddress></item></privateIpAddressesSet><ipv6AddressesSet><item><ipv6Address>fd00::1</ipv6Address></item></ipv6AddressesSet></item></networkInterfaceSet></item></instancesSet></item>`, id, state, id, i.region, tag)
	}
	return `<DescribeInstancesResponse><reservationSet>` + b.String() + `</reservationSet>` + next + `</DescribeInstancesResponse>`
}

// simulate returns one action in a page: the first allowed, the last of three or more explicitly
// denied, the others implicitly denied.
func (f *fake) simulate(form url.Values) string {
	at, _ := strconv.Atoi(form.Get("Marker"))
	count := 0
	for form.Get(fmt.Sprintf("ActionNames.member.%d", count+1)) != "" {
		count++
	}
	decision := "implicitDeny"
	switch {
	case at == 0:
		decision = "allowed"
	case at == 2 && at == count-1:
		decision = "explicitDeny"
	}
	more := fmt.Sprintf(`<IsTruncated>true</IsTruncated><Marker>%d</Marker>`, at+1)
	if at+1 >= count || f.half && at+1 >= count/2 {
		more = `<IsTruncated>false</IsTruncated>`
	}
	var name strings.Builder
	_ = xml.EscapeText(&name, []byte(form.Get(fmt.Sprintf("ActionNames.member.%d", at+1))))
	return fmt.Sprintf(`<SimulatePrincipalPolicyResponse><SimulatePrincipalPolicyResult><EvaluationResults><member><EvalActionName>%s</EvalActionName><EvalDecision>%s</EvalDecision></member></EvaluationResults>%s</SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`, name.String(), decision, more)
}

// serve makes the fake the only AWS of this test, configured by the environment.
func serve(t *testing.T, f *fake) {
	t.Helper()
	f.asked = map[string]map[string]bool{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for k, v := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "",
	} {
		t.Setenv(k, v)
	}
}

// many returns n Nodes of one region and their instances. The first is a control plane.
func many(n int, region, tag string) ([]downstream.Node, map[string]ec2Instance) {
	var nodes []downstream.Node
	instances := map[string]ec2Instance{}
	for i := range n {
		id := fmt.Sprintf("i-%s%06x", map[bool]string{true: "aa", false: "bb"}[region == "us-east-1"], i)
		node := downstream.Node{Name: "n" + id, ProviderID: "aws:///" + region + "a/" + id}
		if i == 0 {
			node.Labels = map[string]string{"node-role.kubernetes.io/control-plane": "true"}
		}
		nodes = append(nodes, node)
		instances[id] = ec2Instance{region: region, tag: tag}
	}
	return nodes, instances
}
