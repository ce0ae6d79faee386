package chart

import (
	"context"
	"errors"
	"strings"
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

// The chart's inputs follow the cluster's taints and kube-controller-manager arguments, and
// its cloud config unless the user gives one.
func TestInputs_cluster_followed(t *testing.T) {
	args := func(words ...string) component.Args { return component.Parse(words) }
	taint := downstream.Taint{Key: "node-role.kubernetes.io/etcd", Value: "true", Effect: "NoExecute"}
	surroundings := func(proxy string) ccmchart.Surroundings {
		return ccmchart.Surroundings{Env: []ccmchart.Variable{{Name: "HTTPS_PROXY", Value: proxy}}}
	}
	want := ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", NewestVersion: "v1.26.15+rke2r1", LeaderMigration: true, CloudConfig: "in-tree"}
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
		"a proxy":            {func(_ *Chart, s *migration.Snapshot) { s.Reading.KCMs[1].Surroundings = surroundings("p") }, func(i *ccmchart.Inputs) { i.Surroundings = surroundings("p") }},
		"two proxies": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[0].Surroundings, s.Reading.KCMs[1].Surroundings = surroundings("p"), surroundings("q")
		}, func(i *ccmchart.Inputs) { i.Surroundings, i.Differ = surroundings("p"), []string{"HTTPS_PROXY"} }},
		"a proxy of one that is unknown": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[0].Surroundings, s.Reading.KCMs[0].Known = surroundings("p"), false
		}, func(*ccmchart.Inputs) {}},
		"a document": {func(_ *Chart, s *migration.Snapshot) { s.InstallMethod = migration.InstallManifest }, func(i *ccmchart.Inputs) { i.Document = true }},
		"a private region": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.Down.Nodes[1].Labels[corev1.LabelTopologyRegion] = "us-iso-east-1"
		}, func(i *ccmchart.Inputs) { i.TrustHost = true }},
		"invalid lease arguments": {func(_ *Chart, s *migration.Snapshot) {
			s.Reading.KCMs[1].Args = args("--leader-elect-lease-duration=long")
		}, func(*ccmchart.Inputs) {}},
	} {
		access, _, by := clustertest.Reached(position.P2)
		core := Chart{Access: access, Backend: by}
		by.Cloud = "in-tree"
		snap := clustertest.At(position.P2)
		tt.change(&core, &snap)
		wanted := want
		election, err := snap.Reading.KCMs[0].Args.Election()
		if err != nil {
			t.Fatal(err)
		}
		wanted.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		tt.want(&wanted)
		got, err := core.inputs(t.Context(), snap, true)
		if d := cmp.Diff(wanted, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// A plan names unknown keys of the cloud config and unusual values.
func TestPlan_unusualValues_noted(t *testing.T) {
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

// Unreadable rights, Jobs and events do not count as a failed installation.
func TestJudge_forbidden_couldNotRead(t *testing.T) {
	for _, resource := range []string{"jobs", "subjectaccessreviews", "events"} {
		access, client, by := clustertest.Reached(position.P3)
		core := Chart{Access: access, Backend: by}
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(corev1.Resource(resource), "", nil)
		})
		snap := clustertest.At(position.P3)
		snap.InstallMethod = migration.InstallManifest
		got, err := core.Judge(t.Context(), snap)
		if err == nil {
			err = got.Err
		}
		if clustertest.ReasonOf(err) != "Forbidden" || got.Kind == runner.Met {
			t.Errorf("%s: %v %+v", resource, err, got)
		}
	}
}

func TestShortImage_repository_tagOfUpstream(t *testing.T) {
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

// The CCM is updated once, after every kubelet runs the new version and the cluster is at
// rest.
func TestFollowImage_kubelets_updatedOnce(t *testing.T) {
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
		"it is of the new version": {target, func(s *migration.Snapshot) { s.Reading.Down.CCM.Containers[0].Image = imageFor(target) }, false, false},
	} {
		by := &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}
		core := Chart{Backend: by, Access: migration.Access{Options: migration.Options{KubernetesVersion: tt.target}, Kube: clustertest.Permissive(nil), Distribution: wellknown.RKE2}}
		snap := clustertest.At(position.P5)
		snap.InstallMethod, snap.Reading.Version = migration.InstallManifest, target
		for i := range snap.Reading.Down.Nodes {
			snap.Reading.Down.Nodes[i].Kubelet = target
		}
		if tt.change != nil {
			tt.change(&snap)
		}
		if got, err := core.ImageDue(t.Context(), snap); err != nil || got != tt.due {
			t.Errorf("%s: due %t, %v", name, got, err)
		}
		if err := core.FollowImage(t.Context(), clustertest.TxFor(t, migration.StepUpgrade), snap); err != nil && clustertest.ReasonOf(err) != "NotAtRest" || (len(by.Applied) == 1) != tt.writes {
			t.Errorf("%s: %v, %d written", name, err, len(by.Applied))
		}
	}
	core := Chart{Backend: &clustertest.Side{CloudErr: clustertest.ErrAway}, Access: migration.Access{Options: migration.Options{KubernetesVersion: target}}}
	snap := clustertest.At(position.P5)
	for i := range snap.Reading.Down.Nodes {
		snap.Reading.Down.Nodes[i].Kubelet = target
	}
	if due, err := core.ImageDue(t.Context(), snap); due || !errors.Is(err, clustertest.ErrAway) {
		t.Errorf("an unknown image: due %t, %v", due, err)
	}
}

// The end of the table of images is an error, not a CCM that stays as it is.
func TestImageDue_noImage_typedError(t *testing.T) {
	by := &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}
	core := Chart{Backend: by, Access: migration.Access{Options: migration.Options{KubernetesVersion: "v1.37.1+rke2r1"}, Kube: clustertest.Permissive(nil), Distribution: wellknown.RKE2}}
	snap := upgraded(clustertest.At(position.P5), "v1.37.1+rke2r1")
	if _, err := core.ImageDue(t.Context(), snap); clustertest.ReasonOf(err) != awsccm.ReasonNoImage {
		t.Errorf("due: %v", err)
	}
	if _, err := core.JudgeImage(t.Context(), snap); clustertest.ReasonOf(err) != awsccm.ReasonNoImage {
		t.Errorf("verdict: %v", err)
	}
	if err := core.FollowImage(t.Context(), clustertest.TxFor(t, migration.StepUpgrade), snap); clustertest.ReasonOf(err) != awsccm.ReasonNoImage {
		t.Errorf("update: %v", err)
	}
}

// While one control plane is behind, also in a rollout that stopped, the image is that of the
// oldest API server.
func TestImage_mixedControlPlanes_oldest(t *testing.T) {
	snap := upgraded(clustertest.At(position.P5), "v1.28.15+rke2r1")
	snap.Reading.Down.Nodes[1].Kubelet = "v1.27.16+rke2r2"
	core := Chart{Backend: &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}, Access: migration.Access{Distribution: wellknown.RKE2}}
	image, err := core.image(t.Context(), snap)
	if err != nil || !strings.HasSuffix(image, ":v1.27.10") {
		t.Errorf("%s, %v", image, err)
	}
	core.Options.CCMImage = "v1.28.11"
	if _, err := core.image(t.Context(), snap); clustertest.ReasonOf(err) != awsccm.ReasonImageTooNew {
		t.Errorf("a given image: %v", err)
	}
}

// A CCM of awsmigrate's own release is outdated if the cluster was upgraded without it.
func TestOutdated_snapshots_ownReleaseBehind(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		to     string
		o      migration.Options
		change func(*migration.Snapshot)
		want   string // image, or empty if it is not outdated
	}{
		"same minor version":     {position.P5, "v1.26.15+rke2r1", migration.Options{}, nil, ""},
		"one behind":             {position.P5, "v1.27.16+rke2r2", migration.Options{}, nil, "v1.27.10"},
		"many behind":            {position.P5, "v1.36.3+rke2r1", migration.Options{}, nil, "v1.36.1"},
		"leader migration kept":  {position.P4, "v1.28.15+rke2r1", migration.Options{}, nil, "v1.28.11"},
		"before the switch":      {position.P3, "v1.27.16+rke2r2", migration.Options{}, nil, ""},
		"a control plane is old": {position.P5, "v1.28.15+rke2r1", migration.Options{}, func(s *migration.Snapshot) { s.Reading.Down.Nodes[1].Kubelet = "v1.27.16+rke2r2" }, "v1.27.10"},
		"an image by option":     {position.P5, "v1.37.1+rke2r1", migration.Options{CCMImage: "v1.37.0"}, nil, "v1.37.0"},
		"no image known":         {position.P5, "v1.37.1+rke2r1", migration.Options{}, nil, ""},
		"another tool's":         {position.P5, "v1.28.15+rke2r1", migration.Options{}, func(s *migration.Snapshot) { s.Reading.Down.CCM.Owner = "helm default/ccm" }, ""},
		"by the other method":    {position.P5, "v1.28.15+rke2r1", migration.Options{}, func(s *migration.Snapshot) { s.Reading.InstalledAs = migration.InstallManifest }, ""},
		"no readable version":    {position.P5, "v1.28.15+rke2r1", migration.Options{}, func(s *migration.Snapshot) { s.Reading.Down.CCM.Containers[0].Image = "r/ccm@sha256:00" }, ""},
		"no CCM":                 {position.P5, "v1.28.15+rke2r1", migration.Options{}, func(s *migration.Snapshot) { s.Reading.Down.CCM = nil }, ""},
	} {
		snap := upgraded(clustertest.At(tt.at), tt.to)
		snap.Reading.InstalledAs, snap.Reading.Down.CCM.Owner = migration.InstallHelm, helmOwner
		if tt.change != nil {
			tt.change(&snap)
		}
		if _, wanted, outdated := Outdated(snap, tt.o); outdated != (tt.want != "") || outdated && wanted != tt.want {
			t.Errorf("%s: %s, %t; want %q", name, wanted, outdated, tt.want)
		}
	}
}

// upgraded returns a snapshot whose configuration and kubelets have a version.
func upgraded(snap migration.Snapshot, version string) migration.Snapshot {
	snap.Reading.Version = version
	for i := range snap.Reading.Down.Nodes {
		snap.Reading.Down.Nodes[i].Kubelet = version
	}
	return snap
}

// imageFor returns the chart's image for a version.
func imageFor(version string) string {
	snap := clustertest.At(position.P5)
	snap = upgraded(snap, version)
	image, err := (Chart{Backend: &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}, Access: migration.Access{Distribution: wellknown.RKE2}}).image(context.Background(), snap)
	if err != nil {
		panic(err)
	}
	return image
}
