package migration

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// The steps in force, in their order, by the choices that change it.
func TestStepsInForce(t *testing.T) {
	const upgrade = "v1.27.10+rke2r1"
	helm := []journal.StepID{StepPreflight, StepSnapshot, StepLeaseAccess, StepEnable, StepCordon, StepInstall, StepSwitch, StepUncordon, StepVerify, StepDisable}
	document := []journal.StepID{StepPreflight, StepSnapshot, StepLeaseAccess, StepEnable, StepInstall, StepCordon, StepSwitch, StepUncordon, StepVerify, StepDisable}
	back := []journal.StepID{StepUndoPreflight, StepUndoDisable, StepUndoSwitch, StepUncordon, StepUndoInstall, StepUndoEnable, StepUndoAccess, StepVerify}
	for name, tt := range map[string]struct {
		options Options
		back    bool
		want    []journal.StepID
	}{
		"by Helm":                    {Options{InstallMethod: InstallHelm}, false, helm},
		"by a document":              {Options{InstallMethod: InstallManifest}, false, document},
		"and an upgrade":             {Options{InstallMethod: InstallHelm, KubernetesVersion: upgrade}, false, append(slices.Clone(helm), StepUpgrade)},
		"by a document, and upgrade": {Options{InstallMethod: InstallManifest, KubernetesVersion: upgrade}, false, append(slices.Clone(document), StepUpgrade)},
		"back":                       {Options{InstallMethod: InstallHelm}, true, back},
		"no way back upgrades":       {Options{InstallMethod: InstallManifest, KubernetesVersion: upgrade}, true, back},
	} {
		m := &Migration{Access: Access{Options: tt.options}, Backend: &editor{}}
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
			if undoes(info.ID) != "" || info.ID == StepUndoPreflight {
				want = "going-back.md"
			}
			if info.Doc != want || info.Title == "" || (info.Irreversible != "") != (info.ID == StepUpgrade) {
				t.Errorf("%+v", info)
			}
		}
	}
	if forward, back := len(StepInfos()), len(UndoStepInfos()); forward != 11 || back != 6 {
		t.Errorf("%d steps forward, %d back", forward, back)
	}
	plan, err := (base{ID: StepVerify}).Plan(t.Context(), Snapshot{})
	if err != nil || len(plan.Summary)+len(plan.Changes) > 0 {
		t.Errorf("a step that changes nothing plans %+v, %v", plan, err)
	}
}

// Steps are named in journals, plans and commands by these words: a later version has to
// know them.
func TestWordsOfSteps(t *testing.T) {
	for step, word := range map[journal.StepID]string{
		StepPreflight: "preflight", StepSnapshot: "etcd-snapshot", StepLeaseAccess: "lease-access", StepEnable: "enable-leader-migration", StepCordon: "cordon",
		StepInstall: "install-ccm", StepSwitch: "switch-provider", StepUncordon: "uncordon", StepVerify: "verify", StepDisable: "disable-leader-migration", StepUpgrade: "upgrade",
		StepUndoPreflight: "undo-preflight", StepUndoDisable: "undo-disable-leader-migration", StepUndoSwitch: "undo-switch-provider", StepUndoInstall: "undo-install-ccm",
		StepUndoEnable: "undo-enable-leader-migration", StepUndoAccess: "undo-lease-access",
	} {
		if string(step) != word {
			t.Errorf("%s, want %s", step, word)
		}
	}
	if InstallHelm != "helm" || InstallManifest != "additional-manifest" {
		t.Errorf("methods %s and %s", InstallHelm, InstallManifest)
	}
}
