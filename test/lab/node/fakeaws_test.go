package node

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// fakeAWS answers the requests of a kubelet and a kube-controller-manager at their start: the
// metadata service of one instance, and DescribeInstances.
type fakeAWS struct {
	*httptest.Server
	instance Instance

	mu      sync.Mutex
	callers map[string]int // caller → calls
}

func newFakeAWS(t *testing.T, instance Instance) *fakeAWS {
	t.Helper()
	f := &fakeAWS{instance: instance, callers: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/latest/", f.metadata)
	mux.HandleFunc("/as/{caller}/", f.ec2)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeAWS) endpoint(caller string) string { return f.URL + "/as/" + caller + "/" }

func (f *fakeAWS) calls(prefix string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for caller, calls := range f.callers {
		if strings.HasPrefix(caller, prefix) {
			n += calls
		}
	}
	return n
}

func (f *fakeAWS) metadata(w http.ResponseWriter, r *http.Request) {
	const role = `{"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"AKID","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z","LastUpdated":"2020-01-01T00:00:00Z"}`
	answer := map[string]string{
		"api/token": "token", "meta-data/instance-id": f.instance.ID, "meta-data/local-hostname": f.instance.PrivateDNSName,
		"meta-data/placement/availability-zone": f.instance.Zone, "meta-data/iam/security-credentials/": "node",
		"meta-data/iam/security-credentials/node": role, "meta-data/mac": "02:00:00:00:00:01",
		"meta-data/network/interfaces/macs/02:00:00:00:00:01/vpc-id": "vpc-1",
	}[strings.TrimPrefix(r.URL.Path, "/latest/")]
	if answer == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "21600")
	fmt.Fprint(w, answer)
}

func (f *fakeAWS) ec2(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.callers[r.PathValue("caller")]++
	f.mu.Unlock()
	if !strings.Contains(r.Header.Get("Authorization"), "AKID/") {
		http.Error(w, "not signed with the role's credentials", http.StatusForbidden)
		return
	}
	if err := r.ParseForm(); err != nil || r.Form.Get("Action") != "DescribeInstances" {
		http.Error(w, "<Response><Errors><Error><Code>InvalidAction</Code></Error></Errors></Response>", http.StatusBadRequest)
		return
	}
	i := f.instance
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item><instancesSet><item>
<instanceId>%s</instanceId><instanceType>m5.large</instanceType><instanceState><code>16</code><name>running</name></instanceState>
<privateDnsName>%s</privateDnsName><privateIpAddress>%s</privateIpAddress><vpcId>vpc-1</vpcId><subnetId>subnet-1</subnetId>
<placement><availabilityZone>%s</availabilityZone></placement>
<networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId><status>in-use</status><macAddress>02:00:00:00:00:01</macAddress>
<privateIpAddress>%s</privateIpAddress><privateIpAddressesSet><item><privateIpAddress>%s</privateIpAddress><primary>true</primary></item></privateIpAddressesSet></item></networkInterfaceSet>
<tagSet><item><key>kubernetes.io/cluster/demo</key><value>owned</value></item></tagSet>
</item></instancesSet></item></reservationSet></DescribeInstancesResponse>`, i.ID, i.PrivateDNSName, i.PrivateIP, i.Zone, i.PrivateIP, i.PrivateIP)
}

func TestEC2CloudDescribesItself(t *testing.T) {
	want := Instance{ID: "i-0123", Zone: "us-east-1b", PrivateIP: "10.0.1.10", PrivateDNSName: "ip-10-0-1-10.ec2.internal", Type: "m5.large"}
	aws := newFakeAWS(t, want)
	got, err := ec2Cloud{imds: aws.URL, region: "us-east-1", endpoint: aws.endpoint("kubelet.n1")}.Self(t.Context())
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if aws.calls("kubelet.n1") != 1 {
		t.Errorf("calls by caller: %v", aws.callers)
	}
}
