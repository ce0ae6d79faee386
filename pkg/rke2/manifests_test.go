package rke2

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// A manifest is new if its hash differs and its start is not earlier, or if the journal does
// not hold it.
func TestUnrestarted_manifests_compared(t *testing.T) {
	before := manifests{"a": {Step: migration.StepEnable, Hash: "h", Started: "2026-11-22T10:00:00Z"}}
	for name, tt := range map[string]struct {
		id, hash, started string
		step              journal.StepID
		want              bool
	}{
		"the same":                       {"a", "h", "2026-11-22T10:00:00Z", migration.StepEnable, false},
		"another, in the same second":    {"a", "i", "2026-11-22T10:00:00Z", migration.StepEnable, true},
		"another, later":                 {"a", "i", "2026-11-22T10:00:01Z", migration.StepEnable, true},
		"another, from before":           {"a", "i", "2026-11-22T09:59:59Z", migration.StepEnable, false},
		"another, whose start is not so": {"a", "i", "", migration.StepEnable, false},
		"the same, started again":        {"a", "h", "2026-11-22T10:00:09Z", migration.StepEnable, false},
		"before another step":            {"a", "h", "2026-11-22T10:00:00Z", migration.StepSwitch, true},
		"one that was not there":         {"b", "h", "2026-11-22T10:00:00Z", migration.StepEnable, true},
	} {
		if got := !before.unrestarted(tt.step, []migration.KCM{{ID: tt.id, Hash: tt.hash, Started: tt.started}})[tt.id]; got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
