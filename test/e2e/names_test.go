//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestHostNameIsNoProof uses machines on which `external` would keep every name, because the
// operating system's host name equals the Node's. No API shows that, and awsmigrate may not
// guess.
func TestHostNameIsNoProof(t *testing.T) {
	lab := boot(t, "--lease", quick, "--os-hostname", "%d", "--control-planes", "1", "--workers", "1")
	ctx := within(t, 2*time.Minute)
	since := time.Now()
	plan := []string{"rke2", "plan", "--cluster", "demo"}
	refuses(ctx, t, lab, scenario.Refusal{Args: plan, Code: 0, Says: []string{"end    overrides (no node has an explicit node-name)", "cloud-provider=external"}})
	refuses(ctx, t, lab, scenario.Refusal{Args: append(plan, "--end-state", "external"), Code: 3, Says: []string{"not registered with an explicit node-name"}})
	refuses(ctx, t, lab, scenario.Refusal{Args: run("--end-state", "external"), Code: 3, Says: []string{"which no API shows"}})
	leftNothing(ctx, t, lab, since)
}

// TestNoEndStateKeepsTheNames uses a metadata service that answers IMDSv2 only. RKE2 then uses
// `hostname -f`, which is not the name that the in-tree kubelet registered.
func TestNoEndStateKeepsTheNames(t *testing.T) {
	lab := boot(t, "--lease", quick, "--imds", "required", "--hostname-f", "%m.internal", "--control-planes", "1", "--workers", "1")
	ctx := within(t, 2*time.Minute)
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		if !strings.HasSuffix(n.Labels["kubernetes.io/hostname"], ".internal") || n.Labels["kubernetes.io/hostname"] == n.Name {
			t.Fatalf("Node %s has the label %s: this lab shows nothing", n.Name, n.Labels["kubernetes.io/hostname"])
		}
	}
	since := time.Now()
	for _, state := range []string{"auto", "overrides", "external"} {
		refuses(ctx, t, lab, scenario.Refusal{Args: run("--end-state", state), Code: 3, Says: []string{"Node", "ec2.internal"}})
		refuses(ctx, t, lab, scenario.Refusal{Args: []string{"rke2", "plan", "--cluster", "demo", "--end-state", state}, Code: 3})
	}
	leftNothing(ctx, t, lab, since)
}

// TestExplicitNamesAreKeptExternal migrates machines of pools that were registered with
// explicit node names; `auto` then selects `external`.
func TestExplicitNamesAreKeptExternal(t *testing.T) {
	lab := boot(t, "--lease", quick, "--explicit-node-names")
	ctx := within(t, 15*time.Minute)
	evidence, err := scenario.Migration{Lab: lab, Out: testWriter{t}}.Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("migrated in %.0f s\n%s", evidence.Took.Seconds(), evidence.Report)
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil || len(nodes.Items) != evidence.Nodes {
		t.Fatalf("%d Nodes, %v; wanted %d", len(nodes.Items), err, evidence.Nodes)
	}
	for _, n := range nodes.Items {
		args := nodeArgs(t, n.Annotations)
		if last(args, "--cloud-provider-name") != "external" || last(args, "--node-name") != n.Name {
			t.Errorf("Node %s runs %v", n.Name, args)
		}
	}
	managersAre(ctx, t, lab, "external", "")
}

// managersAre checks provider and flag of every running kube-controller-manager.
func managersAre(ctx context.Context, t *testing.T, lab *scenario.Lab, provider, flag string) {
	t.Helper()
	managers, err := lab.RunningNow(ctx, "kube-controller-manager")
	if err != nil || len(managers) == 0 {
		t.Fatalf("%d kube-controller-managers, %v", len(managers), err)
	}
	for _, m := range managers {
		p, _ := m.Last("cloud-provider")
		f, _ := m.Last("enable-leader-migration")
		if p != provider || f != flag {
			t.Errorf("%s runs with provider %q, flag %q; wanted %q, %q", m.Name, p, f, provider, flag)
		}
	}
}

// nodeArgs returns the start arguments that RKE2 reports on a Node.
func nodeArgs(t *testing.T, annotations map[string]string) []string {
	t.Helper()
	var args []string
	if err := json.Unmarshal([]byte(annotations["rke2.io/node-args"]), &args); err != nil {
		t.Fatalf("annotation rke2.io/node-args: %v", err)
	}
	return args
}

// last returns the value of a flag given as two elements; the last one counts.
func last(args []string, flag string) string {
	args = slices.Clone(args)
	slices.Reverse(args)
	if i := slices.Index(args, flag); i > 0 {
		return args[i-1]
	}
	return ""
}
