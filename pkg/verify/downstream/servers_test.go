package downstream

import "testing"

// The oldest and the newest version are those of any control plane, also in a rollout that
// stopped.
func TestServerVersions_evidence_oldestAndNewest(t *testing.T) {
	planes := func(kubelets ...string) []Node {
		var nodes []Node
		for _, version := range kubelets {
			nodes = append(nodes, Node{Kubelet: version})
		}
		return nodes
	}
	server := func(image string) []Pod { return []Pod{{Containers: []Container{{Image: image}}}} }
	for name, tt := range map[string]struct {
		known          string
		planes         []Node
		servers        []Pod
		oldest, newest string
	}{
		"nothing but its version":        {"v1.26.15+rke2r1", nil, nil, "v1.26.15+rke2r1", "v1.26.15+rke2r1"},
		"all alike":                      {"v1.26.15+rke2r1", planes("v1.26.15+rke2r1", "v1.26.15+rke2r1"), nil, "v1.26.15+rke2r1", "v1.26.15+rke2r1"},
		"another patch":                  {"v1.26.15+rke2r1", planes("v1.26.13+rke2r1"), nil, "v1.26.15+rke2r1", "v1.26.15+rke2r1"},
		"one is still old":               {"v1.28.15+rke2r1", planes("v1.28.15+rke2r1", "v1.27.16+rke2r2"), nil, "v1.27.16+rke2r2", "v1.28.15+rke2r1"},
		"one is new already":             {"v1.27.16+rke2r2", planes("v1.28.15+rke2r1", "v1.27.16+rke2r2"), nil, "v1.27.16+rke2r2", "v1.28.15+rke2r1"},
		"a server is older than kubelet": {"v1.28.15+rke2r1", planes("v1.28.15+rke2r1"), server("rancher/hardened-kubernetes:v1.27.16-rke2r2-build20240717"), "v1.27.16", "v1.28.15+rke2r1"},
		"an image without a version":     {"v1.28.15+rke2r1", planes(""), server("r/k@sha256:00"), "v1.28.15+rke2r1", "v1.28.15+rke2r1"},
		"its version is not known":       {"", planes("v1.27.16+rke2r2", "v1.28.15+rke2r1"), nil, "v1.27.16+rke2r2", "v1.28.15+rke2r1"},
		"nothing is":                     {"", nil, nil, "", ""},
	} {
		if oldest, newest := ServerVersions(tt.known, tt.planes, tt.servers); oldest != tt.oldest || newest != tt.newest {
			t.Errorf("%s: %s to %s, want %s to %s", name, oldest, newest, tt.oldest, tt.newest)
		}
	}
}
