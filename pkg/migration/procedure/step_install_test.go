package procedure

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// With Helm the chart is installed once, changed if the flag must go, and otherwise unchanged.
// Each write is announced with its inverse.
func TestChartSteps_helm_writesOnce(t *testing.T) {
	core, client, _ := observer(position.P2)
	tx := clustertest.TxFor(t, migration.StepInstall)
	flagged := func() bool {
		set, err := client.AppsV1().DaemonSets(wellknown.System).Get(t.Context(), wellknown.CCM, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(set.Spec.Template.Spec.Containers[0].Args, func(arg string) bool { return strings.HasPrefix(arg, "--enable-leader-migration") })
	}
	for i, tt := range []struct {
		flag    bool
		summary string
		changes bool
		intents int
	}{
		{true, "+ Helm release aws-cloud-controller-manager, image v1.26.", true, 1},
		{true, "~ Helm release aws-cloud-controller-manager, image v1.26.", false, 1}, // already installed
		{false, "~ Helm release aws-cloud-controller-manager, image v1.26.", true, 2},
		{true, "~ Helm release aws-cloud-controller-manager, image v1.26.", true, 3},
	} {
		snap := clustertest.At(position.P2)
		plan, err := core.Chart().Plan(t.Context(), snap, tt.flag)
		if err != nil || !strings.HasPrefix(plan.Summary[0], tt.summary) || (len(plan.Changes) > 0) != tt.changes || plan.Takes == 0 {
			t.Errorf("%d: %v, %q, %d changes", i, err, plan.Summary, len(plan.Changes))
		}
		for _, change := range plan.Changes {
			if change.Object == "" || change.Diff == "" || change.Form != runner.ObjectDiff {
				t.Errorf("%d: %+v", i, change)
			}
		}
		moving := snap
		moving.Reading.Pending = clustertest.Rolling().Pending
		if err := core.Chart().Apply(t.Context(), tx, moving, tt.flag); (clustertest.ReasonOf(err) == "NotAtRest") != tt.changes {
			t.Errorf("%d: on a cluster that moves: %v", i, err)
		}
		if err := core.Chart().Apply(t.Context(), tx, snap, tt.flag); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if intents := tx.Record().Intents; len(intents) != tt.intents || intents[len(intents)-1].Object != chart.HelmObject || len(intents[len(intents)-1].Inverse) == 0 || flagged() != tt.flag {
			t.Errorf("%d: flag %t, %+v", i, flagged(), intents)
		}
	}
	undo := &undoInstall{base: base{Migration: core}}
	if err := undo.Do(t.Context(), tx, clustertest.At(position.P3)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.AppsV1().DaemonSets(wellknown.System).Get(t.Context(), wellknown.CCM, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it was uninstalled: %v", err)
	}
	if last := tx.Record().Intents[3]; last.Object != chart.HelmObject || len(last.Inverse) == 0 {
		t.Errorf("%+v", last)
	}
}

// A chart that cannot be installed is not planned, not written, and does not count as
// installed.
func TestChartSteps_uninstallable_refuses(t *testing.T) {
	for name, change := range map[string]func(*Migration, *clustertest.Side, *migration.Snapshot){
		"no cloud config": func(_ *Migration, s *clustertest.Side, _ *migration.Snapshot) { s.CloudErr = clustertest.ErrAway },
		"no chart":        func(m *Migration, _ *clustertest.Side, _ *migration.Snapshot) { m.Options.ChartPath = t.TempDir() },
		"no image":        func(m *Migration, _ *clustertest.Side, _ *migration.Snapshot) { m.Options.CCMImage = "not an image:" },
		"no client":       func(m *Migration, _ *clustertest.Side, _ *migration.Snapshot) { m.Config.Host = "no URL: %" },
		"no API server": func(m *Migration, _ *clustertest.Side, _ *migration.Snapshot) {
			m.Config.Transport = clustertest.Versioned{RoundTripper: m.Config.Transport, Version: ""}
		},
		"no document": func(_ *Migration, _ *clustertest.Side, s *migration.Snapshot) {
			s.InstallMethod = migration.InstallManifest
		},
		"others' DaemonSet": func(_ *Migration, _ *clustertest.Side, _ *migration.Snapshot) {},
	} {
		at := position.P2
		if name == "others' DaemonSet" {
			at = position.P3
		}
		core, client, by := observer(at)
		snap, tx := clustertest.At(at), clustertest.TxFor(t, migration.StepInstall)
		change(core, by, &snap)
		for _, id := range []journal.StepID{migration.StepInstall, migration.StepDisable, migration.StepUndoDisable} {
			snap.Result.Position = position.P4
			if _, err := makeStep(base{Migration: core, ID: id}).Plan(t.Context(), snap); err == nil {
				t.Errorf("%s: %s plans it", name, id)
			}
		}
		if err := core.Chart().Apply(t.Context(), tx, snap, true); err == nil || len(tx.Record().Intents) > 0 {
			t.Errorf("%s: %v, %+v", name, err, tx.Record().Intents)
		}
		if all := clustertest.Writes(client); len(all) > 0 {
			t.Errorf("%s: wrote %v", name, all)
		}
	}
	core, _, _ := observer(position.P3)
	core.Config.Host = "no URL: %"
	tx := clustertest.TxFor(t, migration.StepUndoInstall)
	if err := (&undoInstall{base: base{Migration: core}}).Do(t.Context(), tx, clustertest.At(position.P3)); err == nil || len(tx.Record().Intents) > 0 {
		t.Errorf("uninstalled without a client: %v", err)
	}
	snap := clustertest.At(position.P3)
	snap.InstallMethod = migration.InstallManifest
	if err := (&undoInstall{base: base{Migration: core}}).Do(t.Context(), tx, snap); clustertest.ReasonOf(err) != "Usage" {
		t.Errorf("a document was removed where none can be: %v", err)
	}
}

// The CCM is not installed next to another process that runs the same controllers.
func TestInstallDo_otherManager_refuses(t *testing.T) {
	for _, others := range []bool{false, true} {
		core, client, _ := observer(position.P2)
		if others {
			if err := client.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "kcm"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"kube-controller-manager"}}}}}); err != nil {
				t.Fatal(err)
			}
		}
		tx := clustertest.TxFor(t, migration.StepInstall)
		err := makeStep(base{Migration: core, ID: migration.StepInstall}).Do(t.Context(), tx, clustertest.At(position.P2))
		if (err != nil) != others || (len(tx.Record().Intents) == 1) == others {
			t.Errorf("others %t: %v, %+v", others, err, tx.Record().Intents)
		}
	}
}

// After the switch the step updates a CCM that is older than the API servers. It keeps the flag of
// leader migration as it is, writes once, and ends with the new image on every control plane.
func TestInstall_clusterUpgradedByOthers_updatesCCM(t *testing.T) {
	const version, image = "v1.28.15+rke2r1", "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.11"
	core, client, _ := observer(position.P2)
	tx := clustertest.TxFor(t, migration.StepInstall)
	for _, flagged := range []bool{true, false} {
		if err := core.Chart().Apply(t.Context(), tx, clustertest.At(position.P2), flagged); err != nil {
			t.Fatal(err)
		}
	}
	before := len(tx.Record().Intents)
	snap := outdated(version)
	step := makeStep(base{Migration: core, ID: migration.StepInstall})
	plan, err := step.Plan(t.Context(), snap)
	if err != nil || plan.Summary[0] != "~ Helm release aws-cloud-controller-manager, image v1.28.11" || len(plan.Changes) == 0 {
		t.Errorf("plan: %v, %q, %d changes", err, plan.Summary, len(plan.Changes))
	}
	moving := snap
	moving.Reading.Pending = clustertest.Rolling().Pending
	for range 2 {
		if err := step.Do(t.Context(), tx, moving); err != nil || len(tx.Record().Intents) != before {
			t.Errorf("on a cluster that moves: %v, %+v", err, tx.Record().Intents)
		}
	}
	if verdict, err := step.Verify(t.Context(), tx, snap); err != nil || verdict.Kind != runner.Waiting || verdict.WaitingFor != "the cloud controller manager of the new version" {
		t.Errorf("before the update: %v, %+v", err, verdict)
	}
	if err := step.(runner.WaitingStep[migration.Snapshot]).WhileWaiting(t.Context(), tx, snap); err != nil || len(tx.Record().Intents) != before+1 {
		t.Errorf("%v, %+v", err, tx.Record().Intents)
	}
	set, err := client.AppsV1().DaemonSets(wellknown.System).Get(t.Context(), wellknown.CCM, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c := set.Spec.Template.Spec.Containers[0]; c.Image != image || slices.ContainsFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--enable-leader-migration") }) {
		t.Errorf("%s %q", c.Image, c.Args)
	}
	snap.Reading.Down.CCM.Containers[0].Image = image
	for i := range snap.Reading.Down.CCMPods {
		snap.Reading.Down.CCMPods[i].Containers[0].Image = image
	}
	if verdict, err := step.Verify(t.Context(), tx, snap); err != nil || verdict.Kind != runner.Met {
		t.Errorf("after the update: %v, %+v", err, verdict)
	}
}

// A run without a target plans the update of an outdated CCM, with the preflight before it. An
// upgrade in progress does it in its own step.
func TestInstallState_outdatedCCM_pending(t *testing.T) {
	for name, tt := range map[string]struct {
		at                 position.Position
		version            string
		o                  migration.Options
		atTarget           bool
		install, preflight runner.StateKind
	}{
		"upgraded by others":       {position.P5, "v1.28.15+rke2r1", migration.Options{}, true, runner.Todo, runner.Always},
		"with the flag kept":       {position.P4, "v1.27.16+rke2r2", migration.Options{}, true, runner.Todo, runner.Always},
		"of the same minor":        {position.P5, "v1.26.15+rke2r1", migration.Options{}, true, runner.Done, runner.Done},
		"no image is known":        {position.P5, "v1.37.1+rke2r1", migration.Options{}, true, runner.Done, runner.Done},
		"before this upgrade":      {position.P5, "v1.27.16+rke2r2", migration.Options{KubernetesVersion: "v1.28.15+rke2r1"}, false, runner.Done, runner.Always},
		"a run ended too early":    {position.P5, "v1.27.16+rke2r2", migration.Options{KubernetesVersion: "v1.27.16+rke2r2"}, true, runner.Todo, runner.Always},
		"in-tree, before a switch": {position.P2, "v1.27.16+rke2r2", migration.Options{}, true, runner.Todo, runner.Always},
	} {
		snap := outdated(tt.version)
		snap.Result = clustertest.ResultAt(tt.at)
		s := sided(progress{Snapshot: snap, Options: tt.o, AtTarget: tt.atTarget})
		observed, err := s.states(order(migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: tt.o.KubernetesVersion}))
		if got := observed.States[migration.StepInstall]; err != nil || got.Kind != tt.install || tt.at > position.P3 && (got.Kind == runner.Todo) != strings.Contains(got.Reason, "v1.26.6, the API servers need v1.2") {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
		if got := observed.States[migration.StepPreflight].Kind; got != tt.preflight {
			t.Errorf("%s: preflight %s", name, got)
		}
	}
}

// outdated returns a snapshot at P5 of a cluster with a CCM v1.26 that another tool upgraded.
func outdated(version string) migration.Snapshot {
	snap := clustertest.At(position.P5)
	snap.Reading.Version, snap.Reading.InstalledAs = version, migration.InstallHelm
	snap.Reading.Down.CCM.Owner = "helm " + wellknown.System + "/" + wellknown.CCM
	for i := range snap.Reading.Down.Nodes {
		snap.Reading.Down.Nodes[i].Kubelet = version
	}
	return snap
}
