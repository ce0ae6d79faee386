package e2e

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// run returns `rke2 --cluster demo --yes` with further arguments. It hands over with the
// switch, unless they say when.
func run(more ...string) []string {
	lab := scenario.Lab{Target: []string{"rke2", "--cluster", "demo"}, Natural: true}
	return lab.Command("", append([]string{"--yes"}, more...)...)
}

// refusals returns commands that awsmigrate refuses on a lab before its migration.
func refusals(lab *scenario.Lab, dead, none string) []scenario.Refusal {
	management := lab.Kubeconfig("management")
	return []scenario.Refusal{
		{Name: "no owner named", Code: 2, Args: []string{"rke2", "--cluster", "demo", "--yes"}, Says: []string{"--edits: required", "Terraform"}},
		{Name: "unknown cluster", Code: 2, Args: []string{"rke2", "--cluster", "nosuch", "--yes", "--edits", "apply"}, Says: []string{"Cluster fleet-default/nosuch", "fleet-default/demo"}},
		{Name: "unknown namespace", Code: 2, Args: run("-n", "nons"), Says: []string{"Cluster nons/demo", "fleet-default/demo"}},
		{Name: "no cluster", Code: 2, Args: []string{"rke2", "--yes", "--edits", "apply"}, Says: []string{"--cluster"}},
		{Name: "no kubeconfig", Code: 2, Args: run("--kubeconfig", none), Says: []string{none, "does not exist"}},
		{Name: "no context", Code: 2, Args: run("--context", "nosuch"), Says: []string{`has no context "nosuch"`}},
		{Name: "not Rancher's cluster", Code: 2, Args: run("--kubeconfig", lab.Kubeconfig("downstream")), Says: []string{"clusters.provisioning.cattle.io"}},
		{Name: "API away", Code: 10, Args: run("--kubeconfig", dead), Says: []string{"127.0.0.1:1", "connection refused"}},
		{Name: "downstream API away", Code: 10, Args: run("--downstream-kubeconfig", dead), Says: []string{"kube-system", "connection refused"}},
		{Name: "another cluster as downstream", Code: 2, Args: run("--downstream-kubeconfig", management), Says: []string{"no Node there carries the UID of Machine"}},
		{Name: "viewer runs", Kubeconfig: "rancher-viewer", Code: 10, Args: run(), Says: []string{"forbidden"}},
		{Name: "viewer plans", Kubeconfig: "rancher-viewer", Code: 10, Args: []string{"rke2", "plan", "--cluster", "demo"}, Says: []string{"forbidden"}},
		{Name: "unknown flag", Code: 2, Args: run("--bogus"), Says: []string{"--bogus"}},
		{Name: "unknown command", Code: 2, Args: []string{"rke2", "bogus"}, Says: []string{`"bogus"`}},
		{Name: "unknown output", Code: 2, Args: run("-o", "xml"), Says: []string{"xml", "jsonl"}},
		{Name: "unknown end state", Code: 2, Args: run("--end-state", "sideways"), Says: []string{"sideways", "overrides"}},
		{Name: "timeout below zero", Code: 2, Args: run("--timeout", "-1s"), Says: []string{"--timeout"}},
		{Name: "unknown step", Code: 2, Args: run("--until", "nosuch"), Says: []string{"nosuch", "enable-leader-migration"}},
		{Name: "step that is not the first", Code: 2, Args: run("--step", "install-ccm"), Says: []string{"the next step is etcd-snapshot"}},
		{Name: "skip without reason", Code: 2, Args: run("--skip", "AWSM-110"), Says: []string{"AWSM-110", "reason"}},
		{Name: "skip of a guard", Code: 2, Args: run("--skip", "AWSM-105=hurry"), Says: []string{"AWSM-105", "cannot be skipped"}},
		{Name: "skip of an unknown check", Code: 2, Args: run("--skip", "AWSM-999=why"), Says: []string{"AWSM-999"}},
		{Name: "no such values file", Code: 2, Args: run("--values", none), Says: []string{"--values"}},
		{Name: "older version", Code: 2, Args: run("--kubernetes-version", "v1.25.3+rke2r1"), Says: []string{"older"}},
		{Name: "external without proof", Code: 3, Args: run("--end-state", "external"), Says: []string{"not registered with an explicit node-name"}},
		{Name: "external without proof, planned", Code: 3, Args: []string{"rke2", "plan", "--cluster", "demo", "--end-state", "external"}, Says: []string{"--end-state overrides"}},
		{Name: "no terminal to ask", Code: 7, Args: []string{"rke2", "--cluster", "demo"}, Says: []string{"no terminal", "--yes", "--edits", "apply"}},
		{Name: "Rancher's own cluster", Code: 3, Args: []string{"rke2", "--cluster", "local", "-n", "fleet-local", "--yes", "--edits", "apply"}, Says: []string{"the cluster Rancher itself runs in"}},
		{Name: "imported", Code: 3, Args: []string{"rke2", "--cluster", "imported", "--yes", "--edits", "apply"}, Says: []string{"no spec.rkeConfig"}},
		{Name: "K3s", Code: 3, Args: []string{"rke2", "--cluster", "light", "--yes", "--edits", "apply"}, Says: []string{"K3s v1.26.13+k3s1"}},
		{Name: "no machines", Code: 3, Args: []string{"rke2", "--cluster", "empty", "--yes", "--edits", "apply"}, Says: []string{"no Machines"}},
	}
}

// refusedAtTheStart runs every command that must be refused before a migration, and checks that
// awsmigrate wrote to no API server: no object of the clusters, and no lock or journal.
func refusedAtTheStart(t *testing.T, lab *scenario.Lab) {
	ctx := within(t, 3*time.Minute)
	dir := t.TempDir()
	dead, err := lab.DeadKubeconfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	since := time.Now()
	extra := map[string]map[string]any{
		"imported": {},
		"light":    {"kubernetesVersion": "v1.26.13+k3s1", "rkeConfig": map[string]any{}},
		"empty":    {"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{}},
	}
	for name, spec := range extra {
		if err := lab.AddCluster(ctx, name, spec); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("commands", func(t *testing.T) {
		// Without t.Parallel: a subtest would wait for every other lab.
		var g errgroup.Group
		g.SetLimit(4)
		for _, r := range refusals(lab, dead, filepath.Join(dir, "none.yaml")) {
			g.Go(func() error {
				if err := r.Check(ctx, lab, testWriter{t}); err != nil {
					t.Errorf("%s: %v", r.Name, err)
				}
				return nil
			})
		}
		_ = g.Wait() // each reports its own failure
	})
	for name := range extra {
		if err := lab.RemoveCluster(ctx, name); err != nil {
			t.Error(err)
		}
	}
	t.Run("granted", func(t *testing.T) { viewerIsGrantedWhatIsMissing(ctx, t, lab) })
	t.Run("reader", func(t *testing.T) { readerPlansAndWritesNothing(ctx, t, lab) })
	t.Run("clusters that do not fit", func(t *testing.T) { refusedClusters(ctx, t, lab) })
	leftNothing(ctx, t, lab, since)
	before, err := lab.Identities(ctx)
	if err != nil || len(before) != 6 {
		t.Errorf("Nodes after the refusals: %v, %v", before, err)
	}
}

// readerPlansAndWritesNothing checks that a user who may read everything gets a plan. A run
// ends before its first write, because one check may not even ask whether pods would be
// admitted.
func readerPlansAndWritesNothing(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	takeAway, err := lab.LetViewerRead(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := takeAway(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, r := range []scenario.Refusal{
		{Name: "plan", Args: []string{"rke2", "plan", "--cluster", "demo"}, Code: 0, Says: []string{"now    P0", "switch-provider"}},
		{Name: "status", Args: []string{"rke2", "status", "--cluster", "demo"}, Code: 0, Says: []string{"now    P0"}},
		{Name: "plan of a cluster", Args: []string{"plan", "--cluster", "demo"}, Code: 0, Says: []string{"now    P0", "switch-provider"}},
		{Name: "status of a cluster", Args: []string{"status", "--cluster", "demo"}, Code: 0, Says: []string{"now    P0"}},
		{Name: "run", Args: run(), Code: 10, Says: []string{"AWSM-608", "pods is forbidden"}},
	} {
		r.Kubeconfig = "rancher-viewer"
		t.Run(r.Name, func(t *testing.T) { refuses(ctx, t, lab, r) })
	}
}

// viewerIsGrantedWhatIsMissing grants the viewer's missing rights as verify --access prints
// them.
func viewerIsGrantedWhatIsMissing(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	grantedWhatIsMissing(ctx, t, lab, "rancher-viewer", []string{"--cluster", "demo"}, grant{"rbac-rancher", lab.KubectlManagement}, grant{"rbac", lab.Kubectl})
}

func refuses(ctx context.Context, t *testing.T, lab *scenario.Lab, r scenario.Refusal) {
	t.Helper()
	if err := r.Check(ctx, lab, testWriter{t}); err != nil {
		t.Error(err)
	}
}

// refusedClusters makes the lab's own cluster one that cannot be migrated, in several ways. A
// pause keeps Rancher from rolling any of them out.
func refusedClusters(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	workers, err := lab.Machines(ctx, "worker")
	if err != nil || len(workers) == 0 {
		t.Fatalf("workers %v, %v", workers, err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(lab.Pause(ctx, true))
	must(lab.LabelMachine(ctx, workers[0], "cattle.io/os", "windows"))
	refuses(ctx, t, lab, scenario.Refusal{Args: run(), Code: 3, Says: []string{"AWSM-103", "Machine " + workers[0], "Windows"}})
	must(lab.LabelMachine(ctx, workers[0], "cattle.io/os", "linux"))

	const provider = "/spec/rkeConfig/machineSelectorConfig/0/config/cloud-provider-name"
	must(lab.PatchCluster(ctx, scenario.Operation{Op: "replace", Path: provider, Value: "vsphere"}))
	refuses(ctx, t, lab, scenario.Refusal{Args: run(), Code: 3, Says: []string{"AWSM-103", "vsphere"}})
	must(lab.PatchCluster(ctx, scenario.Operation{Op: "replace", Path: provider, Value: "aws"},
		scenario.Operation{Op: "add", Path: "/spec/rkeConfig/machineSelectorConfig/-", Value: map[string]any{
			"machineLabelSelector": map[string]any{"matchLabels": map[string]any{"rke.cattle.io/worker-role": "true"}},
			"config":               map[string]any{"cloud-provider-name": ""}}}))
	refuses(ctx, t, lab, scenario.Refusal{Args: run(), Code: 3, Says: []string{"cloud-provider-name", workers[0]}})
	must(lab.PatchCluster(ctx, scenario.Operation{Op: "remove", Path: "/spec/rkeConfig/machineSelectorConfig/1"}))
	must(lab.Pause(ctx, false))
}

// leftNothing checks, by the audit logs of all API servers and by the existing objects, that
// awsmigrate wrote nothing since a time.
func leftNothing(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	writes, err := lab.Writes(since, "awsmigrate")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Compact(writes) {
		t.Errorf("wrote: %s", w)
	}
	records, err := lab.Records(ctx)
	if err != nil || len(records) > 0 {
		t.Errorf("lock and journal: %v, %v", records, err)
	}
	if _, err := lab.Downstream.RbacV1().Roles("kube-system").Get(ctx, "awsmigrate-leader-migration", metav1.GetOptions{}); err == nil {
		t.Error("the grant is there")
	}
}
