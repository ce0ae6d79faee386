package naming

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

// The rke-tools of the current and the target version decide about the names that a file alone
// implies.
func TestAssume(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		text, target string
		basis        Basis
		use          *bool
		says         string
	}{
		"it is switched":             {"cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}\n", "", OfFile, &yes, "names as the file says."},
		"switched, and silent":       {"cloud_provider: {name: external-aws}\n", "", OfFile, nil, "names as the file says."},
		"tools that name it":         {"kubernetes_version: v1.26.9-rancher1-1\n", "", OfTools, &yes, "assumes useInstanceMetadataHostname: true;"},
		"and those of the target":    {"kubernetes_version: v1.26.9-rancher1-1\n", "v1.27.16-rancher1-1", OfTools, &yes, "assumes useInstanceMetadataHostname: true;"},
		"tools that do not":          {"kubernetes_version: v1.22.4-rancher1-1\n", "", OfTools, &no, "since the rke-tools of v1.22.4-rancher1-1 (v0.1.78) do not name the kubelet"},
		"the target's do":            {"kubernetes_version: v1.22.4-rancher1-1\n", "v1.26.9-rancher1-1", OfTools, &no, "since the rke-tools of v1.22.4-rancher1-1 (v0.1.78) do not"},
		"the target's are not known": {"kubernetes_version: v1.26.9-rancher1-1\n", "v1.21.1-rancher1-1", Unknown, &no, "the rke-tools of v1.21.1-rancher1-1 name the kubelet"},
		"neither is known":           {"kubernetes_version: v1.20.1-rancher1-1\n", "v1.21.1-rancher1-1", Unknown, &no, "the rke-tools of v1.20.1-rancher1-1, v1.21.1-rancher1-1 name"},
		"no version":                 {"cluster_name: a\n", "", Unknown, &no, "the rke-tools of a version that the file does not name"},
	} {
		file, err := clusterfile.Parse("cluster.yml", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		got := Assume(file.Config(), tt.target)
		if got.Basis != tt.basis || (got.UseInstanceMetadataHostname == nil) != (tt.use == nil) || tt.use != nil && *got.UseInstanceMetadataHostname != *tt.use || !strings.Contains(got.String(), tt.says) {
			t.Errorf("%s: %+v, %s", name, got, got)
		}
		if got.Rule().UseMetadata != (tt.use == &yes) {
			t.Errorf("%s: %+v", name, got.Rule())
		}
	}
}
