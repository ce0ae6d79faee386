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
		"i-0123456789abcdef0":                               OtherForm,
		"us-east-1a/i-01234567":                             OtherForm,
		"aws:////i-01234567":                                OtherForm,
		"aws:///i-01234567":                                 OtherForm,
		"aws://us-east-1a/i-01234567":                       OtherForm,
		"aws:///rack/us-east-1a/i-01234567":                 OtherForm,
		"aws:///us-east-1a/i-01234567?x=y":                  OtherForm,
		"rke2://i-01234567":                                 ForeignProviderID,
		"gce://p/z/i-01234567":                              ForeignProviderID,
		"aws:///us-east-1a/i-0123456G":                      BadProviderID,
		"aws:///us-east-1a/I-01234567":                      BadProviderID,
		"aws:///us-east-1a/i-01234567/":                     OtherForm,
		"aws:///us-east-1a/i-01234567/x":                    BadProviderID,
		"i-01234567.eu-west-1.compute.internal":             BadProviderID,
		"aws:///us-east-1a/i-01234567\n":                    BadProviderID,
		"aws:///us-east-1a/i-0123456７":                      BadProviderID, // a full-width digit
		"aws:///us-еast-1a/i-01234567":                      OtherForm,     // a Cyrillic е
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
		if _, _, ok := ParseProviderID(id); ok != (want == InstanceID || want == OtherForm) {
			t.Errorf("%.80q parses: %v", id, ok)
		}
	}
}

// ParseProviderID reads the zone only from its own place.
func TestParseProviderID_otherForms_zone(t *testing.T) {
	for id, want := range map[string]string{
		"aws:///us-east-1a/i-01234567": "us-east-1a", "aws:///us-east-1a/i-01234567/": "us-east-1a", "aws://us-east-1a/i-01234567": "us-east-1a",
		"us-east-1a/i-01234567": "us-east-1a", "aws:///rack/us-east-1a/i-01234567": "us-east-1a",
		"i-01234567": "", "aws:////i-01234567": "", "aws:///us-еast-1a/i-01234567": "",
	} {
		if zone, instance, ok := ParseProviderID(id); zone != want || instance != "i-01234567" || !ok {
			t.Errorf("%q: instance %q in %q, want zone %q", id, instance, zone, want)
		}
	}
}

// Only an ID that EC2 accepts makes an instance, and only the usual form is InstanceID.
func FuzzKindOf(f *testing.F) {
	for _, s := range []string{"aws:///us-east-1a/i-01234567", "gce://a/b/c", "aws:////i-1", "\x00", "aws:///a/b/fargate-c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		kind, _ := KindOf(id)
		zone, instance, ok := ParseProviderID(id)
		if ok != (kind == InstanceID || kind == OtherForm) {
			t.Fatalf("%q is %s and parses: %v", id, kind, ok)
		}
		if ok && (!strings.HasPrefix(instance, "i-") || hasUnprintable(zone+instance)) {
			t.Fatalf("%q is taken for %q in %q", id, instance, zone)
		}
		if (kind == InstanceID) != (ok && zone != "" && "aws:///"+zone+"/"+instance == id) {
			t.Fatalf("%q is taken for %q in %q", id, instance, zone)
		}
		if kind == FargateID && hasUnprintable(id) {
			t.Fatalf("%q is taken for Fargate", id)
		}
	})
}
