package standin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// AWS serves the instances of Count Nodes and Lost instances without a Node.
type AWS struct {
	Count, Lost int
	Latency     time.Duration // of every answer
	// Allowed reports whether the credentials allow an action such as "ec2:DescribeInstances".
	// If it is nil, they allow all.
	Allowed func(action string) bool

	mu    sync.Mutex
	calls map[string]int
}

// Calls returns the number of requests by action. The key of DescribeInstances includes the
// filter: "DescribeInstances tag-key".
func (s *AWS) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

// ServeHTTP implements http.Handler.
func (s *AWS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	action := r.Form.Get("Action")
	s.count(strings.TrimSpace(action + " " + r.Form.Get("Filter.1.Name")))
	select {
	case <-time.After(s.Latency):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/xml")
	if s.refuse(w, action, r.Form) {
		return
	}
	if isELB(r.Form) { // it has no load balancers
		fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult></%[1]sResult></%[1]sResponse>", action)
		return
	}
	fmt.Fprintf(w, "<%[1]sResponse>%[2]s</%[1]sResponse>", action, s.answer(action, r.Form))
}

// isELB reports whether a request is for either API of Elastic Load Balancing.
func isELB(form url.Values) bool {
	return form.Get("Version") == "2012-06-01" || form.Get("Version") == "2015-12-01"
}

// refuse answers forbidden actions and allowed dry runs with an error, and reports whether it
// answered. Each service has its own form of errors.
func (s *AWS) refuse(w http.ResponseWriter, action string, form url.Values) bool {
	ofELB := isELB(form)
	ofEC2 := strings.HasPrefix(action, "Describe") && !ofELB
	name := "iam:" + action
	switch {
	case ofEC2:
		name = "ec2:" + action
	case ofELB:
		name = "elasticloadbalancing:" + action
	}
	switch denied := action != "GetCallerIdentity" && s.Allowed != nil && !s.Allowed(name); {
	case denied && ofEC2:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>You are not authorized to perform this operation.</Message></Error></Errors></Response>`)
	case denied:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not authorized to perform: %s</Message></Error></ErrorResponse>`, name)
	case form.Get("DryRun") == "true":
		w.WriteHeader(http.StatusPreconditionFailed)
		fmt.Fprint(w, `<Response><Errors><Error><Code>DryRunOperation</Code><Message>Request would have succeeded, but DryRun flag is set.</Message></Error></Errors></Response>`)
	default:
		return false
	}
	return true
}

func (s *AWS) count(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[kind]++
}

const tagItem = `<tagSet><item><key>kubernetes.io/cluster/` + Cluster + `</key><value>owned</value></item></tagSet>`

// answer returns the content of the answer's root element.
func (s *AWS) answer(action string, form url.Values) string {
	switch action {
	case "DescribeInstances":
		return s.describe(form)
	case "DescribeSecurityGroups":
		return `<securityGroupInfo><item><groupId>sg-1</groupId>` + tagItem + `</item></securityGroupInfo>`
	case "DescribeSubnets":
		return `<subnetSet><item><subnetId>subnet-a</subnetId>` + tagItem + `</item><item><subnetId>subnet-b</subnetId>` + tagItem + `</item><item><subnetId>subnet-c</subnetId>` + tagItem + `</item></subnetSet>`
	case "DescribeRouteTables":
		return `<routeTableSet><item><routeTableId>rtb-1</routeTableId>` + tagItem + `</item></routeTableSet>`
	case "GetCallerIdentity":
		return `<GetCallerIdentityResult><Arn>arn:aws:iam::1:user/a</Arn><Account>1</Account></GetCallerIdentityResult>`
	case "GetInstanceProfile":
		return `<GetInstanceProfileResult><InstanceProfile><Roles><member><Arn>arn:aws:iam::1:role/cp</Arn></member></Roles></InstanceProfile></GetInstanceProfileResult>`
	case "SimulatePrincipalPolicy":
		var b strings.Builder
		for i := 1; form.Get(fmt.Sprintf("ActionNames.member.%d", i)) != ""; i++ {
			fmt.Fprintf(&b, `<member><EvalActionName>%s</EvalActionName><EvalDecision>allowed</EvalDecision></member>`, form.Get(fmt.Sprintf("ActionNames.member.%d", i)))
		}
		return `<SimulatePrincipalPolicyResult><EvaluationResults>` + b.String() + `</EvaluationResults><IsTruncated>false</IsTruncated></SimulatePrincipalPolicyResult>`
	}
	return "no such action " + action
}

func (s *AWS) describe(form url.Values) string {
	var which []int
	next := ""
	if form.Get("Filter.1.Name") == "tag-key" {
		size, _ := strconv.Atoi(form.Get("MaxResults"))
		from, _ := strconv.Atoi(form.Get("NextToken"))
		total := s.Count + s.Lost
		for i := from; i < min(from+size, total); i++ {
			which = append(which, i)
		}
		if from+size < total {
			next = fmt.Sprintf("<nextToken>%d</nextToken>", from+size)
		}
	} else {
		for k := 1; form.Get(fmt.Sprintf("Filter.1.Value.%d", k)) != ""; k++ {
			if i, err := strconv.ParseInt(strings.TrimPrefix(form.Get(fmt.Sprintf("Filter.1.Value.%d", k)), "i-"), 16, 64); err == nil && i >= 1 && int(i) <= s.Count+s.Lost {
				which = append(which, int(i-1))
			}
		}
	}
	var b strings.Builder
	b.WriteString(`<reservationSet>`)
	for _, i := range which {
		writeInstance(&b, i)
	}
	b.WriteString(`</reservationSet>` + next)
	return b.String()
}

// writeInstance writes an instance with EC2's fields for one interface, one volume and eight
// tags, about 5 KB.
func writeInstance(b *strings.Builder, i int) {
	id, name, ip, zone := InstanceID(i), Name(i), address(i), Zone(i)
	subnet := "subnet-" + zone[len(zone)-1:]
	groups := `<groupSet><item><groupId>sg-1</groupId><groupName>rancher-nodes</groupName></item></groupSet>`
	fmt.Fprintf(b, `<item><reservationId>r-%017x</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet><item><instanceId>%s</instanceId><imageId>ami-0123456789abcdef0</imageId><instanceState><code>16</code><name>running</name></instanceState><privateDnsName>%s</privateDnsName><dnsName/><reason/><keyName>nodes</keyName><amiLaunchIndex>0</amiLaunchIndex><productCodes/><instanceType>m5.xlarge</instanceType><launchTime>2024-01-01T00:00:00.000Z</launchTime><placement><availabilityZone>%s</availabilityZone><groupName/><tenancy>default</tenancy></placement><monitoring><state>disabled</state></monitoring><subnetId>%s</subnetId><vpcId>vpc-1</vpcId><privateIpAddress>%s</privateIpAddress><sourceDestCheck>true</sourceDestCheck>%s<architecture>x86_64</architecture><rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/sda1</rootDeviceName>`, i, id, name, zone, subnet, ip, groups)
	fmt.Fprintf(b, `<blockDeviceMapping><item><deviceName>/dev/sda1</deviceName><ebs><volumeId>vol-%017x</volumeId><status>attached</status><attachTime>2024-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination></ebs></item></blockDeviceMapping><virtualizationType>hvm</virtualizationType><clientToken>%032x</clientToken>`, i, i)
	b.WriteString(`<tagSet><item><key>kubernetes.io/cluster/` + Cluster + `</key><value>owned</value></item>`)
	for k := range 7 {
		fmt.Fprintf(b, `<item><key>example.com/some-key-%d</key><value>some value of that key, number %d</value></item>`, k, k)
	}
	fmt.Fprintf(b, `</tagSet><hypervisor>xen</hypervisor><networkInterfaceSet><item><networkInterfaceId>eni-%017x</networkInterfaceId><subnetId>%s</subnetId><vpcId>vpc-1</vpcId><description/><ownerId>123456789012</ownerId><status>in-use</status><macAddress>02:00:00:00:00:00</macAddress><privateIpAddress>%s</privateIpAddress><privateDnsName>%s</privateDnsName><sourceDestCheck>true</sourceDestCheck>%s<attachment><attachmentId>eni-attach-%017x</attachmentId><deviceIndex>0</deviceIndex><status>attached</status><attachTime>2024-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination><networkCardIndex>0</networkCardIndex></attachment><privateIpAddressesSet><item><privateIpAddress>%s</privateIpAddress><privateDnsName>%s</privateDnsName><primary>true</primary></item></privateIpAddressesSet><ipv6AddressesSet/><interfaceType>interface</interfaceType></item></networkInterfaceSet>`, i, subnet, ip, name, groups, i, ip, name)
	b.WriteString(`<iamInstanceProfile><arn>arn:aws:iam::123456789012:instance-profile/cp</arn><id>AIPA0123456789ABCDEF0</id></iamInstanceProfile><ebsOptimized>true</ebsOptimized><enaSupport>true</enaSupport><cpuOptions><coreCount>2</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions><capacityReservationSpecification><capacityReservationPreference>open</capacityReservationPreference></capacityReservationSpecification><hibernationOptions><configured>false</configured></hibernationOptions><metadataOptions><state>applied</state><httpTokens>optional</httpTokens><httpPutResponseHopLimit>2</httpPutResponseHopLimit><httpEndpoint>enabled</httpEndpoint><httpProtocolIpv6>disabled</httpProtocolIpv6><instanceMetadataTags>disabled</instanceMetadataTags></metadataOptions><enclaveOptions><enabled>false</enabled></enclaveOptions><platformDetails>Linux/UNIX</platformDetails><usageOperation>RunInstances</usageOperation><usageOperationUpdateTime>2024-01-01T00:00:00.000Z</usageOperationUpdateTime><privateDnsNameOptions><hostnameType>ip-name</hostnameType><enableResourceNameDnsARecord>false</enableResourceNameDnsARecord><enableResourceNameDnsAAAARecord>false</enableResourceNameDnsAAAARecord></privateDnsNameOptions><maintenanceOptions><autoRecovery>default</autoRecovery></maintenanceOptions><currentInstanceBootMode>legacy-bios</currentInstanceBootMode></item></instancesSet></item>`)
}
