//go:build slow

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestBrakeHoldsTheRest runs an awsmigrate with a seeded defect that makes a cluster `external`
// although this renames its Nodes. All checks are deceived. The first machine registers a
// second Node, and the pause must hold every other one. Rancher probes once between the
// kubelet's start and the next plan, so the agent's real period matters here.
func TestBrakeHoldsTheRest(t *testing.T) {
	lab := boot(t, "--lease", quick, "--probe-period", "5s")
	pauseHoldsTheRest(t, lab)
}

func pauseHoldsTheRest(t *testing.T, lab *scenario.Lab) {
	ctx := within(t, 15*time.Minute)
	before, err := lab.Identities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defective := *lab
	// The edits make the cluster external regardless of the options and the checks, which
	// renames every Node without an explicit name.
	defective.Bin = withDefect(t, lab.Bin, "pkg/rke2/rke2checks/endstate.go", "return edits.EndState(choice.State)", "return edits.External")
	start := time.Now()
	code, stdout, stderr, err := defective.Awsmigrate(ctx, testWriter{t}, run()...)
	if err != nil || code != 3 {
		t.Fatalf("exit %d, %v; wanted 3\n%s%s", code, err, stdout, stderr)
	}
	t.Logf("stopped after %.0f s", time.Since(start).Seconds())
	paused, by, err := lab.Paused(ctx)
	if err != nil || !paused || by == "" {
		t.Errorf("RKEControlPlane paused: %t, by %q, %v", paused, by, err)
	}
	// A plan that a machine received before the pause still takes effect.
	machine := findRenamed(t, lab, before)
	if !strings.Contains(stderr, "Machine "+machine) {
		t.Errorf("does not name Machine %s:\n%s", machine, stderr)
	}
	for _, look := range []time.Duration{0, 60 * time.Second} {
		waitFor(t, look)
		if again := findRenamed(t, lab, before); again != machine {
			t.Errorf("%s later Machine %s is renamed, too", look, again)
		}
	}
	// Rancher's agent may have run on the renamed machine. Its pod counts as running on the
	// old Node for minutes, and the connection through Rancher is down meanwhile.
	past := []string{"--downstream-kubeconfig", lab.Kubeconfig("downstream")}
	refuses(ctx, t, lab, scenario.Refusal{Args: append([]string{"rke2", "status", "--cluster", "demo"}, past...), Code: 0, Says: []string{"Rancher is paused", by}})
	refuses(ctx, t, lab, scenario.Refusal{Args: run(past...), Code: 3, Says: []string{machine}})
	if again := findRenamed(t, lab, before); again != machine {
		t.Errorf("after another run Machine %s is renamed, too", again)
	}
	observation, text, err := lab.Observe(ctx, start)
	if err != nil || observation.Overlaps() > 0 || len(observation.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
}

// findRenamed returns the one Machine that has a second Node or a new name. The test fails if there
// are several or none, or if another machine has an external kube-controller-manager.
func findRenamed(t *testing.T, lab *scenario.Lab, before map[string]scenario.Identity) string {
	t.Helper()
	nodes, err := lab.Downstream.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	byUID := map[string]string{}
	for _, role := range []string{"control-plane", "worker"} {
		names, err := lab.MachineUIDs(t.Context(), role)
		if err != nil {
			t.Fatal(err)
		}
		for uid, name := range names {
			byUID[uid] = name
		}
	}
	machine := ""
	for _, n := range nodes.Items {
		if _, old := before[n.Name]; old {
			continue
		}
		if machine != "" {
			t.Errorf("Machines %s and %s are renamed", machine, byUID[n.Labels["rke.cattle.io/machine"]])
		}
		machine = byUID[n.Labels["rke.cattle.io/machine"]]
	}
	if machine == "" {
		t.Fatalf("no machine was renamed: the defect shows nothing")
	}
	managers, err := lab.RunningNow(t.Context(), "kube-controller-manager")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range managers {
		if provider, _ := m.Last("cloud-provider"); provider == "external" && m.Node != machine {
			t.Errorf("kube-controller-manager of %s runs with provider %q; wanted only %s to have it", m.Node, provider, machine)
		}
	}
	return machine
}

// waitFor waits for a period in which something must not happen.
func waitFor(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// withDefect builds awsmigrate with one change in a source file, by an overlay, into a new
// folder with a link to the lab. The sources stay unchanged, so no other program has the
// defect.
func withDefect(t *testing.T, bin, file, old, broken string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil || strings.Count(string(text), old) != 1 {
		t.Fatalf("%q is not in %s once: %v", old, source, err)
	}
	with := filepath.Join(dir, "broken.go")
	if err := os.WriteFile(with, []byte(strings.Replace(string(text), old, broken, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: with}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-overlay", overlay, "-o", filepath.Join(dir, "awsmigrate"), "./cmd/awsmigrate")
	build.Dir = "../.." // the product is a separate module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build with a defect in %s: %v\n%s", file, err, out)
	}
	if err := os.Symlink(filepath.Join(bin, "lab"), filepath.Join(dir, "lab")); err != nil {
		t.Fatal(err)
	}
	return dir
}
