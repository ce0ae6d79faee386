//go:build slow

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// undoSteps are the steps of an undo in which a run can be killed after it has begun a change.
var undoSteps = []string{"undo-disable-leader-migration", "undo-switch-provider", "undo-install-ccm",
	"undo-enable-leader-migration", "undo-lease-access"}

// TestUndo undoes a migration from every position, from a half-done step, and from the end,
// killed once in every step. Each time Rancher's configuration, the objects in kube-system, the
// Nodes and the cordons are as before, and no controller runs twice.
func TestUndo(t *testing.T) {
	u, ctx := toUndo(t)
	for _, until := range []string{"lease-access", "enable-leader-migration", "cordon", "install-ccm", "switch-provider"} {
		t.Run("from "+until, func(t *testing.T) {
			u.goes(ctx, t, "", "--until", until)
			u.goes(ctx, t, "undo")
			u.isBack(ctx, t)
		})
	}
	for _, step := range []string{"enable-leader-migration", "switch-provider"} {
		t.Run("from the middle of "+step, func(t *testing.T) { u.fromTheMiddle(ctx, t, step) })
	}
	t.Run("from the far end, killed in every step", func(t *testing.T) { u.fromTheFarEnd(ctx, t) })
}

// TestRKEUndo undoes a migration of a cluster.yml, from the middle of the switch and from the
// end. The file is restored byte for byte.
func TestRKEUndo(t *testing.T) {
	u, ctx := toUndo(t, "--distro", "rke")
	t.Run("from the middle of switch-provider", func(t *testing.T) { u.fromTheMiddle(ctx, t, "switch-provider") })
	t.Run("from the far end, killed in every step", func(t *testing.T) { u.fromTheFarEnd(ctx, t) })
}

func (u undo) fromTheMiddle(ctx context.Context, t *testing.T, step string) {
	t.Helper()
	if killed := u.killOnce(ctx, t, "", map[string]bool{}, []string{step}); killed != step {
		t.Fatalf("killed in %q", killed)
	}
	u.goes(ctx, t, "undo")
	u.isBack(ctx, t)
}

func (u undo) fromTheFarEnd(ctx context.Context, t *testing.T) {
	t.Helper()
	u.goes(ctx, t, "")
	killed := map[string]bool{}
	for range undoSteps {
		t.Logf("killed in %q", u.killOnce(ctx, t, "undo", killed, undoSteps))
	}
	u.goes(ctx, t, "undo")
	for _, step := range undoSteps {
		if !killed[step] {
			t.Errorf("was never killed in %s", step)
		}
	}
	u.isBack(ctx, t)
}

// undo is a lab and its state before any change.
type undo struct {
	lab       *scenario.Lab
	beginning scenario.Beginning
}

// toUndo returns a lab with a user's cordon, before any other change.
func toUndo(t *testing.T, flags ...string) (undo, context.Context) {
	t.Helper()
	lab := boot(t, append(flags, "--lease", quick)...)
	ctx := within(t, 40*time.Minute)
	workers, err := lab.Workers(ctx)
	if err != nil || len(workers) == 0 {
		t.Fatalf("workers %v, %v", workers, err)
	}
	must(t, lab.Cordon(ctx, workers[0], true))
	beginning, err := lab.Beginning(ctx)
	must(t, err)
	return undo{lab: lab, beginning: beginning}, ctx
}

// goes runs a command to its end.
func (u undo) goes(ctx context.Context, t *testing.T, name string, flags ...string) {
	t.Helper()
	began := time.Now()
	code, stdout, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command(name, append(flags, "--yes")...)...)
	if err != nil || code != 0 {
		t.Fatalf("%s %v: exit %d, %v\n%s%s", name, flags, code, err, stdout, stderr)
	}
	t.Logf("%s %v took %.0f s", name, flags, time.Since(began).Seconds())
}

// killOnce runs a command and kills it in one of steps in which no run was killed yet.
func (u undo) killOnce(ctx context.Context, t *testing.T, name string, killed map[string]bool, steps []string) string {
	t.Helper()
	run, err := u.lab.Start(ctx, testWriter{t}, u.lab.Command(name, "--yes")...)
	if err != nil {
		t.Fatal(err)
	}
	return killInNewStep(ctx, t, run, steps, killed)
}

func (u undo) isBack(ctx context.Context, t *testing.T) {
	t.Helper()
	if err := u.beginning.Back(ctx); err != nil {
		t.Error(err)
	}
}
