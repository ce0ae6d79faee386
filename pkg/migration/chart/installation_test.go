package chart

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The chart's values are those of the cluster: what its control planes tolerate, what its
// kube-controller-managers run with, and the cloud config in force unless one is given.
func TestChartInputs(t *testing.T) {
	args := func(words ...string) component.Args { return component.Parse(words) }
	taint := downstream.Taint{Key: "node-role.kubernetes.io/etcd", Value: "true", Effect: "NoExecute"}
	want := ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true, CloudConfig: "in-tree"}
	for name, tt := range map[string]struct {
		change func(*Chart, *migration.Snapshot)
		want   func(*ccmchart.Inputs)
	}{
		"as it is":       {func(*Chart, *migration.Snapshot) {}, func(*ccmchart.Inputs) {}},
		"a cloud config": {func(m *Chart, _ *migration.Snapshot) { m.Options.CloudConfig = "given" }, func(i *ccmchart.Inputs) { i.CloudConfig = "given" }},
		"routes":         {func(m *Chart, _ *migration.Snapshot) { m.Options.CloudRoutes = "on" }, func(i *ccmchart.Inputs) { i.Routes = true }},
		"no routes":      {func(m *Chart, _ *migration.Snapshot) { m.Options.CloudRoutes = "off" }, func(*ccmchart.Inputs) {}},
		"a taint": {func(_ *Chart, s *migration.Snapshot) { s.Reading.Down.Nodes[1].Taints = []downstream.Taint{taint} }, func(i *ccmchart.Inputs) {
			i.ControlPlaneTaints = rollout.Taints(downstream.Node{Taints: []downstream.Taint{taint}})
		}},
		"a worker's":     {func(_ *Chart, s *migration.Snapshot) { s.Reading.Down.Nodes[2].Taints = []downstream.Taint{taint} }, func(*ccmchart.Inputs) {}},
		"a cluster CIDR": {func(_ *Chart, s *migration.Snapshot) { s.Reading.KCMs[1].Args = args("--cluster-cidr=10.42.0.0/16") }, func(i *ccmchart.Inputs) { i.ClusterCIDR = "10.42.0.0/16" }},
		"the first of them": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[0].Args, s.Reading.KCMs[1].Args = args("--cluster-cidr=10.1.0.0/16"), args("--cluster-cidr=10.2.0.0/16")
		}, func(i *ccmchart.Inputs) { i.ClusterCIDR = "10.1.0.0/16" }},
		"of one that is unknown": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[0].Args, s.Reading.KCMs[0].Known = args("--cluster-cidr=10.1.0.0/16"), false
		}, func(*ccmchart.Inputs) {}},
		"untagged instances": {func(_ *Chart, s *migration.Snapshot) { s.Reading.KCMs[0].Args = args("--allow-untagged-cloud") }, func(i *ccmchart.Inputs) { i.AllowUntagged = true }},
		"longer leases": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[1].Args = args("--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s")
		},
			func(i *ccmchart.Inputs) { i.LeaderElection.LeaseDuration, i.LeaderElection.RenewDeadline = 60e9, 40e9 }},
		"an early hand-over": {func(c *Chart, _ *migration.Snapshot) { c.Options.EarlyHandOver = true }, func(i *ccmchart.Inputs) { i.LeaderElection.RetryPeriod = 500e6 }},
		"leases that nobody can read": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[1].Args = args("--leader-elect-lease-duration=long")
		}, func(*ccmchart.Inputs) {}},
	} {
		access, _, by := clustertest.Reached(position.P2)
		core := Chart{Access: access, Backend: by}
		by.Cloud = "in-tree"
		seen := clustertest.At(position.P2)
		tt.change(&core, &seen)
		wanted := want
		election, err := seen.Reading.KCMs[0].Args.Election()
		if err != nil {
			t.Fatal(err)
		}
		wanted.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		tt.want(&wanted)
		got, err := core.inputs(t.Context(), seen, true)
		if d := cmp.Diff(wanted, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// A plan names what of a cloud config the CCM does not know, and what somebody should
// know of its values.
func TestPlanNamesWhatIsLeftOut(t *testing.T) {
	access, _, by := clustertest.Reached(position.P2)
	core := Chart{Access: access, Backend: by}
	by.Cloud = "[Global]\nRoleARN=arn:aws:iam::1:role/x\nNotAKey=1\n"
	core.Options.Values = map[string]any{"args": []any{"--enable-leader-migration=true"}, "notOfTheChart": "x"}
	plan, err := core.Plan(t.Context(), clustertest.At(position.P2), true)
	want := []string{
		"cloud config key left out, the CCM does not know it: Global.NotAKey (line 3)",
		"args --enable-leader-migration: true (left out: awsmigrate sets it, with a file that names the controllers)",
		"notOfTheChart: reaches no object (the chart does not have it, or does not use it with the other values)",
	}
	if d := cmp.Diff(want, plan.Notes); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// Rights and Jobs that cannot be looked at are no fault of the installation.
func TestInstallationThatCannotBeLookedAt(t *testing.T) {
	for _, resource := range []string{"jobs", "subjectaccessreviews", "events"} {
		access, client, by := clustertest.Reached(position.P3)
		core := Chart{Access: access, Backend: by}
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(corev1.Resource(resource), "", nil)
		})
		seen := clustertest.At(position.P3)
		seen.InstallMethod = migration.InstallManifest
		got, err := core.Judge(t.Context(), seen)
		if err == nil {
			err = got.Err
		}
		if clustertest.ReasonOf(err) != "Forbidden" || got.Kind == runner.Met {
			t.Errorf("%s: %v %+v", resource, err, got)
		}
	}
}

func TestShortImage(t *testing.T) {
	for ref, want := range map[string]string{
		"v1.26.14":                             "v1.26.14",
		awsccm.DefaultRepository + ":v1.26.14": "v1.26.14",
		"mirror.example/ccm:v1.26.14":          "mirror.example/ccm:v1.26.14",
	} {
		image, err := awsccm.ParseImage(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := shortImage(image); got != want {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
}

// The CCM follows once every kubelet runs the new version and the cluster rests, and not
// before it, nor a second time.
func TestImageFollowsTheKubelets(t *testing.T) {
	const old, target = "v1.26.15+rke2r1", "v1.27.16+rke2r1"
	for name, tt := range map[string]struct {
		target string
		change func(*migration.Snapshot)
		due    bool
		writes bool
	}{
		"every kubelet has it":     {target, nil, true, true},
		"one does not":             {target, func(s *migration.Snapshot) { s.Reading.Down.Nodes[0].Kubelet = old }, false, false},
		"the cluster moves":        {target, func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, true, false},
		"a Node is not Ready":      {target, func(s *migration.Snapshot) { s.Reading.Down.Nodes[2].Ready.Status = "False" }, true, false},
		"there is no CCM":          {target, func(s *migration.Snapshot) { s.Reading.Down.CCM = nil }, false, false},
		"it is of the new version": {target, func(s *migration.Snapshot) { s.Reading.Down.CCM.Containers[0].Image = followed(target) }, false, false},
	} {
		by := &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}
		core := Chart{Backend: by, Access: migration.Access{Options: migration.Options{KubernetesVersion: tt.target}, Kube: clustertest.Permissive(nil), Distribution: wellknown.RKE2}}
		seen := clustertest.At(position.P5)
		seen.InstallMethod, seen.Reading.Version = migration.InstallManifest, target
		for i := range seen.Reading.Down.Nodes {
			seen.Reading.Down.Nodes[i].Kubelet = target
		}
		if tt.change != nil {
			tt.change(&seen)
		}
		if got := core.ImageDue(t.Context(), seen); got != tt.due {
			t.Errorf("%s: due %t", name, got)
		}
		if err := core.FollowImage(t.Context(), clustertest.TxFor(t, migration.StepUpgrade), seen); err != nil && clustertest.ReasonOf(err) != "NotAtRest" || (len(by.Applied) == 1) != tt.writes {
			t.Errorf("%s: %v, %d written", name, err, len(by.Applied))
		}
	}
	core := Chart{Backend: &clustertest.Side{CloudErr: clustertest.ErrAway}, Access: migration.Access{Options: migration.Options{KubernetesVersion: target}}}
	seen := clustertest.At(position.P5)
	for i := range seen.Reading.Down.Nodes {
		seen.Reading.Down.Nodes[i].Kubelet = target
	}
	if core.ImageDue(t.Context(), seen) {
		t.Error("it is due by an image that nobody knows")
	}
}

// followed is the image that the chart takes for a version.
func followed(version string) string {
	seen := clustertest.At(position.P5)
	seen.Reading.Version = version
	image, err := (Chart{Backend: &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}, Access: migration.Access{Distribution: wellknown.RKE2}}).image(context.Background(), seen)
	if err != nil {
		panic(err)
	}
	return image
}
