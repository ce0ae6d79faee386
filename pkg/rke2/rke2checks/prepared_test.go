package rke2checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Both edits must be computable before a run begins, unless the cluster is switched or its
// end state is unknown.
func TestPrepare_edits_tried(t *testing.T) {
	for name, tt := range map[string]struct {
		odd, undecided, switched bool
		fails                    bool
	}{
		"they have": {}, "one has not": {odd: true, fails: true}, "switched": {odd: true, switched: true}, "not decided": {odd: true, undecided: true},
	} {
		p := sound()
		if tt.odd {
			p.Cluster.Spec.Global["kube-controller-manager-arg"] = map[string]any{"a": "b"}
		}
		wanted := EndOverrides
		if tt.undecided {
			p.Down.Nodes[0].Labels["kubernetes.io/hostname"] = "other"
		}
		got := Prepare(p.Facts, p.Reading, migration.Prepared{}, Options{EndState: wanted}, tt.switched)
		if (got.EditErr != nil) != tt.fails || (got.ChoiceErr != nil) != tt.undecided {
			t.Errorf("%s: %v, %v", name, got.EditErr, got.ChoiceErr)
		}
	}
}
