package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// A change of the wish in the middle of a block ends the block before its next step. The
// controller makes no further edit of the Cluster, and the object names the changed field.
func TestControllerWish(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		behind       journal.StepID // the last step that begins for the first wish
		field, state string
		value        any
	}{
		"first_block_edits_handed_off":  {migration.StepLeaseAccess, "edits", "Awaiting-Approval", "Handoff"},
		"first_block_edits_emptied":     {migration.StepLeaseAccess, "edits", "Awaiting-Owner", ""},
		"second_block_edits_handed_off": {migration.StepInstall, "edits", "Awaiting-Approval", "Handoff"},
		"second_block_edits_emptied":    {migration.StepInstall, "edits", "Awaiting-Owner", ""},
		"second_block_option_changed":   {migration.StepInstall, "options", "Awaiting-Approval", object{"ownerInformed": []any{"terraform"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := controlled(t)
			changed := false
			o := pod{Next: true, Before: func(c Call) Outcome {
				if !changed && len(list(w.journalObject(), "intents")) > 0 && w.lastStep() == tt.behind {
					changed = true
					specs(tt.field, tt.value)(w)
				}
				if changed && edits(c) {
					t.Errorf("after the change: %s", c)
				}
				return Pass
			}}
			first := person{w: w, last: "Migrate"}
			if !awaitWithin(t, 3*time.Hour, o, w, func() bool {
				if !changed {
					first.act()
				}
				return changed && w.shows(tt.state)
			}) {
				t.Fatalf("the controller does not stop: %s", must(jsonOf(at(w.migration(), "status"))))
			}
			if says := text(w.migration(), "status", "display", "message"); !strings.Contains(says, "spec."+tt.field) {
				t.Errorf("the message is %q", says)
			}
			if awaitWithin(t, time.Hour, o, w, func() bool { return false }) || len(w.Violations()) > 0 {
				t.Error(w.Violations())
			}
		})
	}
}
