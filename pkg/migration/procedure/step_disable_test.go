package procedure

import (
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// disable-leader-migration starts after the hand-over. A run that resumes it after the
// migration lease is deleted still judges the CCM's restarts. In an undo they cause no pause.
func TestSignalsOf_disable_judgesRestarts(t *testing.T) {
	for name, tt := range map[string]struct {
		step journal.StepID
		back bool
		want string
	}{
		"resumed in disable-leader-migration": {migration.StepDisable, false, "CCMRestarts"},
		"in the undo of it":                   {migration.StepUndoDisable, true, ""},
		"before the hand-over":                {migration.StepInstall, false, ""},
	} {
		var g guard.Guard
		snap := clustertest.At(position.P4)
		snap.Back = tt.back
		snap.Reading.Leases.Migration = lease.Series{}
		if err := g.Judge(signalsOf(tt.step, snap)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		clustertest.SetRestarts(&snap.Reading.Down.CCMPods[0], 1)
		err, got := g.Judge(signalsOf(tt.step, snap)), ""
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			got = f.Reason
		}
		if got != tt.want {
			t.Errorf("%s: %v, wanted %q", name, err, tt.want)
		}
	}
}

// A restart of the CCM stops disable-leader-migration without a pause: Rancher rolls out nothing.
func TestDisable_restart_stopsWithoutPause(t *testing.T) {
	core := &Migration{Access: migration.Access{Kube: clustertest.Permissive(nil)}, Backend: &clustertest.Editor{}}
	step, tx, snap := makeStep(base{Migration: core, ID: migration.StepDisable}), clustertest.TxFor(t, migration.StepDisable), without()
	if err := core.Guard.Judge(signalsOf(migration.StepDisable, snap)); err != nil {
		t.Fatal(err)
	}
	clustertest.SetRestarts(&snap.Reading.Down.CCMPods[0], 1)
	got, err := step.Verify(t.Context(), tx, snap)
	if err != nil || got.Kind != runner.Failed || clustertest.ReasonOf(got.Err) != guard.ReasonCCMRestarts {
		t.Errorf("%+v, %v", got, err)
	}
}

// A kube-controller-manager without visible arguments, whose machine starts, is waited for. One that
// is seen to be in-tree stops the step.
func TestDisable_argumentsUnseen_waits(t *testing.T) {
	for _, id := range []journal.StepID{migration.StepDisable, migration.StepUndoDisable} {
		snap := without()
		snap.Reading.KCMs[1].Known = false
		core := &Migration{Access: migration.Access{Kube: clustertest.Permissive(nil)}, Backend: &clustertest.Editor{}}
		got, err := makeStep(base{Migration: core, ID: id}).Verify(t.Context(), clustertest.TxFor(t, id), snap)
		if err != nil || got.Kind != runner.Waiting || got.WaitingFor != "every kube-controller-manager to show its arguments" {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}
