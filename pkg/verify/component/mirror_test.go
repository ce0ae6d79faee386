package component

import (
	"fmt"
	"strings"
	"testing"
)

// The releases whose pkg/staticpod/staticpod.go sets POD_HASH, of all tags of
// rancher/rke2 from v1.21 to v1.28.
func TestFixedUID(t *testing.T) {
	fixed := map[string]bool{}
	for minor, patches := range map[int][2]int{23: {13, 17}, 24: {7, 16}, 25: {3, 12}, 26: {0, 7}, 27: {1, 4}} {
		for patch := patches[0]; patch <= patches[1]; patch++ {
			fixed[fmt.Sprintf("v1.%d.%d", minor, patch)] = true
		}
	}
	for minor := 21; minor <= 30; minor++ {
		for patch := 0; patch <= 20; patch++ {
			version := fmt.Sprintf("v1.%d.%d", minor, patch)
			for _, build := range []string{"+rke2r1", "+rke2r2", "-rc1+rke2r1"} {
				if got := FixedUID(version + build); got != fixed[version] {
					t.Errorf("%s: %t", version+build, got)
				}
			}
			for _, build := range []string{"", "+k3s1", "-rancher1-1", "-eks-1-26-7"} {
				if FixedUID(version + build) {
					t.Errorf("%s is no release of RKE2", version+build)
				}
			}
		}
	}
	for _, text := range []string{"", "latest", "+rke2r1", "v0.0.0-master+rke2r1", "v2.26.3+rke2r1"} {
		if FixedUID(text) {
			t.Errorf("%q", text)
		}
	}
}

func TestFrozen_fixedUIDReleases_remedyNamed(t *testing.T) {
	const hashed = "c62b2a5d9a0f5c5f6a4fd5cbf21a6e0a"
	for name, tt := range map[string]struct {
		mirror Mirror
		says   string // or empty if it shows the running process
		goTo   string
	}{
		"a repaired release":            {Mirror{Kubelet: "v1.26.13+rke2r1", Hash: hashed}, "", ""},
		"the first repaired ones":       {Mirror{Kubelet: "v1.24.17+rke2r1", Hash: hashed}, "", ""},
		"nothing known":                 {Mirror{}, "", ""},
		"RKE":                           {Mirror{Kubelet: "v1.26.3"}, "", ""},
		"by its version":                {Mirror{Kubelet: "v1.26.7+rke2r1", Hash: hashed}, "RKE2 v1.26.7+rke2r1", "v1.26.10 or later"},
		"by its variable":               {Mirror{Kubelet: "custom", Hash: hashed, PodHash: true}, "POD_HASH", "v1.25.15"},
		"by its UID":                    {Mirror{Kubelet: "", Hash: "57585a0305e4e46df816ebab263926f3"}, "57585a0305e4e46df816ebab263926f3", "v1.26.10"},
		"kubelet is newer than the pod": {Mirror{Kubelet: "v1.26.13+rke2r1", PodHash: true}, "POD_HASH", "not replaced"},
		"1.23":                          {Mirror{Kubelet: "v1.23.17+rke2r1", PodHash: true}, "RKE2 v1.23.17", "v1.24.17"},
		"1.24":                          {Mirror{Kubelet: "v1.24.9+rke2r2", PodHash: true}, "RKE2 v1.24.9", "v1.25.15 or later"},
		"1.25":                          {Mirror{Kubelet: "v1.25.3+rke2r1", PodHash: true}, "RKE2 v1.25.3", "v1.25.15 or later"},
		"1.27":                          {Mirror{Kubelet: "v1.27.4+rke2r1"}, "RKE2 v1.27.4", "v1.27.7 or later"},
	} {
		if got := tt.mirror.Frozen(); !strings.Contains(got, tt.says) || (got == "") != (tt.says == "") {
			t.Errorf("%s: %q", name, got)
		}
		if got := tt.mirror.Remedy(); !strings.Contains(got, tt.goTo) {
			t.Errorf("%s: go to %q", name, got)
		}
	}
}
