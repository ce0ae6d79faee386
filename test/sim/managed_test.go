package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A migration of RKE in Rancher and its undo complete on the simulated cluster. No other part of
// the Cluster object changes, and two managers never run.
func TestManagedWorld(t *testing.T) {
	t.Parallel()
	w := NewManaged()
	config, want := w.config(), withoutTraces(w.Dump())
	for _, undo := range []bool{false, true} {
		reaches := map[bool]position.Position{false: position.P5, true: position.P0}[undo]
		ended := do(t, Run{ID: w.nextRun(), Undo: undo}, w)
		if ended.Err != nil || ended.Result.Position != reaches.String() {
			t.Fatalf("undo %t: at %s, %v", undo, ended.Result.Position, ended.Err)
		}
		if wrong := append(w.Violations(), w.cordonFaults()...); len(wrong) > 0 {
			t.Errorf("undo %t: %v", undo, wrong)
		}
		if provider := map[bool]string{false: "external", true: "aws"}[undo]; w.running["host-4"].provider != provider {
			t.Errorf("undo %t: a worker runs with %+v", undo, w.running["host-4"])
		}
	}
	if diff := cmp.Diff(config, w.config()); diff != "" {
		t.Errorf("the Cluster object (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(want, withoutTraces(w.Dump())); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// An undo of the switch is done only when the workers have the in-tree provider as well. Rancher
// starts with them after it has reported that everything is applied, and it uncordons them.
func TestUndo_managedWorkers_comeLast(t *testing.T) {
	t.Parallel()
	w := NewManaged()
	for _, r := range []Run{{}, {Undo: true, Until: migration.StepUndoSwitch}} {
		r.ID = w.nextRun()
		if ended := do(t, r, w); ended.Err != nil {
			t.Fatal(ended.Err)
		}
	}
	for _, m := range w.machines {
		if w.running[m.name].provider != "aws" {
			t.Errorf("%s runs with %+v when the step is done", m.name, w.running[m.name])
		}
	}
	w.advanceBy(time.Minute)
	if wrong := w.cordonFaults(); len(wrong) > 0 {
		t.Error(wrong)
	}
}
