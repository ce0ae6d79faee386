package clusterfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// rancherKey is the key under which Rancher nests a cluster.yml.
const rancherKey = "rancher_kubernetes_engine_config"

// editedKeys returns the top-level keys below which a migration edits. Duplicates of these are
// refused at once; duplicates further down the path are refused when an edit is computed.
func editedKeys() []string { return []string{"services", "cloud_provider", "kubernetes_version"} }

// unfit returns an error for top-level keys that show that the file is no editable cluster.yml.
func unfit(d *yamltext.Document) error {
	seen := map[string]int{}
	top := d.Root().Content
	for i := 0; i < len(top); i += 2 {
		k := top[i]
		if first, twice := seen[k.Value]; twice && k.Kind == yaml.ScalarNode && slices.Contains(editedKeys(), k.Value) {
			return d.Twice(k, k.Value, first)
		}
		seen[k.Value] = k.Line
		if k.Value == rancherKey {
			return (&refusal{
				reason: ReasonRancherYAML, line: k.Line,
				seen:   rancherKey + " at top level: this is the YAML of a cluster that Rancher manages, and rke ignores all below that key",
				wanted: "the cluster.yml of the rke command line",
				fix:    "for a cluster managed by Rancher run `awsmigrate rke --cluster NAME`",
			}).in(d.Name())
		}
	}
	return nil
}
