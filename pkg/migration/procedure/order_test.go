package procedure

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// The steps in force, in their order, by the choices that change it.
func TestStepsInForce(t *testing.T) {
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
		if tt.back != m.back || tt.back && m.Options.KubernetesVersion != "" {
			t.Errorf("%s: back %t, to %q", name, m.back, m.Options.KubernetesVersion)
		}
	}
}

// Every step says where it is described, and only an upgrade has no way back.
func TestStepInfos(t *testing.T) {
	for _, infos := range [][]runner.Info{StepInfos(), UndoStepInfos()} {
		for _, info := range infos {
			want := "steps/" + string(info.ID) + ".md"
			if undoes(info.ID) != "" || info.ID == migration.StepUndoPreflight {
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

// Steps are named in journals, plans and commands by these words: a later version has to
// know them.
func TestWordsOfSteps(t *testing.T) {
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
