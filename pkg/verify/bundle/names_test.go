package bundle

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A bundle with names that no API server accepts is rejected.
func TestDecode_impossibleNames_refused(t *testing.T) {
	for name, change := range map[string]func(*evidence.Input, string){
		"Node": func(in *evidence.Input, s string) { in.Nodes = verify.Got([]downstream.Node{{Name: s}}) },
		"Pod": func(in *evidence.Input, s string) {
			in.StaticPods = verify.Got([]downstream.Pod{{Namespace: s, Name: "a"}})
		},
		"Workload": func(in *evidence.Input, s string) {
			in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Name: s}}})
		},
		"Object": func(in *evidence.Input, s string) {
			in.CCMObjects = verify.Got([]downstream.Object{{Kind: "Role", Name: s}})
		},
		"Release":    func(in *evidence.Input, s string) { in.Releases = verify.Got([]downstream.Release{{Namespace: s}}) },
		"Pod's Node": func(in *evidence.Input, s string) { in.CCMPods = verify.Got([]downstream.Pod{{Name: "a", Node: s}}) },
	} {
		t.Run(name, func(t *testing.T) {
			for text, bad := range map[string]bool{
				"ip-10-0-0-1.ec2.internal": false, "system:cloud-controller-manager": false,
				"$(touch X)": true, "a b": true, "a;b": true, "-n": true, "a/b": true, "a\nb": true, strings.Repeat("a", 254): true,
			} {
				b := Bundle{Target: Target{Kind: "rke2", Name: "demo"}}
				change(&b.Input, text)
				saved, err := Encode(b, NewRedactor())
				if err != nil {
					t.Fatal(err)
				}
				_, err = Decode("file x", saved)
				if (err != nil) != bad || bad && !strings.Contains(err.Error(), "no API server") {
					t.Errorf("%q: %v", text, err)
				}
			}
		})
	}
}

// A mount of a machine's folder has its path as name: every static pod of RKE2 has some.
func TestDecode_hostPaths(t *testing.T) {
	for mount, bad := range map[downstream.Mount]bool{
		{Path: "/etc/ssl/certs", Kind: "HostPath", Name: "/etc/ssl/certs"}: false,
		{Path: "/x", Kind: "HostPath", Name: "/var/lib/my data"}:           false,
		{Path: "/x", Kind: "HostPath", Name: "relative"}:                   false, // as any name
		{Path: "/x", Kind: "HostPath", Name: "-n"}:                         true,
		{Path: "/x", Kind: "HostPath", Name: "/a\x1b[2J"}:                  true,
		{Path: "/x", Kind: "Secret", Name: "/etc/ssl/certs"}:               true,
	} {
		b := Bundle{Target: Target{Kind: "rke2", Name: "demo"}}
		b.Input.StaticPods = verify.Got([]downstream.Pod{{Name: "a", Containers: []downstream.Container{{Name: "a", Mounts: []downstream.Mount{mount}}}}})
		saved, err := Encode(b, NewRedactor())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode("file x", saved); (err != nil) != bad {
			t.Errorf("%+v: %v", mount, err)
		}
	}
}
