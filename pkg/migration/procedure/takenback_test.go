package procedure

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// An undo step notes only its own step as undone. The audit at the end of an undo notes all
// steps; the audit of a migration notes none.
func TestSettle(t *testing.T) {
	all := []journal.StepID{migration.StepEnable, migration.StepSwitch, migration.StepDisable}
	for _, tt := range []struct {
		name    string
		step    journal.StepID
		back    bool
		watches bool
		settled []journal.StepID
	}{
		{"undo step_its own", migration.StepUndoSwitch, true, false, []journal.StepID{migration.StepSwitch}},
		{"undo of the chart_its own", migration.StepUndoDisable, true, false, []journal.StepID{migration.StepDisable}},
		{"undo step at rest under a guard_none", migration.StepUndoDisable, true, true, nil},
		{"forward_none", migration.StepSwitch, false, false, nil},
		{"audit of a migration_none", migration.StepVerify, false, false, nil},
		{"audit of an undo_all", migration.StepVerify, true, false, all},
	} {
		var intents []journal.Intent
		for _, id := range all {
			intents = append(intents, journal.Intent{Step: id, Object: "Cluster demo", Inverse: []byte("{}")})
		}
		tx := clustertest.TxFor(t, tt.step, intents...)
		step, ok := makeStep(base{Migration: &Migration{isUndo: tt.back, isGuard: tt.watches}, ID: tt.step}).(runner.Settler)
		if !ok {
			t.Fatalf("%s: settles nothing", tt.name)
		}
		if err := step.Settle(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		var settled []journal.StepID
		for _, id := range all {
			if len(tx.Record().IntentsToUndo(id, "Cluster demo")) == 0 {
				settled = append(settled, id)
			}
		}
		if len(settled) != len(tt.settled) || len(settled) == 1 && settled[0] != tt.settled[0] {
			t.Errorf("%s: settled %v, want %v", tt.name, settled, tt.settled)
		}
	}
}

// A half-done step counts as ours only until it is undone: later changes are the user's.
func TestMayResume(t *testing.T) {
	record := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable, Object: "Cluster demo", Inverse: []byte("{}")}}}
	s := progress{Snapshot: migration.Snapshot{Record: record}}
	if !s.mayResume(migration.StepEnable) {
		t.Error("its own step is not its own")
	}
	tx := clustertest.TxFor(t, migration.StepUndoEnable, record.Intents...)
	if err := noteUndone(t.Context(), tx, migration.StepEnable); err != nil {
		t.Fatal(err)
	}
	s.Record = tx.Record()
	if s.mayResume(migration.StepEnable) {
		t.Error("an undone step counts as begun")
	}
}
