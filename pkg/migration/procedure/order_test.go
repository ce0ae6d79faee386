package procedure

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The active steps, by the options that change them.
func TestOrder(t *testing.T) {
	const upgrade = "v1.27.10+rke2r1"
	helm := []journal.StepID{migration.StepPreflight, migration.StepSnapshot, migration.StepLeaseAccess, migration.StepEnable, migration.StepCordon, migration.StepInstall, migration.StepSwitch, migration.StepUncordon, migration.StepVerify, migration.StepDisable}
	document := []journal.StepID{migration.StepPreflight, migration.StepSnapshot, migration.StepLeaseAccess, migration.StepEnable, migration.StepInstall, migration.StepCordon, migration.StepSwitch, migration.StepUncordon, migration.StepVerify, migration.StepDisable}
	back := []journal.StepID{migration.StepUndoPreflight, migration.StepUndoDisable, migration.StepUndoSwitch, migration.StepUncordon, migration.StepUndoInstall, migration.StepUndoEnable, migration.StepUndoAccess, migration.StepVerify}
	for name, tt := range map[string]struct {
		options migration.Options
		back    bool
		want    []journal.StepID
	}{
		"by Helm":                    {migration.Options{InstallMethod: migration.InstallHelm}, false, helm},
		"by a document":              {migration.Options{InstallMethod: migration.InstallManifest}, false, document},
		"and an upgrade":             {migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: upgrade}, false, append(slices.Clone(helm), migration.StepUpgrade)},
		"by a document, and upgrade": {migration.Options{InstallMethod: migration.InstallManifest, KubernetesVersion: upgrade}, false, append(slices.Clone(document), migration.StepUpgrade)},
		"back":                       {migration.Options{InstallMethod: migration.InstallHelm}, true, back},
		"no way back upgrades":       {migration.Options{InstallMethod: migration.InstallManifest, KubernetesVersion: upgrade}, true, back},
	} {
		m := &Migration{Access: migration.Access{Options: tt.options}, Backend: &clustertest.Editor{}}
		if tt.back {
			m = m.Undo()
		}
		steps := m.Steps()
		var got []journal.StepID
		for _, step := range steps {
			info := step.Info()
			if got = append(got, info.ID); info.Title == "" {
				t.Errorf("%s: %s has no title", name, info.ID)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
		if tt.back != m.isUndo || tt.back && m.Options.KubernetesVersion != "" {
			t.Errorf("%s: back %t, to %q", name, m.isUndo, m.Options.KubernetesVersion)
		}
	}
}

// Every step has a documentation page, and only an upgrade is irreversible.
func TestStepInfos(t *testing.T) {
	for _, infos := range [][]runner.Info{StepInfos(), UndoStepInfos()} {
		for _, info := range infos {
			want := "steps/" + string(info.ID) + ".md"
			if undoneStep(info.ID) != "" || info.ID == migration.StepUndoPreflight {
				want = "going-back.md"
			}
			if info.Doc != want || info.Title == "" || (info.Irreversible != "") != (info.ID == migration.StepUpgrade) {
				t.Errorf("%+v", info)
			}
		}
	}
	if forward, back := len(StepInfos()), len(UndoStepInfos()); forward != 12 || back != 6 {
		t.Errorf("%d steps forward, %d back", forward, back)
	}
	plan, err := (base{ID: migration.StepVerify}).Plan(t.Context(), migration.Snapshot{})
	if err != nil || len(plan.Summary)+len(plan.Changes) > 0 {
		t.Errorf("a step that changes nothing plans %+v, %v", plan, err)
	}
}

// Journals, plans and commands use these IDs: later versions must know them.
func TestStepInfos_stableIDs(t *testing.T) {
	for step, word := range map[journal.StepID]string{
		migration.StepPreflight: "preflight", migration.StepSnapshot: "etcd-snapshot", migration.StepLeaseAccess: "lease-access", migration.StepEnable: "enable-leader-migration", migration.StepCordon: "cordon",
		migration.StepInstall: "install-ccm", migration.StepHandOver: "hand-over", migration.StepSwitch: "switch-provider", migration.StepUncordon: "uncordon", migration.StepVerify: "verify", migration.StepDisable: "disable-leader-migration", migration.StepUpgrade: "upgrade",
		migration.StepUndoPreflight: "undo-preflight", migration.StepUndoDisable: "undo-disable-leader-migration", migration.StepUndoSwitch: "undo-switch-provider", migration.StepUndoInstall: "undo-install-ccm",
		migration.StepUndoEnable: "undo-enable-leader-migration", migration.StepUndoAccess: "undo-lease-access",
	} {
		if string(step) != word {
			t.Errorf("%s, want %s", step, word)
		}
	}
	if migration.InstallHelm != "helm" || migration.InstallManifest != "additional-manifest" {
		t.Errorf("methods %s and %s", migration.InstallHelm, migration.InstallManifest)
	}
}

// The owner of a rollout applies edits after our write, and a document that installs the chart.
// It does not apply Helm installs or undo steps.
func TestRolls_methods_steps(t *testing.T) {
	for method, want := range map[migration.InstallMethod][]journal.StepID{
		migration.InstallHelm:     {migration.StepEnable, migration.StepSwitch, migration.StepUpgrade},
		migration.InstallManifest: {migration.StepEnable, migration.StepInstall, migration.StepSwitch, migration.StepUpgrade},
	} {
		var got []journal.StepID
		for _, info := range slices.Concat(StepInfos(), UndoStepInfos()) {
			if rolls(migration.Options{InstallMethod: method}, info.ID) {
				got = append(got, info.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
}

// Plans build on earlier edits that may be missing, in both directions.
func TestStepsTo_positions_steps(t *testing.T) {
	for name, tt := range map[string]struct {
		id   journal.StepID
		snap migration.Snapshot
		want []journal.StepID
	}{
		"the flag":                     {migration.StepEnable, clustertest.At(position.P1), []journal.StepID{migration.StepEnable}},
		"the switch, before the flag":  {migration.StepSwitch, clustertest.At(position.P1), []journal.StepID{migration.StepEnable, migration.StepSwitch}},
		"the switch, after it":         {migration.StepSwitch, clustertest.At(position.P3), []journal.StepID{migration.StepSwitch}},
		"the upgrade":                  {migration.StepUpgrade, clustertest.At(position.P0), []journal.StepID{migration.StepUpgrade}},
		"back from the switch":         {migration.StepUndoSwitch, clustertest.At(position.P4), []journal.StepID{migration.StepUndoSwitch}},
		"the flag back, switched":      {migration.StepUndoEnable, clustertest.At(position.P4), []journal.StepID{migration.StepUndoSwitch, migration.StepUndoEnable}},
		"the flag back, half switched": {migration.StepUndoEnable, migration.Snapshot{Result: clustertest.ResultBetween(position.P3, position.P4)}, []journal.StepID{migration.StepUndoSwitch, migration.StepUndoEnable}},
		"the flag back, not switched":  {migration.StepUndoEnable, clustertest.At(position.P3), []journal.StepID{migration.StepUndoEnable}},
		"the same, and a switch begun": {migration.StepUndoEnable, migration.Snapshot{Result: clustertest.ResultAt(position.P3), Record: journal.Record{Intents: []journal.Intent{{Step: migration.StepSwitch}}}},
			[]journal.StepID{migration.StepUndoSwitch, migration.StepUndoEnable}},
	} {
		var got []journal.StepID
		for _, step := range StepsTo(migration.Options{KubernetesVersion: "v1.27.16+rke2r1"}, tt.snap, tt.id) {
			got = append(got, step.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if got := EditingOf(migration.StepUpgrade, migration.Options{KubernetesVersion: "v1"}); got.Target.Version != "v1" || got.Undoes != "" {
		t.Errorf("%+v", got)
	}
}

// While an edit rolls out, the checks of the rollout are pending; a step that only reads defers
// nothing.
func TestChanges(t *testing.T) {
	for _, r := range slices.Concat(migrationRows(), undoRows()) {
		changes := Changes(migration.Options{InstallMethod: migration.InstallHelm}, r.id)
		if edits := changesModes(r.id) || r.id == migration.StepUpgrade; edits && !slices.Contains(changes, verify.Rollout) {
			t.Errorf("%s edits, and changes only %v", r.id, changes)
		}
		if reads := slices.Contains([]journal.StepID{migration.StepPreflight, migration.StepVerify, migration.StepUndoPreflight}, r.id); reads && len(changes) > 0 {
			t.Errorf("%s reads, and changes %v", r.id, changes)
		}
	}
}
