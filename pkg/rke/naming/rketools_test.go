package naming

import (
	"testing"
)

func TestToolsFor(t *testing.T) {
	for version, want := range map[string]string{
		"v1.22.4-rancher1-1": "0.1.78", "v1.22.17-rancher1-2": "0.1.88", "v1.23.6-rancher1-1": "0.1.80", "v1.23.16-rancher2-3": "0.1.88",
		"v1.24.16-rancher1-1": "0.1.88", "v1.24.17-rancher1-1": "0.1.90", "v1.25.13-rancher1-1": "0.1.90", "v1.25.14-rancher1-1": "0.1.96",
		"v1.25.16-rancher2-3": "0.1.96", "v1.26.4-rancher2-1": "0.1.89", "v1.26.8-rancher1-1": "0.1.90", "v1.26.9-rancher1-1": "0.1.96",
		"v1.26.15-rancher1-1": "0.1.96", "v1.27.14-rancher1-1": "0.1.96", "v1.27.16-rancher1-1": "0.1.100", "v1.28.12-rancher1-1": "0.1.100",
		"v1.28.13-rancher1-1": "0.1.102", "v1.30.2-rancher1-1": "0.1.100", "v1.31.1-rancher1-1": "0.1.103", "v1.32.0-rancher1-1": "0.1.103",
		// The first version with each rke-tools, and the last before the next.
		"v1.22.6-rancher1-1": "0.1.78", "v1.22.7-rancher1-1": "0.1.80", "v1.22.10-rancher1-1": "0.1.80",
		"v1.22.11-rancher1-1": "0.1.87", "v1.22.15-rancher1-1": "0.1.87", "v1.22.16-rancher1-1": "0.1.88", "v1.23.4-rancher1-1": "0.1.80",
		"v1.23.7-rancher1-1": "0.1.80", "v1.23.8-rancher1-1": "0.1.87", "v1.23.13-rancher1-1": "0.1.87", "v1.23.14-rancher1-1": "0.1.88",
		"v1.24.2-rancher1-1": "0.1.87", "v1.24.7-rancher1-1": "0.1.87", "v1.24.8-rancher1-1": "0.1.88", "v1.25.6-rancher1-1": "0.1.87",
		"v1.25.8-rancher1-1": "0.1.87", "v1.25.9-rancher1-1": "0.1.88", "v1.25.12-rancher1-1": "0.1.88", "v1.26.7-rancher1-1": "0.1.89",
		"v1.27.6-rancher1-1": "0.1.96", "v1.27.15-rancher1-1": "0.1.100", "v1.28.7-rancher1-1": "0.1.96", "v1.28.10-rancher1-1": "0.1.96",
		"v1.28.11-rancher1-1": "0.1.100", "v1.28.14-rancher1-1": "0.1.103", "v1.29.6-rancher1-1": "0.1.100", "v1.29.7-rancher1-1": "0.1.100",
		"v1.29.8-rancher1-1": "0.1.102", "v1.29.9-rancher1-1": "0.1.103", "v1.30.3-rancher1-1": "0.1.100", "v1.30.4-rancher1-1": "0.1.102",
		"v1.30.5-rancher1-1": "0.1.103",
	} {
		if got := toolsFor(version); got == nil || got.String() != want {
			t.Errorf("%s: %v, want %s", version, got, want)
		}
	}
	for _, version := range []string{"", "v1.21.14-rancher1-1", "v1.22.3-rancher1-1", "v1.23.3-rancher1-1", "v1.24.1-rancher1-1", "v1.25.5-rancher1-1", "v1.26.1-rancher1-1",
		"v1.26.3-rancher1-1", "v1.27.5-rancher1-1", "v1.28.6-rancher1-1", "v1.29.5-rancher1-1", "v1.30.1-rancher1-1", "v2.26.9-rancher1-1", "v0.26.9-rancher1-1", "latest"} {
		if got := toolsFor(version); got != nil {
			t.Errorf("%q: %v out of thin air", version, got)
		}
	}
}

// The image name may have no version, or belong to another image.
func TestToolsOf(t *testing.T) {
	for image, want := range map[string]string{
		"rancher/rke-tools:v0.1.96": "0.1.96", "mirror.example/rancher/rke-tools:v0.1.96@sha256:00": "0.1.96", "rke-tools:v0.1.96": "0.1.96", "rancher/rke-tools:v0.1.96-rc1": "0.1.96-rc1",
		"rancher/rke-tools@sha256:00": "", "rancher/my-rke-tools:v0.1.96": "", "rancher/hyperkube:v1.26.9": "", "rancher/rke-tools:latest": "", "rancher/rke-tools:v0.1.96.2.1": "", "rancher/rke-tools:v0..1": "", "": "",
	} {
		got := toolsOf(image)
		if (got == nil) != (want == "") || got != nil && got.String() != want {
			t.Errorf("%q: %v, want %q", image, got, want)
		}
	}
}
