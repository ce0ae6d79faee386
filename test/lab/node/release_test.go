package node

import "testing"

func TestImageVersion(t *testing.T) {
	for image, want := range map[string]string{
		"rancher/hyperkube:v1.26.9-rancher1":                                        "v1.26.9",
		"index.docker.io/rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117": "v1.26.13+rke2r1",
		"registry.local:5000/rancher/system-agent-installer-rke2:v1.27.16-rke2r1":   "v1.27.16+rke2r1",
		staticImage(KubeAPIServer, rke2Version):                                     rke2Version,
	} {
		if got := imageVersion(image); got != want {
			t.Errorf("%s: %q, wanted %q", image, got, want)
		}
	}
}
