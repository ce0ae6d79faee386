package procedure

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// An owner must be informed only if the run has something left to write; the plan then names
// that owner.
func TestWrites(t *testing.T) {
	fleet, flux := migration.Owner{Name: "Fleet", Mark: "label f"}, migration.Owner{Name: "Flux", Mark: "label x"}
	back := func(s *migration.Snapshot) { s.Back = true }
	for name, tt := range map[string]struct {
		at      position.Position
		options migration.Options
		change  func(*migration.Snapshot)
		writes  bool
	}{
		"nothing is begun":         {position.P0, migration.Options{}, nil, true},
		"a step is left":           {position.P4, migration.Options{}, nil, true},
		"leader migration is kept": {position.P4, migration.Options{KeepLeaderMigration: true}, nil, false},
		"kept, and the switch still goes": {position.P4, migration.Options{KeepLeaderMigration: true}, func(s *migration.Snapshot) {
			s.Reading.Pending = clustertest.Rolling().Pending
			s.Record = intended(migration.StepSwitch)
		}, true},
		"it is through":               {position.P5, migration.Options{}, nil, false},
		"through, but for an upgrade": {position.P5, migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}, nil, true},
		"it is only looked at":        {position.P0, migration.Options{ReadOnly: true}, nil, false},
		"unknown position":            {position.P5, migration.Options{}, func(s *migration.Snapshot) { s.Result = position.Result{Position: position.Unknown, HandMade: true} }, true},
		"back, from the end":          {position.P5, migration.Options{}, back, true},
		"back, with nothing to undo":  {position.P0, migration.Options{}, back, false},
		"back, unknown position":      {position.P0, migration.Options{}, func(s *migration.Snapshot) { back(s); s.Result.HandMade = true }, true},
	} {
		snap := clustertest.At(tt.at)
		snap.Reading.Owners = []migration.Owner{fleet, flux}
		if tt.change != nil {
			tt.change(&snap)
		}
		tt.options.InstallMethod, tt.options.DisableAsked, tt.options.OwnersInformed = migration.InstallHelm, true, []string{"flux"}
		core := &Migration{Access: migration.Access{Options: tt.options}, Backend: &clustertest.Editor{}}
		if got := core.Writes(snap); got != tt.writes {
			t.Errorf("%s: writes %t", name, got)
		}
		var want []string
		if tt.writes {
			want = []string{"! owned by Fleet (label f): a run needs --owner-informed=fleet"}
		}
		if d := cmp.Diff(want, core.ownerNotes(snap)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		snap.Reading.Owners = []migration.Owner{flux}
		if got := core.ownerNotes(snap); got != nil {
			t.Errorf("%s: its only owner is informed: %q", name, got)
		}
	}
}

// A run that resumes the step in progress does not stop at failing checks.
func TestInProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		want   journal.StepID
	}{
		"none": {position.P3, nil, ""},
		"the switch rolls": {position.P3, func(s *migration.Snapshot) {
			s.Reading.Pending = clustertest.Rolling().Pending
			s.Record = intended(migration.StepSwitch)
		}, migration.StepSwitch},
		"half enabled": {position.P1, func(s *migration.Snapshot) {
			s.Result = clustertest.ResultBetween(position.P1, position.P2)
			s.Record = intended(migration.StepEnable)
		}, migration.StepEnable},
		"hand-made": {position.P3, func(s *migration.Snapshot) { s.Result.HandMade, s.Result.Mixed = true, true }, ""},
	} {
		snap := clustertest.At(tt.at)
		if tt.change != nil {
			tt.change(&snap)
		}
		core := &Migration{Access: migration.Access{Options: migration.Options{InstallMethod: migration.InstallHelm}}, Backend: &clustertest.Editor{}}
		if got := core.inProgress(snap); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The step in progress is a step of the migration, also during an undo.
func TestInProgress_undo_migrationStep(t *testing.T) {
	snap := clustertest.At(position.P3)
	snap.Result, snap.Record = clustertest.ResultBetween(position.P3, position.P4), intended(migration.StepSwitch)
	core, _, _ := observer(position.P3)
	if got := core.Undo().inProgress(snap); got != migration.StepSwitch {
		t.Errorf("%q", got)
	}
}

// Undo returns a separate procedure and leaves the migration unchanged. It prints its
// direction, and its precheck runs no checks: its first step does.
func TestUndo_migrationUnchanged(t *testing.T) {
	core, _, by := observer(position.P0)
	core.Options.KubernetesVersion = "v1.26.16+rke2r1"
	by.Own = []verify.Bound{clustertest.Failing()}
	undo := core.Undo()
	if core.isUndo || core.Options.KubernetesVersion == "" || !undo.isUndo || undo.Options.KubernetesVersion != "" {
		t.Errorf("migration %t %q, undo %t %q", core.isUndo, core.Options.KubernetesVersion, undo.isUndo, undo.Options.KubernetesVersion)
	}
	snap := clustertest.At(position.P0)
	if err := undo.Precheck(t.Context(), snap, runner.Observation{}); err != nil {
		t.Errorf("the undo is stopped: %v", err)
	}
	if err := core.Precheck(t.Context(), snap, runner.Observation{}); err == nil {
		t.Error("the migration is not")
	}
	if there := core.Header(snap); len(there) != 3 || there[2] != "names  kept" {
		t.Errorf("%q", there)
	}
	if back := undo.Header(snap); len(back) != 3 || !strings.HasPrefix(back[2], "undo   back to P0") {
		t.Errorf("%q", back)
	}
}

// A snapshot that the cluster cannot take is refused before a write.
func TestSnapshotPlan_unsupported_refuses(t *testing.T) {
	core, _, _ := observer(position.P0)
	step, snap, tx := makeStep(base{Migration: core, ID: migration.StepSnapshot}), clustertest.At(position.P0), clustertest.TxFor(t, migration.StepSnapshot)
	_, planned := step.Plan(t.Context(), snap)
	_, judged := step.Verify(t.Context(), tx, snap)
	for what, err := range map[string]error{"plan": planned, "do": step.Do(t.Context(), tx, snap), "verify": judged} {
		if clustertest.ReasonOf(err) != "Usage" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Refusals of a plan use the Backend's evidence.
func TestRequireSupported_hasBackendEvidence(t *testing.T) {
	core, _, by := observer(position.P0)
	by.EndState = evidence.EndState("overrides")
	if err := core.requireSupported(t.Context(), clustertest.At(position.P0)); err != nil {
		t.Fatal(err)
	}
	if len(by.Asked) != 1 || by.Asked[0].EndState != by.EndState || by.Asked[0].Distribution != core.Distribution {
		t.Errorf("%d times, %+v", len(by.Asked), by.Asked)
	}
}
