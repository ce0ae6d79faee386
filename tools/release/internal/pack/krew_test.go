package pack

import (
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"
)

// The manifest passes krew's own rules (kubernetes-sigs/krew:pkg/index/validation): a safe
// name, one matching selector for each platform, a digest, a relative binary.
func TestKrewManifest(t *testing.T) {
	v, err := ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	archives := map[Platform]Download{}
	for _, p := range Platforms() {
		archives[p] = Download{Address: "https://example/" + p.String() + ".tar.gz", Data: []byte(p.String())}
	}
	text, err := KrewManifest(Plugin{Name: "awsmigrate", Home: "https://example", Short: "short", Description: "long", Binary: "kubectl-awsmigrate", Version: v}, archives)
	if err != nil {
		t.Fatal(err)
	}
	var m krewPlugin
	if err := yaml.UnmarshalStrict(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || m.Kind != "Plugin" || m.Metadata["name"] != "awsmigrate" || m.Spec.Version != "v0.1.0" || m.Spec.ShortDescription != "short" {
		t.Errorf("%s", text)
	}
	seen := map[Platform]bool{}
	for _, p := range m.Spec.Platforms {
		platform := Platform{OS: p.Selector.MatchLabels["os"], Arch: p.Selector.MatchLabels["arch"]}
		seen[platform] = true
		if p.SHA256 != Digest(archives[platform].Data) || p.URI != archives[platform].Address || p.Bin != "kubectl-awsmigrate" || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(p.SHA256) {
			t.Errorf("%v: %+v", platform, p)
		}
	}
	if len(seen) != len(Platforms()) {
		t.Errorf("the platforms are %v", seen)
	}
}
