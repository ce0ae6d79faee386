package migration

import "testing"

// The host name that an identity begins with is the Node's, the member's, or the one that
// Rancher makes of the infrastructure object.
func TestKCMOnAHost(t *testing.T) {
	r := Reading{KCMs: []KCM{
		{Member: "demo-cp-6dfb8c9dd4-ls2tm", Node: "ip-10-0-1-10.ec2.internal", Infrastructure: "demo-cp-8e21cf0a-x7k2p"},
		{Member: "demo-cp-6dfb8c9dd4-9vq4z", Node: "ip-10-0-1-11.ec2.internal", Infrastructure: "demo-cp-8e21cf0a-4m5tt"},
	}}
	for host, want := range map[string]string{
		"demo-cp-8e21cf0a-x7k2p": "ip-10-0-1-10.ec2.internal", "demo-cp-8e21cf0a-4m5tt.corp.example": "ip-10-0-1-11.ec2.internal",
		"ip-10-0-1-11": "ip-10-0-1-11.ec2.internal", "demo-cp-6dfb8c9dd4-9vq4z": "ip-10-0-1-11.ec2.internal", "demo-cp-8e21cf0a": "", "": "",
	} {
		if k, there := r.KCMOn(host); k.Node != want || there != (want != "") {
			t.Errorf("on %q: %+v, wanted Node %q", host, k, want)
		}
	}
}
