package rke

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
)

// The edit removes the key in any notation: a later value in it would restore the in-tree
// provider.
func TestSwitchEdit_awsCloudProvider_removed(t *testing.T) {
	const rest = "nodes:\n  - address: 10.0.0.1\n    user: u\n    role: [controlplane, etcd, worker]\n"
	for _, block := range []string{"  awsCloudProvider:\n", "  awsCloudProvider: ~\n", "  awsCloudProvider: null # none\n", "  awsCloudProvider: {}\n", "  awsCloudProvider:\n    global: {vpc: x}\n", ""} {
		text := "cloud_provider:\n  name: aws\n" + block + rest
		file, err := clusterfile.Parse("cluster.yml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		edit, err := switchEdit(file, naming.Rule{UseMetadata: true}, yamltext.Made{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(edit.After), "awsCloudProvider") || !strings.Contains(string(edit.After), "external-aws") {
			t.Errorf("%q: left\n%s", block, edit.After)
		}
		left, err := clusterfile.Parse("cluster.yml", []byte(strings.Replace(string(edit.After), "  name:", "  awsCloudProvider:\n  name:", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := switchEdit(left, naming.Rule{UseMetadata: true}, yamltext.Made{}); err != nil || !again.Empty() {
			t.Errorf("an empty key in a file that is switched: %v\n%s", err, again.Diff())
		}
		after, err := clusterfile.Parse("cluster.yml", edit.After)
		if err != nil {
			t.Fatal(err)
		}
		back, err := after.Undo(edit.Receipt(), edit.Before)
		if err != nil || string(back.After) != text {
			t.Errorf("%q: undo: %v\n%s", block, err, back.After)
		}
	}
}
