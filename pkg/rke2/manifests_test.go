package rke2

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A manifest is another one where its hash and its start are, and where nobody knows which
// it was.
func TestRestarted(t *testing.T) {
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
		if got := before.restarted(tt.step, migration.KCM{ID: tt.id, Hash: tt.hash, Started: tt.started}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if got := rancher.StartedAt(nil) + rancher.StartedAt(&downstream.Pod{}); got != "" {
		t.Errorf("a start of nothing: %q", got)
	}
	if got := rancher.StartedAt(&downstream.Pod{Started: time.Date(2026, 11, 22, 11, 0, 0, 0, time.FixedZone("", 3600))}); got != "2026-11-22T10:00:00Z" {
		t.Error(got)
	}
}
