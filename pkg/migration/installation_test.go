package migration

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// By Helm the chart is installed once, changed where the flag has to go, and left alone
// where it is as it should be; each write is announced with what undoes it.
func TestChartsByHelm(t *testing.T) {
	core, client, _ := observer(position.P2)
	tx := txFor(t, StepInstall)
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
		{true, "~ Helm release aws-cloud-controller-manager, image v1.26.", false, 1}, // it is there
		{false, "~ Helm release aws-cloud-controller-manager, image v1.26.", true, 2},
		{true, "~ Helm release aws-cloud-controller-manager, image v1.26.", true, 3},
	} {
		seen := clusterAt(position.P2)
		plan, err := core.Chart().Plan(t.Context(), seen, tt.flag)
		if err != nil || !strings.HasPrefix(plan.Summary[0], tt.summary) || (len(plan.Changes) > 0) != tt.changes || plan.Estimate == "" {
			t.Errorf("%d: %v, %q, %d changes", i, err, plan.Summary, len(plan.Changes))
		}
		for _, change := range plan.Changes {
			if change.Object == "" || change.Diff == "" || change.Form != runner.ObjectDiff {
				t.Errorf("%d: %+v", i, change)
			}
		}
		moving := seen
		moving.Reading.Unrest = rolling().Unrest
		if err := core.Chart().Apply(t.Context(), tx, moving, tt.flag); (reasonOf(err) == "NotAtRest") != tt.changes {
			t.Errorf("%d: on a cluster that moves: %v", i, err)
		}
		if err := core.Chart().Apply(t.Context(), tx, seen, tt.flag); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if intents := tx.Record().Intents; len(intents) != tt.intents || intents[len(intents)-1].Object != helmObject || len(intents[len(intents)-1].Inverse) == 0 || flagged() != tt.flag {
			t.Errorf("%d: flag %t, %+v", i, flagged(), intents)
		}
	}
	undo := &undoInstall{base: base{Migration: core}}
	if err := undo.Do(t.Context(), tx, clusterAt(position.P3)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.AppsV1().DaemonSets(wellknown.System).Get(t.Context(), wellknown.CCM, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it was uninstalled: %v", err)
	}
	if last := tx.Record().Intents[3]; last.Object != helmObject || len(last.Inverse) == 0 {
		t.Errorf("%+v", last)
	}
}

// What nobody can install is neither planned nor written, nor taken for installed.
func TestChartsThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Migration, *side, *Snapshot){
		"no cloud config":   func(_ *Migration, s *side, _ *Snapshot) { s.cloudErr = errAway },
		"no chart":          func(m *Migration, _ *side, _ *Snapshot) { m.Options.ChartPath = t.TempDir() },
		"no image":          func(m *Migration, _ *side, _ *Snapshot) { m.Options.CCMImage = "not an image:" },
		"no client":         func(m *Migration, _ *side, _ *Snapshot) { m.Config.Host = "no URL: %" },
		"no API server":     func(m *Migration, _ *side, _ *Snapshot) { m.Config.Transport = versioned{m.Config.Transport, ""} },
		"no document":       func(_ *Migration, _ *side, s *Snapshot) { s.InstallMethod = InstallManifest },
		"others' DaemonSet": func(_ *Migration, _ *side, _ *Snapshot) {},
	} {
		at := position.P2
		if name == "others' DaemonSet" {
			at = position.P3
		}
		core, client, by := observer(at)
		seen, tx := clusterAt(at), txFor(t, StepInstall)
		change(core, by, &seen)
		for _, id := range []journal.StepID{StepInstall, StepDisable, StepUndoDisable} {
			seen.Result.Position = position.P4
			if _, err := makeStep(base{Migration: core, ID: id}).Plan(t.Context(), seen); err == nil {
				t.Errorf("%s: %s plans it", name, id)
			}
		}
		if err := core.Chart().Apply(t.Context(), tx, seen, true); err == nil || len(tx.Record().Intents) > 0 {
			t.Errorf("%s: %v, %+v", name, err, tx.Record().Intents)
		}
		if all := writes(client); len(all) > 0 {
			t.Errorf("%s: wrote %v", name, all)
		}
	}
	core, _, _ := observer(position.P3)
	core.Config.Host = "no URL: %"
	tx := txFor(t, StepUndoInstall)
	if err := (&undoInstall{base: base{Migration: core}}).Do(t.Context(), tx, clusterAt(position.P3)); err == nil || len(tx.Record().Intents) > 0 {
		t.Errorf("uninstalled without a client: %v", err)
	}
	seen := clusterAt(position.P3)
	seen.InstallMethod = InstallManifest
	if err := (&undoInstall{base: base{Migration: core}}).Do(t.Context(), tx, seen); reasonOf(err) != "Usage" {
		t.Errorf("a document was removed where none can be: %v", err)
	}
}

// Nothing is installed beside somebody who runs the same controllers.
func TestInstallLooksForOthers(t *testing.T) {
	for _, others := range []bool{false, true} {
		core, client, _ := observer(position.P2)
		if others {
			if err := client.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "kcm"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"kube-controller-manager"}}}}}); err != nil {
				t.Fatal(err)
			}
		}
		tx := txFor(t, StepInstall)
		err := makeStep(base{Migration: core, ID: StepInstall}).Do(t.Context(), tx, clusterAt(position.P2))
		if (err != nil) != others || (len(tx.Record().Intents) == 1) == others {
			t.Errorf("others %t: %v, %+v", others, err, tx.Record().Intents)
		}
	}
}

// The chart's values are those of the cluster: what its control planes tolerate, what its
// kube-controller-managers run with, and the cloud config in force unless one is given.
func TestChartInputs(t *testing.T) {
	args := func(words ...string) component.Args { return component.Parse(words) }
	taint := downstream.Taint{Key: "node-role.kubernetes.io/etcd", Value: "true", Effect: "NoExecute"}
	want := ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true, CloudConfig: "in-tree"}
	for name, tt := range map[string]struct {
		change func(*Migration, *Snapshot)
		want   func(*ccmchart.Inputs)
	}{
		"as it is":       {func(*Migration, *Snapshot) {}, func(*ccmchart.Inputs) {}},
		"a cloud config": {func(m *Migration, _ *Snapshot) { m.Options.CloudConfig = "given" }, func(i *ccmchart.Inputs) { i.CloudConfig = "given" }},
		"routes":         {func(m *Migration, _ *Snapshot) { m.Options.CloudRoutes = "on" }, func(i *ccmchart.Inputs) { i.Routes = true }},
		"no routes":      {func(m *Migration, _ *Snapshot) { m.Options.CloudRoutes = "off" }, func(*ccmchart.Inputs) {}},
		"a taint": {func(_ *Migration, s *Snapshot) { s.Reading.Down.Nodes[1].Taints = []downstream.Taint{taint} }, func(i *ccmchart.Inputs) {
			i.ControlPlaneTaints = rollout.Taints(downstream.Node{Taints: []downstream.Taint{taint}})
		}},
		"a worker's":     {func(_ *Migration, s *Snapshot) { s.Reading.Down.Nodes[2].Taints = []downstream.Taint{taint} }, func(*ccmchart.Inputs) {}},
		"a cluster CIDR": {func(_ *Migration, s *Snapshot) { s.Reading.KCMs[1].Args = args("--cluster-cidr=10.42.0.0/16") }, func(i *ccmchart.Inputs) { i.ClusterCIDR = "10.42.0.0/16" }},
		"the first of them": {func(_ *Migration, s *Snapshot) {
			s.Reading.KCMs[0].Args, s.Reading.KCMs[1].Args = args("--cluster-cidr=10.1.0.0/16"), args("--cluster-cidr=10.2.0.0/16")
		}, func(i *ccmchart.Inputs) { i.ClusterCIDR = "10.1.0.0/16" }},
		"of one that is unknown": {func(_ *Migration, s *Snapshot) {
			s.Reading.KCMs[0].Args, s.Reading.KCMs[0].Known = args("--cluster-cidr=10.1.0.0/16"), false
		}, func(*ccmchart.Inputs) {}},
		"untagged instances": {func(_ *Migration, s *Snapshot) { s.Reading.KCMs[0].Args = args("--allow-untagged-cloud") }, func(i *ccmchart.Inputs) { i.AllowUntagged = true }},
		"longer leases": {func(_ *Migration, s *Snapshot) {
			s.Reading.KCMs[1].Args = args("--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s")
		},
			func(i *ccmchart.Inputs) { i.LeaderElection.LeaseDuration, i.LeaderElection.RenewDeadline = 60e9, 40e9 }},
		"leases that nobody can read": {func(_ *Migration, s *Snapshot) { s.Reading.KCMs[1].Args = args("--leader-elect-lease-duration=long") }, func(*ccmchart.Inputs) {}},
	} {
		core, _, by := observer(position.P2)
		by.cloud = "in-tree"
		seen := clusterAt(position.P2)
		tt.change(core, &seen)
		wanted := want
		election, err := seen.Reading.KCMs[0].Args.Election()
		if err != nil {
			t.Fatal(err)
		}
		wanted.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		tt.want(&wanted)
		got, err := core.Chart().inputs(t.Context(), seen, true)
		if d := cmp.Diff(wanted, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// A plan names what of a cloud config the CCM does not know, and what somebody should
// know of its values.
func TestPlanNamesWhatIsLeftOut(t *testing.T) {
	core, _, by := observer(position.P2)
	by.cloud = "[Global]\nRoleARN=arn:aws:iam::1:role/x\nNotAKey=1\n"
	core.Options.Values = map[string]any{"args": []any{"--enable-leader-migration=true"}, "notOfTheChart": "x"}
	plan, err := core.Chart().Plan(t.Context(), clusterAt(position.P2), true)
	want := []string{
		"cloud config key left out, the CCM does not know it: Global.NotAKey (line 3)",
		"args --enable-leader-migration: true (left out: awsmigrate sets it, with a file that names the controllers)",
		"notOfTheChart: reaches no object (the chart does not have it, or makes no use of it beside the other values)",
	}
	if d := cmp.Diff(want, plan.Notes); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	got := core.auditor().prepare(t.Context(), looked(t, core, journal.Record{}), core.Writes(looked(t, core, journal.Record{})))
	if found := got.ConcernFindings(); len(found) != 2 || found[0].Status != verify.Warn {
		t.Errorf("%+v", found)
	}
	core.Options.Values = map[string]any{"namespace": "other"}
	got = core.auditor().prepare(t.Context(), looked(t, core, journal.Record{}), core.Writes(looked(t, core, journal.Record{})))
	if found := got.ConcernFindings(); len(found) != 1 || found[0].Status != verify.Fail {
		t.Errorf("%+v", found)
	}
}

// The longest deadline in force counts, of those that are known, and the CCM's too.
func TestRenewDeadline(t *testing.T) {
	long := component.Parse([]string{"--leader-elect-renew-deadline=40s"})
	for name, tt := range map[string]struct {
		change func(*Reading)
		want   int
	}{
		"the default": {func(*Reading) {}, 10},
		"a KCM's":     {func(r *Reading) { r.KCMs[1].Args = long }, 40},
		"not known":   {func(r *Reading) { r.KCMs[1].Args, r.KCMs[1].Known = long, false }, 10},
		"the CCM's":   {func(r *Reading) { r.Down.CCM.Containers[0].Args = []string{"--leader-elect-renew-deadline=20s"} }, 20},
		"no CCM":      {func(r *Reading) { r.Down.CCM = nil }, 10},
	} {
		seen := clusterAt(position.P3)
		tt.change(&seen.Reading)
		if got := seen.Reading.RenewDeadline(); int(got.Seconds()) != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Rights and Jobs that cannot be looked at are no fault of the installation.
func TestInstallationThatCannotBeLookedAt(t *testing.T) {
	for _, resource := range []string{"jobs", "subjectaccessreviews", "events"} {
		core, client, _ := observer(position.P3)
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(corev1.Resource(resource), "", nil)
		})
		seen := clusterAt(position.P3)
		seen.InstallMethod = InstallManifest
		got, err := core.Chart().Judge(t.Context(), seen)
		if err == nil {
			err = got.Err
		}
		if reasonOf(err) != "Forbidden" || got.Kind == runner.Met {
			t.Errorf("%s: %v %+v", resource, err, got)
		}
	}
}
