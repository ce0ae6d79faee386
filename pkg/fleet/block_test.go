package fleet

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// Every writing step is in one block of its goal, in the procedure's order, and no block ends
// with a cordon by awsmigrate.
func TestBlocks(t *testing.T) {
	var forward, back []v1alpha1.Step
	for _, info := range procedure.StepInfos() {
		if info.Irreversible == "" && info.ID != "preflight" {
			forward = append(forward, v1alpha1.Step(info.ID))
		}
	}
	for _, info := range procedure.UndoStepInfos() {
		if info.ID != "undo-preflight" {
			back = append(back, v1alpha1.Step(info.ID))
		}
	}
	uncordoned := slices.Insert(slices.Clone(back), slices.Index(back, "undo-install-ccm"), "uncordon")
	handed := slices.DeleteFunc(slices.Clone(forward), func(s v1alpha1.Step) bool { return s == "cordon" })
	for _, tt := range []struct {
		goal  v1alpha1.Goal
		edits v1alpha1.Edits
		want  []v1alpha1.Step
	}{
		{v1alpha1.GoalMigrate, v1alpha1.EditsApply, forward},
		{v1alpha1.GoalMigrate, v1alpha1.EditsHandoff, handed},
		{v1alpha1.GoalUndo, v1alpha1.EditsApply, append(uncordoned, "verify")},
		{v1alpha1.GoalUndo, v1alpha1.EditsHandoff, append(uncordoned, "verify")},
		{v1alpha1.GoalAudit, v1alpha1.EditsApply, nil},
	} {
		blocks := Blocks(tt.goal, tt.edits)
		var all []v1alpha1.Step
		for _, b := range blocks {
			all = append(all, b...)
			if slices.Contains(b, "cordon") && !slices.Contains(b, "uncordon") {
				t.Errorf("%s, %s: %v ends cordoned", tt.goal, tt.edits, b)
			}
		}
		if !slices.Equal(all, tt.want) {
			t.Errorf("%s, %s: %v, wanted %v", tt.goal, tt.edits, all, tt.want)
		}
		for _, step := range all {
			if !slices.Contains(BlockOf(blocks, step), step) {
				t.Errorf("%s is in no block", step)
			}
		}
		if b := BlockOf(blocks, "preflight"); b != nil {
			t.Errorf("preflight is in %v", b)
		}
	}
}
