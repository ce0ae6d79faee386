//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// gap is a time without a controller while Rancher rolls out a step.
type gap struct {
	name string
	step string // which waits for the rollout
	// before acts as a user before the gap, and within acts in the gap.
	before, within func(context.Context, *testing.T, *scenario.Lab)
	signal         syscall.Signal // which ends the controller
	pod            string         // of the next controller, or empty if it has the same
	first, second  variant        // the builds of the two controllers
	flags          []string       // of the next controller, besides those of the chart
	deleted        bool           // the object is deleted
	uninstalled    bool           // the chart is uninstalled in the gap
	// unharmed gaps have no event on a machine, and the rollout is watched to its end. In all
	// others a machine registers under a second name.
	unharmed bool
}

// gaps returns every way for a controller to end at one step, and every step that rolls.
func gaps() []gap {
	patched := func(patch string, subresources ...string) func(context.Context, *testing.T, *scenario.Lab) {
		return func(ctx context.Context, t *testing.T, lab *scenario.Lab) {
			t.Helper()
			must(t, lab.PatchMigration(ctx, patch, subresources...))
		}
	}
	deleted := func(ctx context.Context, t *testing.T, lab *scenario.Lab) {
		t.Helper()
		must(t, lab.DeleteMigration(ctx))
	}
	const enable, swap, disable = "enable-leader-migration", "switch-provider", "disable-leader-migration"
	paused, wiped := patched(`{"spec":{"paused":true}}`), patched(`{"status":null}`, "status")
	closed := patched(`{"spec":{"windows":[{"schedule":"0 3 29 2 *","duration":"30m"}]}}`)
	return []gap{
		{name: "killed", step: enable, signal: syscall.SIGKILL},
		{name: "paused, then killed, and nothing happens", step: enable, signal: syscall.SIGKILL, before: paused, unharmed: true},
		{name: "terminated", step: enable, signal: syscall.SIGTERM},
		{name: "object deleted, then killed", step: enable, signal: syscall.SIGKILL, before: deleted, deleted: true},
		{name: "paused, then killed", step: enable, signal: syscall.SIGKILL, before: paused},
		{name: "goal Audit, then killed", step: enable, signal: syscall.SIGKILL, before: patched(`{"spec":{"goal":"Audit"}}`)},
		{name: "status wiped, then killed", step: enable, signal: syscall.SIGKILL, before: wiped, within: wiped},
		{name: "window closed, then killed", step: enable, signal: syscall.SIGKILL, before: closed},
		{name: "killed, and back in mode audit", step: enable, signal: syscall.SIGKILL, flags: []string{"--mode=audit"}},
		{name: "killed, and upgraded", step: enable, signal: syscall.SIGKILL, second: newer},
		{name: "terminated, and upgraded", step: swap, signal: syscall.SIGTERM, second: newer},
		{name: "terminated, and downgraded", step: enable, signal: syscall.SIGTERM, first: newer},
		{name: "killed, and downgraded beneath its journal", step: swap, signal: syscall.SIGKILL, first: newest},
		{name: "uninstalled, and installed again", step: enable, signal: syscall.SIGTERM, uninstalled: true},
		{name: "killed with its machine", step: swap, signal: syscall.SIGKILL, pod: "awsmigrate-1"},
		{name: "object deleted, then killed", step: swap, signal: syscall.SIGKILL, before: deleted, deleted: true},
		{name: "terminated", step: disable, signal: syscall.SIGTERM},
		{name: "paused, then killed", step: "undo-switch-provider", signal: syscall.SIGKILL, before: paused},
		{name: "killed", step: "undo-enable-leader-migration", signal: syscall.SIGKILL},
	}
}

// gapFor bounds one gap, including the migration up to its step.
const gapFor = 20 * time.Minute

// TestControllerGaps ends a controller during a rollout, in every possible way, and makes a
// machine register under a second name while no process watches. The next controller pauses the
// rollout, regardless of its object and even without one, and takes no step.
func TestControllerGaps(t *testing.T) {
	shard, err := scenario.ParseShard(os.Getenv("SHARD"))
	must(t, err)
	mine := scenario.Part(shard, gaps())
	if len(mine) == 0 {
		t.Logf("no gap is in shard %d/%d", shard.Number, shard.Of)
		return
	}
	lab := boot(t, "--lease", quick, "--api-restart", "5s", "--workers", "2")
	for _, g := range mine {
		chosen := false
		t.Run(g.step+"/"+g.name, func(t *testing.T) {
			chosen = true
			g.try(within(t, gapFor), t, lab)
		})
		if !chosen {
			continue // by -run
		}
		must(t, lab.Lab(within(t, sharedFor), "reset"))
	}
}

func (g gap) try(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	began := time.Now()
	workers, err := lab.Workers(ctx)
	must(t, err)
	planes, err := lab.ControlPlanes(ctx)
	must(t, err)
	cordoned := []string{planes[2], workers[0]}
	for _, node := range cordoned {
		must(t, lab.Cordon(ctx, node, true))
	}
	installed := install(ctx, t, lab)
	installed.Program = g.first.path(t, lab)
	first := startController(ctx, t, lab, installed, "awsmigrate-0")
	must(t, lab.CreateMigration(ctx, `{"options":{"etcdSnapshot":"Disabled"}}`))
	g.reach(ctx, t, lab, first)
	if g.before != nil {
		g.before(ctx, t, lab)
	}
	must(t, first.Signal(g.signal))
	<-first.Done()
	if g.uninstalled {
		must(t, installed.Uninstall(ctx))
	}
	generation := generationOf(ctx, t, lab)
	if !g.unharmed {
		_, err := lab.SecondNode(ctx, planes[1])
		must(t, err)
	}
	if g.within != nil {
		g.within(ctx, t, lab)
	}
	if g.uninstalled {
		must(t, installed.Reinstall(ctx))
	}
	pod, since := "awsmigrate-0", time.Now()
	if g.pod != "" {
		pod = g.pod
	}
	installed.Program = g.second.path(t, lab)
	second := startController(ctx, t, lab, installed, pod, g.flags...)
	if g.unharmed {
		g.rests(ctx, t, lab, second)
	} else {
		g.pauses(ctx, t, lab, second, since)
	}
	if now := generationOf(ctx, t, lab); now != generation {
		t.Errorf("the Cluster has generation %d, and had %d when the controller had gone", now, generation)
	}
	now, err := lab.Cordoned(ctx)
	must(t, err)
	for _, node := range cordoned {
		if !slices.Contains(now, node) {
			t.Errorf("Node %s lost the cordon of its user: %v", node, now)
		}
	}
	seen, text, err := lab.Observe(ctx, began)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	must(t, second.Signal(syscall.SIGTERM))
	<-second.Done()
}

// reach waits until the controller waits in the step of the gap.
func (g gap) reach(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run) {
	t.Helper()
	approve(ctx, t, lab, run, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	if strings.HasPrefix(g.step, "undo-") {
		show(ctx, t, lab, run, "the end of the migration", func(m *v1alpha1.ClusterMigration) bool {
			return scenario.InState(status.Succeeded)(m) && m.Status.Position == "P5"
		})
		approve(ctx, t, lab, run, `{"spec":{"goal":"Undo"}}`)
	}
	show(ctx, t, lab, run, g.step+" to wait", waitingIn(g.step))
}

// pauses waits until the rollout is paused and the object says so.
func (g gap) pauses(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run, since time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	must(t, scenario.Until(ctx, "the pause", func(ctx context.Context) (bool, string, error) {
		paused, by, err := lab.Paused(ctx)
		return paused && by != "", fmt.Sprintf("paused: %t, by %q", paused, by), err
	}))
	t.Logf("paused after %.0f s", time.Since(since).Seconds())
	if !g.deleted {
		m := show(ctx, t, lab, run, "the pause in the object's status", scenario.InState(status.Stalled, status.RolloutPaused))
		t.Log(scenario.Summary(m))
	}
	waitFor(t, 20*time.Second) // in which it takes no step
}

// rests waits until the rollout is complete while a guard watches.
func (g gap) rests(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run) {
	t.Helper()
	show(ctx, t, lab, run, "the guard", scenario.InState(status.Guarding))
	show(ctx, t, lab, run, "the rest", scenario.InState(status.Paused))
	providers, err := lab.Providers()
	if err != nil || !scenario.AllRun(providers, "aws with flag", 3) {
		t.Errorf("not at rest: %v, %v", providers, err)
	}
	if paused, by, err := lab.Paused(ctx); err != nil || paused {
		t.Errorf("paused by %q, %v: nothing had happened", by, err)
	}
}

// install installs the charts with the narrowest rights that suffice for the lab's cluster.
func install(ctx context.Context, t *testing.T, lab *scenario.Lab) *scenario.Installation {
	t.Helper()
	installed, err := lab.Install(ctx, "../../charts", map[string]any{"mode": "migrate", "access": map[string]any{"clusters": []any{"demo"}}})
	must(t, err)
	return installed
}

// startController starts a controller as its pod would. It ends with the test, and its log is
// with the lab's logs.
func startController(ctx context.Context, t *testing.T, lab *scenario.Lab, installed *scenario.Installation, pod string, flags ...string) *scenario.Run {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(lab.Dir, "logs", pod+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	run, err := installed.Start(ctx, log, pod, flags...)
	must(t, err)
	t.Cleanup(func() {
		_ = run.Signal(syscall.SIGKILL) // fails if it has ended
		<-run.Done()
		_ = log.Close()
	})
	return run
}

// approve sets a goal, and approves its plan as soon as one is published.
func approve(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run, goal string) {
	t.Helper()
	must(t, lab.PatchMigration(ctx, goal))
	m := show(ctx, t, lab, run, "a plan", scenario.InState(status.AwaitingApproval))
	must(t, lab.PatchMigration(ctx, fmt.Sprintf(`{"spec":{"approvedPlan":%q}}`, m.Status.Plan.Hash)))
}

// show waits until the object satisfies a condition.
func show(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run, what string, fits func(*v1alpha1.ClusterMigration) bool) *v1alpha1.ClusterMigration {
	t.Helper()
	m, err := lab.Shows(ctx, run, what, fits)
	must(t, err)
	return m
}

// waitingIn reports whether a run waits in a step for a change that it has made.
func waitingIn(step string) func(*v1alpha1.ClusterMigration) bool {
	return func(m *v1alpha1.ClusterMigration) bool {
		return m.Status.Run != nil && m.Status.Run.Step != nil && m.Status.Run.Step.ID == step && m.Status.Run.Step.WaitingFor != ""
	}
}

func generationOf(ctx context.Context, t *testing.T, lab *scenario.Lab) int64 {
	t.Helper()
	cluster, err := lab.Cluster(ctx)
	must(t, err)
	return cluster.GetGeneration()
}
