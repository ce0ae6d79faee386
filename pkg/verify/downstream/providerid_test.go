package downstream

import (
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for id, want := range map[string]ProviderIDKind{
		"":                                      NoProviderID,
		"aws:///us-east-1a/i-0123456789abcdef0": InstanceID,
		"aws:///us-west-2-lax-1a/i-01234567":    InstanceID,
		"aws:///us-west-2a/2ea696a557-9e55466d21eb4f83a99a9aa396bbd134/fargate-ip-10-0-55-27.us-west-2.compute.internal": FargateID,
		"aws:///us-west-2c/1abc-2def/fargate-192.168.164.88":                                                             FargateID,
		"gce://project/us-central1-a/gke-1":                                                                              ForeignProviderID,
		"azure:///subscriptions/x/resourceGroups/y/providers/Microsoft.Compute/virtualMachines/z":                        ForeignProviderID,
		"digitalocean://1234":                               ForeignProviderID,
		"rke2://worker-1":                                   ForeignProviderID,
		"k3s://worker-1":                                    ForeignProviderID,
		"openstack:///uuid":                                 ForeignProviderID,
		"something":                                         ForeignProviderID,
		"i-0123456789abcdef0":                               BadProviderID,
		"aws:////i-01234567":                                BadProviderID,
		"aws://us-east-1a/i-01234567":                       BadProviderID,
		"aws:///us-east-1a/i-0123456G":                      BadProviderID,
		"aws:///us-east-1a/I-01234567":                      BadProviderID,
		"aws:///us-east-1a/i-01234567/":                     BadProviderID,
		"aws:///us-east-1a/i-01234567\n":                    BadProviderID,
		"aws:///us-east-1a/i-0123456７":                      BadProviderID, // a full-width digit
		"aws:///us-еast-1a/i-01234567":                      BadProviderID, // a Cyrillic е
		"aws:///us-east-1a/i-01234567\u200b":                BadProviderID,
		"aws:///us-east-1a/\x1b[31mi-01234567":              BadProviderID,
		"aws:///us-east-1a/i-01234567\xff":                  BadProviderID,
		"aws:///us-east-1a/i-" + strings.Repeat("a", 1<<20): BadProviderID,
		"aws:///us-east-1a/x/fargate-\x1b[2J":               BadProviderID,
	} {
		kind, _ := KindOf(id)
		if kind != want {
			t.Errorf("%.80q is %s, want %s", id, kind, want)
		}
		if _, _, ok := ParseProviderID(id); ok != (want == InstanceID) {
			t.Errorf("%.80q parses: %v", id, ok)
		}
	}
}

// Whatever is written there, it is an instance's only in the one form that EC2
// can be asked for without a change.
func FuzzKindOf(f *testing.F) {
	for _, s := range []string{"aws:///us-east-1a/i-01234567", "gce://a/b/c", "aws:////i-1", "\x00", "aws:///a/b/fargate-c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		kind, _ := KindOf(id)
		zone, instance, ok := ParseProviderID(id)
		if ok != (kind == InstanceID) {
			t.Fatalf("%q is %s and parses: %v", id, kind, ok)
		}
		if ok && "aws:///"+zone+"/"+instance != id {
			t.Fatalf("%q is taken for %q in %q", id, instance, zone)
		}
		if kind == FargateID && hidden(id) {
			t.Fatalf("%q is taken for Fargate", id)
		}
	})
}
