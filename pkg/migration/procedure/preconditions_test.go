package procedure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A forward step makes one edit and applies it; an undo reverts all edits in sequence. It stops
// if a foreign writer reverts the edit at once, and names the writer.
func TestEditStepDo_severalEdits(t *testing.T) {
	takenBack := clustertest.Change("spec.a")
	takenBack.Changes = append(takenBack.Changes, runner.Change{Object: "no place"}, runner.Change{Location: "spec.b"})
	takenBack.By = "terraform"
	for name, tt := range map[string]struct {
		id     journal.StepID
		open   []migration.Edit
		did    []string
		reason string
		says   string
	}{
		"forward":            {migration.StepSwitch, []migration.Edit{clustertest.Change("a"), clustertest.Change("b")}, []string{"write a", "apply"}, "", ""},
		"back":               {migration.StepUndoSwitch, []migration.Edit{clustertest.Change("a"), clustertest.Change("b"), clustertest.Change("c")}, []string{"write a", "write b", "write c", "apply"}, "", ""},
		"back, and put back": {migration.StepUndoSwitch, []migration.Edit{takenBack}, []string{"write spec.a"}, "EditTakenBack", "by terraform during its rollout: spec.a, spec.b"},
	} {
		core, _, by := observer(position.P3)
		by.Open = tt.open
		step := &editStep{base{Migration: core, ID: tt.id}, editRules{}}
		err := step.Do(t.Context(), clustertest.TxFor(t, tt.id), looked(t, core, journal.Record{}))
		if clustertest.ReasonOf(err) != tt.reason || !slices.Equal(by.Did, tt.did) || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, did %q", name, err, by.Did)
		}
	}
}

func TestOnlyCCMCanHold(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Reading)
		want   bool
	}{
		"switched":              {position.P4, func(*migration.Reading) {}, true},
		"one is in-tree":        {position.P4, func(r *migration.Reading) { r.KCMs[1] = clustertest.AKCM("cp-1", component.ProviderAWS, true) }, false},
		"one is not known":      {position.P4, func(r *migration.Reading) { r.KCMs[1].Known = false }, false},
		"the CCM has no flag":   {position.P5, func(*migration.Reading) {}, false},
		"there is no CCM":       {position.P4, func(r *migration.Reading) { r.Down.CCM = nil }, false},
		"no control plane":      {position.P4, func(r *migration.Reading) { r.KCMs = nil }, false},
		"a single one switched": {position.P4, func(r *migration.Reading) { r.KCMs = r.KCMs[:1] }, true},
	} {
		r := clustertest.At(tt.at).Reading
		tt.change(&r)
		if got := onlyCCMCanHold(r); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Either missing right refuses the edit that sets the flag.
func TestRequireInTree_missingRight_refuses(t *testing.T) {
	for name, tt := range map[string]struct{ get, update, may bool }{"both": {true, true, true}, "get": {true, false, false}, "update": {false, true, false}} {
		core, _, _ := observer(position.P1)
		snap := clustertest.At(position.P1)
		snap.Reading.Down.MayGet, snap.Reading.Down.MayUpdate = tt.get, tt.update
		if err := requireInTree(t.Context(), core, snap); (err == nil) != tt.may || err != nil && clustertest.ReasonOf(err) != "GrantMissing" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The switch requires a waiting CCM, no other manager, and the control planes of the preflight.
func TestRequireReadyToSwitch(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		reason string
	}{
		"at P3":                {nil, ""},
		"a control plane came": {func(s *migration.Snapshot) { s.Record = clustertest.Printed(t, clustertest.Prints()[1:]...) }, "ControlPlanesChanged"},
		"at P4 already":        {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.P4) }, "NotReadyToSwitch"},
	} {
		core, _, _ := observer(position.P3)
		snap := clustertest.At(position.P3)
		if tt.change != nil {
			tt.change(&snap)
		}
		if err := requireReadyToSwitch(t.Context(), core, snap); clustertest.ReasonOf(err) != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Our cordons are removed early once the pod of each control plane is switched and Ready.
func TestUncordonEarly(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.KCM)
		gives  bool
	}{
		"all are switched":     {func(*migration.KCM) {}, true},
		"one is not":           {func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", component.ProviderAWS, true) }, false},
		"one has the flag":     {func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", component.ProviderExternal, true) }, false},
		"one is not Ready":     {func(k *migration.KCM) { k.Ready = false }, false},
		"one cannot be seen":   {func(k *migration.KCM) { k.Pod = nil }, false},
		"in-tree, and no flag": {func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", component.ProviderAWS, false) }, false},
	} {
		core, client, _ := observer(position.P4)
		snap := clustertest.At(position.P4)
		clustertest.CordonByUs(&snap.Reading.Down.Nodes[0])
		tt.change(&snap.Reading.KCMs[1])
		tx := clustertest.TxFor(t, migration.StepSwitch)
		err := uncordonEarly(t.Context(), core, tx, snap)
		if err != nil || (len(tx.Record().Intents) == 1) != tt.gives {
			t.Errorf("%s: %v, %v, %+v", name, err, clustertest.Writes(client), tx.Record().Intents)
		}
	}
}

// broken is a configuration whose methods all fail.
type broken struct{ *clustertest.Editor }

func (broken) Edit(context.Context, migration.Snapshot, ...migration.Editing) (migration.Edit, error) {
	return migration.Edit{}, clustertest.ErrAway
}

func (broken) Rollout(context.Context, *runner.Tx, migration.Snapshot, migration.Editing, migration.Config) (migration.Rollout, error) {
	return migration.Rollout{}, clustertest.ErrAway
}

func (broken) WhileRolling(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) (bool, error) {
	return false, clustertest.ErrAway
}

// An error of the Backend is returned by the step, and nothing follows it.
func TestSteps_backendFails_returnError(t *testing.T) {
	by := &clustertest.Editor{Open: []migration.Edit{clustertest.Change("a")}}
	called := false
	step := anEdit(migration.StepSwitch, by)
	step.Backend = broken{by}
	step.rules.addPauses = addOneHandOver
	step.rules.whileWaiting = func(context.Context, *Migration, *runner.Tx, migration.Snapshot) error { called = true; return nil }
	snap := migration.Snapshot{Reading: clustertest.Resting()}
	plan, planned := step.Plan(t.Context(), snap)
	verdict, verified := step.Verify(t.Context(), clustertest.TxFor(t, migration.StepSwitch), snap)
	for what, err := range map[string]error{"plan": planned, "do": step.Do(t.Context(), clustertest.TxFor(t, migration.StepSwitch), snap), "verify": verified, "tend": step.WhileWaiting(t.Context(), clustertest.TxFor(t, migration.StepSwitch), snap)} {
		if !errors.Is(err, clustertest.ErrAway) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(by.Did) > 0 || called || len(plan.Notes) > 0 || verdict.Kind == runner.Met {
		t.Errorf("did %q, called %t, %+v, %+v", by.Did, called, plan, verdict)
	}
	lost := errors.New("lost")
	step = anEdit(migration.StepSwitch, by)
	step.Backend = unwritable{by, lost}
	if err := step.Do(t.Context(), clustertest.TxFor(t, migration.StepSwitch), snap); !errors.Is(err, lost) {
		t.Errorf("a write that failed: %v", err)
	}
}

// unwritable is a configuration whose edits cannot be written.
type unwritable struct {
	*clustertest.Editor
	err error
}

func (u unwritable) Edit(context.Context, migration.Snapshot, ...migration.Editing) (migration.Edit, error) {
	edit := clustertest.Change("a")
	edit.Write = func(context.Context, *runner.Tx) error { return u.err }
	return edit, nil
}
