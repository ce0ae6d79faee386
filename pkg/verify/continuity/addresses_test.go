package continuity

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func addressed(list ...string) downstream.Node {
	n := aNode(1)
	n.Addresses = nil
	for _, one := range list {
		kind, address, _ := strings.Cut(one, "=")
		n.Addresses = append(n.Addresses, downstream.Address{Type: kind, Address: address})
	}
	return n
}

// Clients use the first address of a type; the order of the others does not count. Every CCM
// writes the private DNS name as host name.
func TestAddresses(t *testing.T) {
	const dns = "InternalDNS=ip-10-0-0-1.ec2.internal"
	for name, tt := range map[string]struct {
		then, now []string
		status    verify.Status // "" for no finding
		seen      string
		sentence  string // of the comparison
		same      int
	}{
		"unchanged_silent": {[]string{"InternalIP=10.0.0.1", dns}, []string{"InternalIP=10.0.0.1", dns}, "", "", "in any order", 1},
		"first internal address_warns": {[]string{"InternalIP=10.0.0.1", "InternalIP=10.0.1.1"}, []string{"InternalIP=10.0.1.1", "InternalIP=10.0.0.1"},
			verify.Warn, "InternalIP 10.0.1.1, 10.0.0.1", "first InternalIP changed on 1", 0},
		"first external address_warns": {[]string{"ExternalIP=1.0.0.1", "ExternalIP=1.0.1.1"}, []string{"ExternalIP=1.0.1.1", "ExternalIP=1.0.0.1"},
			verify.Warn, "ExternalIP 1.0.1.1, 1.0.0.1", "ExternalIP changed on 1", 0},
		"order of the others_silent": {[]string{"InternalIP=10.0.0.1", "InternalIP=10.0.1.1", "InternalIP=10.0.2.1"},
			[]string{"InternalIP=10.0.0.1", "InternalIP=10.0.2.1", "InternalIP=10.0.1.1"}, "", "", "in any order", 1},
		"order of types_silent": {[]string{"Hostname=a", "InternalIP=10.0.0.1"}, []string{"InternalIP=10.0.0.1", "Hostname=a"}, "", "", "in any order", 1},
		"repetition_silent":     {[]string{"InternalIP=10.0.0.1", "Hostname=a", "Hostname=a"}, []string{"InternalIP=10.0.0.1", "Hostname=a"}, "", "", "in any order", 1},
		"further one lost_warns": {[]string{"InternalIP=10.0.0.1", "InternalIP=10.0.1.1"}, []string{"InternalIP=10.0.0.1"},
			verify.Warn, "InternalIP 10.0.0.1", "; InternalIP changed on 1", 0},
		"hostname becomes private DNS name_noted": {[]string{"InternalIP=10.0.0.1", dns, "Hostname=10.0.0.1"},
			[]string{"InternalIP=10.0.0.1", dns, "Hostname=ip-10-0-0-1.ec2.internal"}, verify.OK, "it was Hostname 10.0.0.1", "Hostname is the private DNS name now on 1", 1},
		"hostname becomes another_warns": {[]string{"InternalIP=10.0.0.1", dns, "Hostname=a"}, []string{"InternalIP=10.0.0.1", dns, "Hostname=b"},
			verify.Warn, "Hostname b", "Hostname changed on 1", 0},
		"hostname and first address_warns": {[]string{"InternalIP=10.0.0.1", "InternalIP=10.0.1.1", dns, "Hostname=a"},
			[]string{"InternalIP=10.0.1.1", "InternalIP=10.0.0.1", dns, "Hostname=ip-10-0-0-1.ec2.internal"}, verify.Warn, "InternalIP 10.0.1.1", "first InternalIP changed on 1", 0},
		"all lost_warns": {[]string{"InternalIP=10.0.0.1"}, nil, verify.Warn, "InternalIP none", "InternalIP changed on 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			fp, err := Take(facts(addressed(tt.then...)), cloud.Facts{})
			if err != nil {
				t.Fatal(err)
			}
			got := Addresses(fp, []downstream.Node{addressed(tt.now...)})
			if len(got) > 1 || (len(got) == 1) != (tt.status != "") {
				t.Fatalf("findings %+v", got)
			}
			if len(got) == 1 && (got[0].Status != tt.status || !strings.Contains(got[0].Seen, tt.seen)) {
				t.Errorf("finding %+v, want %s with %q", got[0], tt.status, tt.seen)
			}
			for _, c := range fp.Compare(facts(addressed(tt.now...)), cloud.Facts{}, nil) {
				if c.Kind == "addresses of nodes" && (c.Same != tt.same || !strings.Contains(c.By, tt.sentence)) {
					t.Errorf("compared %+v, want %d with %q", c, tt.same, tt.sentence)
				}
			}
		})
	}
}

// If the first internal address changed, the finding names the argument that keeps it.
func TestAddresses_firstMoved_namesNodeIP(t *testing.T) {
	fp, err := Take(facts(addressed("InternalIP=10.0.9.1", "InternalIP=10.0.1.1")), cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	got := Addresses(fp, []downstream.Node{addressed("InternalIP=10.0.1.1", "InternalIP=10.0.9.1")})
	if len(got) != 1 || !strings.Contains(got[0].Fix, "node-ip=10.0.9.1") {
		t.Errorf("findings %+v", got)
	}
}
