package recording

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A run records the mode of kube-controller-managers at its start and after a step that changes
// it. Between these, and after a failed step, the mode is unknown.
func TestWrapSink_modes(t *testing.T) {
	r := &Recording{}
	mode := func(e runner.Event) record.Mode {
		one := r.entries(About{}, e)[0]
		for _, entry := range r.entries(About{}, e) {
			if entry.Step != nil || entry.Run != nil {
				one = entry
			}
		}
		if one.Run != nil {
			return one.Run.Mode
		}
		return one.Step.Mode
	}
	for pos, want := range map[string]record.Mode{position.P0.String(): record.InTree, position.P1.String(): record.InTree, position.P2.String(): record.Migrating, position.P3.String(): record.Migrating,
		position.P4.String(): record.External, position.P5.String(): record.External, position.Unknown.String(): record.Changing, "": record.Changing, "between P2 and P3": record.Changing} {
		if got := mode(runner.Event{Type: runner.RunStarted, Position: pos}); got != want {
			t.Errorf("at %q: %q, wanted %q", pos, got, want)
		}
	}
	for step, want := range map[journal.StepID]record.Mode{migration.StepEnable: record.Migrating, migration.StepSwitch: record.External, migration.StepUndoSwitch: record.Migrating, migration.StepUndoEnable: record.InTree,
		migration.StepInstall: "", migration.StepHandOver: "", migration.StepDisable: "", migration.StepUndoDisable: "", migration.StepUpgrade: ""} {
		begun := record.Changing
		if want == "" {
			begun = ""
		}
		for kind, want := range map[runner.EventType]record.Mode{runner.StepStarted: begun, runner.StepFinished: want, runner.StepFailed: "", runner.StepDone: "", runner.StepSkipped: ""} {
			if got := mode(runner.Event{Type: kind, Step: step}); got != want {
				t.Errorf("%s, %s: %q, wanted %q", step, kind, got, want)
			}
		}
	}
}
