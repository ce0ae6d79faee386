//go:build slow

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// faulty is a lab whose Cluster object is kept in Git by an owner who commits wrong edits.
type faulty struct {
	undo
	git *scenario.Git
}

// toFault returns such a lab before any change.
func toFault(t *testing.T, flags ...string) (faulty, context.Context) {
	t.Helper()
	u, ctx := toUndo(t, flags...)
	git, err := u.lab.KeepInGit(ctx)
	must(t, err)
	return faulty{undo: u, git: git}, ctx
}

// part runs one fault. It checks that awsmigrate wrote neither the Cluster object nor a Node,
// and logs the duration, the observer's report and the position that results.
func (f faulty) part(ctx context.Context, t *testing.T, name string, do func(t *testing.T, since time.Time)) {
	t.Helper()
	since := time.Now()
	if !t.Run(name, func(t *testing.T) {
		do(t, since)
		f.wroteNoEdit(t, since)
		f.sameNodes(ctx, t)
		f.sees(ctx, t, since, name)
	}) {
		t.FailNow()
	}
}

// sees logs the observer's report since a time and the position of the cluster.
func (f faulty) sees(ctx context.Context, t *testing.T, since time.Time, what string) {
	t.Helper()
	standing, err := f.lab.Standing(ctx)
	must(t, err)
	seen, text, err := f.lab.Observe(ctx, since)
	must(t, err)
	t.Logf("%s: %.0f s, at position %s; %d overlaps\n%s", what, time.Since(since).Seconds(), standing, seen.Overlaps(), text)
}

// wroteNoEdit checks that awsmigrate wrote neither the Cluster object nor a Node. A run that
// refuses may write nothing at all.
func (f faulty) wroteNoEdit(t *testing.T, since time.Time) {
	t.Helper()
	writes, err := f.lab.Writes(since, "awsmigrate")
	must(t, err)
	for _, write := range writes {
		if strings.Contains(write, "provisioning.cattle.io") || strings.Contains(write, "/api/v1/nodes") {
			t.Errorf("wrote: %s", write)
		}
	}
}

func (f faulty) sameNodes(ctx context.Context, t *testing.T) {
	t.Helper()
	if nodes, err := f.lab.Identities(ctx); err != nil || cmp.Diff(f.beginning.Nodes, nodes) != "" {
		t.Errorf("%v, Nodes:\n%s", err, cmp.Diff(f.beginning.Nodes, nodes))
	}
}

// runs types the one command of a migration by commits and checks its exit code and output.
func (f faulty) runs(ctx context.Context, t *testing.T, code int, says ...string) {
	t.Helper()
	f.ends(ctx, t, code, says, f.lab.Command("", "--yes", "--edits", "handoff")...)
}

// runsUntil is runs with a last step.
func (f faulty) runsUntil(ctx context.Context, t *testing.T, step string, code int, says ...string) {
	t.Helper()
	f.ends(ctx, t, code, says, f.lab.Command("", "--yes", "--edits", "handoff", "--until", step)...)
}

func (f faulty) ends(ctx context.Context, t *testing.T, code int, says []string, args ...string) {
	t.Helper()
	began := time.Now()
	if err := (scenario.Refusal{Code: code, Args: args, Says: says}).Check(ctx, f.lab, testWriter{t}); err != nil {
		t.Error(err)
	}
	t.Logf("%s took %.0f s", strings.Join(args, " "), time.Since(began).Seconds())
}

// fragment returns the next edit as `plan --handoff` prints it.
func (f faulty) fragment(ctx context.Context, t *testing.T, step string) string {
	t.Helper()
	code, text, stderr, err := f.lab.Awsmigrate(ctx, testWriter{t}, f.lab.Command("plan", "--edits", "handoff", "--handoff", "fleet")...)
	if err != nil || code != 0 || !strings.Contains(text, "("+step+")") {
		t.Fatalf("the fragment of %s: exit %d, %v\n%s%s", step, code, err, text, stderr)
	}
	return text
}

// reaches commits each edit as printed, until a run ends after the step until.
func (f faulty) reaches(ctx context.Context, t *testing.T, until string, steps ...string) {
	t.Helper()
	for _, step := range steps {
		f.runsUntil(ctx, t, until, 6, "differ from what step "+step+" needs")
		must(t, f.git.Commit(ctx, f.fragment(ctx, t, step)))
	}
	f.runsUntil(ctx, t, until, 0)
}

// noneTwice checks that no two processes ran a controller at once since a time.
func (f faulty) noneTwice(ctx context.Context, t *testing.T, since time.Time) {
	t.Helper()
	seen, text, err := f.lab.Observe(ctx, since)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
}

// waitForTwo waits until the observer has seen a kube-controller-manager and a cloud controller
// manager run the service controller at once.
func (f faulty) waitForTwo(ctx context.Context, t *testing.T, since time.Time) {
	t.Helper()
	must(t, scenario.Until(ctx, "the service controller to run twice", func(ctx context.Context) (bool, string, error) {
		seen, text, err := f.lab.Observe(ctx, since)
		for _, overlap := range seen.Of(scenario.Service).Overlaps {
			kinds := overlap.First.Kind + " " + overlap.Second.Kind
			if strings.Contains(kinds, scenario.KubeControllerManager) && strings.Contains(kinds, scenario.CloudControllerManager) {
				return true, "", err
			}
		}
		return false, text, err
	}))
}

// isAt checks the position, which has the form of scenario.Lab.Standing.
func (f faulty) isAt(ctx context.Context, t *testing.T, position string) {
	t.Helper()
	if standing, err := f.lab.Standing(ctx); err != nil || standing != position {
		t.Errorf("position %q, %v; wanted %s", standing, err, position)
	}
}

// endsPause removes awsmigrate's pause as docs/going-back.md describes.
func (f faulty) endsPause(ctx context.Context, t *testing.T) {
	t.Helper()
	paused, by, err := f.lab.Paused(ctx)
	if err != nil || !paused || by == "" {
		t.Errorf("RKEControlPlane paused: %t, by %q, %v", paused, by, err)
	}
	_, err = f.lab.KubectlManagement(ctx, "", "-n", "fleet-default", "annotate", "rkecontrolplanes.rke.cattle.io", "demo", "cluster.x-k8s.io/paused-", "awsmigrate.io/paused-by-")
	must(t, err)
}

// holdsAt checks that the pause keeps control planes from a provider and that no further one gets
// it while Rancher is paused. It returns how many have it: a machine that already has its plan
// when the next run begins cannot be held.
func (f faulty) holdsAt(t *testing.T, provider string) int {
	t.Helper()
	reached := func() int {
		providers, err := f.lab.Providers()
		must(t, err)
		n := 0
		for _, have := range providers {
			if have == provider {
				n++
			}
		}
		return n
	}
	waitFor(t, 30*time.Second) // a plan that a machine received before the pause still takes effect
	first := reached()
	t.Logf("paused at %d of 3 control planes", first)
	if first > 2 {
		t.Errorf("all control planes run %s", provider)
	}
	waitFor(t, 30*time.Second)
	if now := reached(); now != first {
		t.Errorf("%d of 3 control planes run %s, were %d when Rancher was paused", now, provider, first)
	}
	return first
}

// reportsPause checks what a run and status report of a cluster that a pause holds: which commit must
// come first and that the pause must then be ended. Between two positions undo refuses, too.
func (f faulty) reportsPause(ctx context.Context, t *testing.T, reached int) {
	t.Helper()
	f.runs(ctx, t, 3, "commit the Cluster's previous configuration", "then end the pause")
	if reached == 0 {
		f.ends(ctx, t, 0, []string{"Rancher is paused for this cluster: paused by awsmigrate"}, f.lab.Command("status")...)
		return
	}
	f.ends(ctx, t, 3, []string{"then end the pause"}, f.lab.Command("status")...)
	f.ends(ctx, t, 3, []string{"then end the pause"}, f.lab.Command("undo", "--yes", "--edits", "handoff")...)
}

// TestCommitFaultsAtOnce commits both edits at once before a cloud controller manager exists,
// and later the second edit with a key missing.
func TestCommitFaultsAtOnce(t *testing.T) {
	f, ctx := toFault(t, "--probe-period", "5s")
	f.part(ctx, t, "both fragments at once", func(t *testing.T, since time.Time) {
		f.runs(ctx, t, 6, "differ from what step enable-leader-migration needs")
		code, all, stderr, err := f.lab.Awsmigrate(ctx, testWriter{t}, f.lab.Command("plan", "--edits", "handoff", "--handoff", "fleet", "--all")...)
		_, second, found := strings.Cut(all, "# NOT YET: after install-ccm.")
		if err != nil || code != 0 || !found {
			t.Fatalf("all fragments: exit %d, %v\n%s%s", code, err, all, stderr)
		}
		must(t, f.git.Commit(ctx, second))
		f.runs(ctx, t, 3, " external, and there is no cloud controller manager", "Rancher is paused", "next:    docs/going-back.md#after-a-pause")
		f.reportsPause(ctx, t, f.holdsAt(t, "external"))
		f.noneTwice(ctx, t, since)
	})
	f.part(ctx, t, "reverted, then edited as printed", func(t *testing.T, since time.Time) {
		must(t, f.git.Return(ctx, 0))
		f.endsPause(ctx, t)
		must(t, f.lab.WaitApplied(ctx))
		f.runs(ctx, t, 6, "differ from what step enable-leader-migration needs")
		must(t, f.git.Commit(ctx, f.fragment(ctx, t, "enable-leader-migration")))
		f.runs(ctx, t, 6, "differ from what step switch-provider needs")
		f.isAt(ctx, t, "P3")
		f.noneTwice(ctx, t, since)
	})
	f.part(ctx, t, "a key is lost", func(t *testing.T, since time.Time) {
		right := f.fragment(ctx, t, "switch-provider")
		wrong, err := scenario.EditFragment(right, func(rke map[string]any) {
			global, _ := rke["machineGlobalConfig"].(map[string]any)
			if global["cni"] == nil {
				t.Fatalf("no cni in\n%s", right)
			}
			delete(global, "cni")
		})
		must(t, err)
		must(t, f.git.Commit(ctx, wrong))
		f.runs(ctx, t, 3, "machineGlobalConfig.cni differ from what was handed over")
		must(t, f.git.Commit(ctx, right))
		f.runs(ctx, t, 0)
		f.isAt(ctx, t, "P5")
		f.noneTwice(ctx, t, since)
	})
}

// TestCommitFaultsOnTheWay changes the Cluster while a fragment is outstanding, reverses every
// list in a commit, and commits the switch in two halves.
func TestCommitFaultsOnTheWay(t *testing.T) {
	f, ctx := toFault(t, "--cluster-file", withSelectors(t))
	f.part(ctx, t, "a fragment that is stale", func(t *testing.T, since time.Time) {
		f.runs(ctx, t, 6, "differ from what step enable-leader-migration needs")
		old := f.fragment(ctx, t, "enable-leader-migration")
		must(t, f.lab.EditRKEConfig(ctx, func(rke map[string]any) {
			entries, _ := rke["machineSelectorConfig"].([]any)
			entry, _ := entries[2].(map[string]any)
			config, _ := entry["config"].(map[string]any)
			args, _ := config["kube-controller-manager-arg"].([]any)
			config["kube-controller-manager-arg"] = append(args, "concurrent-gc-syncs=21")
		}))
		f.runs(ctx, t, 3, "differ from what was handed over", "kube-controller-manager-arg")
		f.runs(ctx, t, 6, "differ from what step enable-leader-migration needs")
		now := f.fragment(ctx, t, "enable-leader-migration")
		if now == old || !strings.Contains(now, "concurrent-gc-syncs=21") {
			t.Errorf("the fragment was not computed again:\n%s", now)
		}
		turned, err := scenario.EditFragment(now, scenario.Reorder)
		must(t, err)
		must(t, f.git.Commit(ctx, turned))
		f.runs(ctx, t, 6, "differ from what step switch-provider needs")
		f.isAt(ctx, t, "P3")
		f.noneTwice(ctx, t, since)
	})
	f.part(ctx, t, "half an edit", func(t *testing.T, since time.Time) {
		const landed, missing = "machineSelectorConfig", "machineGlobalConfig"
		half, err := scenario.EditFragment(f.fragment(ctx, t, "switch-provider"), func(rke map[string]any) {
			delete(rke, missing)
			scenario.Reorder(rke)
		})
		must(t, err)
		must(t, f.git.Commit(ctx, half))
		f.runs(ctx, t, 3, missing, "differ from what was handed over")
		f.runs(ctx, t, 6, missing)
		rest := f.fragment(ctx, t, "switch-provider")
		if !strings.Contains(rest, missing) || strings.Contains(rest, landed) {
			t.Errorf("wanted %s alone:\n%s", missing, rest)
		}
		must(t, f.git.Commit(ctx, rest))
		f.runs(ctx, t, 0)
		f.isAt(ctx, t, "P5")
		f.noneTwice(ctx, t, since)
	})
}

// withSelectors returns the Cluster of entries.yaml with a selector whose order counts: two
// expressions of two values each. Its pod security template makes Rancher's webhook reorder the
// arguments of kube-apiserver with every write.
func withSelectors(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/entries.yaml")
	must(t, err)
	const one = `- {key: rke.cattle.io/etcd-role, operator: In, values: ["true"]}`
	if strings.Count(string(text), one) != 1 {
		t.Fatalf("%q is not in\n%s", one, text)
	}
	const two = `- {key: rke.cattle.io/etcd-role, operator: In, values: ["true", "yes"]}
        - {key: rke.cattle.io/control-plane-role, operator: In, values: ["true", "yes"]}`
	file := filepath.Join(t.TempDir(), "selectors.yaml")
	must(t, os.WriteFile(file, []byte(strings.Replace(string(text), one, two, 1)), 0o600))
	return file
}

// TestCommitFaultsRevertedInTree reverts the whole configuration while every
// kube-controller-manager is in-tree. At P2 the run only reports it; at P3 it results in two
// managers.
func TestCommitFaultsRevertedInTree(t *testing.T) {
	f, ctx := toFault(t)
	f.part(ctx, t, "at P2", func(t *testing.T, since time.Time) {
		f.reaches(ctx, t, "enable-leader-migration", "enable-leader-migration")
		must(t, f.git.Return(ctx, 0))
		f.runs(ctx, t, 3, "differ from what was handed over")
		f.isAt(ctx, t, "P1")
		f.noneTwice(ctx, t, since)
	})
	f.part(ctx, t, "at P3", func(t *testing.T, since time.Time) {
		f.reaches(ctx, t, "install-ccm", "enable-leader-migration")
		f.isAt(ctx, t, "P3")
		f.noneTwice(ctx, t, since)
		f.reverted(ctx, t)
	})
	f.part(ctx, t, "at P3, corrected", func(t *testing.T, since time.Time) {
		must(t, f.git.Return(ctx, f.git.Commits()-1))
		must(t, f.lab.WaitApplied(ctx))
		f.runs(ctx, t, 6, "differ from what step switch-provider needs")
		f.isAt(ctx, t, "P3")
	})
}

// TestCommitFaultsRevertedAfterTheSwitch does the same at P4, where the next run watches and
// pauses the rollout at the first control plane, and at P5, where it results in two managers.
func TestCommitFaultsRevertedAfterTheSwitch(t *testing.T) {
	f, ctx := toFault(t, "--probe-period", "5s")
	f.part(ctx, t, "at P4", func(t *testing.T, since time.Time) {
		f.reaches(ctx, t, "switch-provider", "enable-leader-migration", "switch-provider")
		f.isAt(ctx, t, "P4")
		must(t, f.git.Return(ctx, 0))
		reverted := time.Now()
		f.runs(ctx, t, 3, " in-tree without enable-leader-migration next to the cloud controller manager", "Rancher is paused", "next:    docs/going-back.md#after-a-pause")
		reached := f.holdsAt(t, "aws")
		f.reportsPause(ctx, t, reached)
		seen, text, err := f.lab.Observe(ctx, reverted)
		must(t, err)
		t.Logf("%d overlaps, with %d control planes in-tree", seen.Overlaps(), reached)
		if reached == 0 && seen.Overlaps() > 0 {
			t.Errorf("no control plane is in-tree:\n%s", text)
		}
	})
	f.part(ctx, t, "at P4, corrected", func(t *testing.T, since time.Time) {
		must(t, f.git.Return(ctx, f.git.Commits()-1))
		f.endsPause(ctx, t)
		must(t, f.lab.WaitApplied(ctx))
		f.runs(ctx, t, 0)
		f.isAt(ctx, t, "P5")
	})
	f.part(ctx, t, "at P5", func(t *testing.T, since time.Time) { f.reverted(ctx, t) })
	f.part(ctx, t, "at P5, corrected", func(t *testing.T, since time.Time) {
		must(t, f.git.Return(ctx, f.git.Commits()-1))
		must(t, f.lab.WaitApplied(ctx))
		f.runs(ctx, t, 0)
		f.isAt(ctx, t, "P5")
	})
}

// reverted reverts the whole configuration next to a cloud controller manager while no run
// watches. Every command reports it and its owner, and none pauses it. It results in two
// managers, as docs/owners says.
func (f faulty) reverted(ctx context.Context, t *testing.T) {
	t.Helper()
	since := time.Now()
	must(t, f.git.Return(ctx, 0))
	owner := "is owned by Fleet (field manager fleetagent)"
	f.ends(ctx, t, 3, []string{"AWSM-121", owner}, "verify", "--cluster", "demo")
	f.runs(ctx, t, 3, "two managers", "restore the migrated configuration")
	f.waitForTwo(ctx, t, since)
	must(t, f.lab.WaitApplied(ctx))
	f.ends(ctx, t, 3, []string{"AWSM-121", "AWSM-210", owner}, "verify", "--cluster", "demo")
	f.runs(ctx, t, 3, "service, route and node lifecycle controllers can run twice", "commit the Cluster's previous configuration")
	f.ends(ctx, t, 3, []string{"service, route and node lifecycle controllers can run twice"}, f.lab.Command("status")...)
	f.sees(ctx, t, since, "reverted")
}

// TestCommitFaultsBesideARun commits each edit while a run that makes its own edits holds the
// lock.
func TestCommitFaultsBesideARun(t *testing.T) {
	f, ctx := toFault(t, "--explicit-node-names") // `external` renames none of them, even if the metadata are late
	code, all, stderr, err := f.lab.Awsmigrate(ctx, testWriter{t}, f.lab.Command("plan", "--edits", "handoff", "--handoff", "fleet", "--all")...)
	fragments := strings.Split(all, "# NOT YET")
	if err != nil || code != 0 || len(fragments) != 3 {
		t.Fatalf("all fragments: exit %d, %v\n%s%s", code, err, all, stderr)
	}
	since := time.Now()
	begun, err := f.lab.Start(ctx, testWriter{t}, f.lab.Command("", "--yes", "--edits", "apply", "--owner-informed", "fleet", "--no-etcd-snapshot")...)
	must(t, err)
	says(ctx, t, begun, "◐  preflight")
	must(t, f.git.Commit(ctx, "# "+fragments[1]))
	waitStep(ctx, t, begun, "install-ccm")
	must(t, f.git.Commit(ctx, "# "+fragments[2]))
	ends(ctx, t, begun, 0, "disable-leader-migration  skipped: Fleet (field manager fleetagent) manages this configuration")
	f.isAt(ctx, t, "P4")
	f.noneTwice(ctx, t, since)
	writes, err := f.lab.Writes(since, "awsmigrate")
	must(t, err)
	for _, write := range writes {
		if strings.Contains(write, "provisioning.cattle.io") {
			t.Errorf("wrote what its owner had committed: %s", write)
		}
	}
	f.sameNodes(ctx, t)
	t.Logf("with a run: %.0f s", time.Since(since).Seconds())
}
