package node

import (
	"slices"
	"testing"
)

func TestRefusedProvider(t *testing.T) {
	for _, tt := range []struct {
		component, version, provider string
		ends                         bool
	}{
		{KubeControllerManager, "v1.26.13+rke2r1", "aws", false},
		{KubeControllerManager, "v1.27.16+rke2r1", "aws", true},
		{Kubelet, "v1.27.16", "aws", true},
		{Kubelet, "v1.27.16+rke2r1", "external", false},
		{KubeAPIServer, "v1.28.15+rke2r1", "aws", false},
		{KubeAPIServer, "v1.29.8+rke2r1", "aws", true},
		{KubeAPIServer, "v1.29.8+rke2r1", "external", false},
	} {
		if err := refusedProvider(tt.component, tt.version, []string{"--cloud-provider=" + tt.provider}); (err != nil) != tt.ends {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// Releases that drop the name aws start every component without it, and name the Node by the
// metadata service.
func TestDropsInTree(t *testing.T) {
	for version, drops := range map[string]bool{"v1.28.15+rke2r1": false, "v1.29.10+rke2r1": false, "v1.29.11+rke2r1": true, "v1.30.6+rke2r1": false,
		"v1.30.7+rke2r1": true, "v1.31.2+rke2r1": false, "v1.31.3+rke2r1": true, "v1.32.0+rke2r1": true} {
		c := config(t, `{"cloud-provider-name":"aws","node-name":"given"}`)
		r, err := Render(c, facts(), "n1", version)
		if err != nil {
			t.Fatal(err)
		}
		if given := slices.Contains(static(t, r, KubeAPIServer), "--cloud-provider=aws"); given == drops {
			t.Errorf("%s: kube-apiserver gets aws: %t", version, given)
		}
		name := rke2NodeName(c, facts(), version, func() string { return "by-metadata" })
		if want := map[bool]string{true: "by-metadata", false: "given"}[drops]; name != want {
			t.Errorf("%s: name %s, wanted %s", version, name, want)
		}
	}
}
