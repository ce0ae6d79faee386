package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// writingSteps are those in which a run can be killed after it has begun a change.
var writingSteps = []string{"etcd-snapshot", "lease-access", "enable-leader-migration", "cordon", "install-ccm",
	"switch-provider", "uncordon", "disable-leader-migration"}

// TestKilledInEveryStep kills awsmigrate once in each step of one migration and types the same
// command again each time. The end state is `external`, on machines that were registered under
// explicit names, with API servers that take 20 s to restart when their arguments change.
func TestKilledInEveryStep(t *testing.T) {
	killInEveryStep(t, boot(t, "--layout", "custom", "--lease", quick), writingSteps, quickRollout(t)...)
}

// killInEveryStep runs a migration with flags to its end, killed once in each of steps. The step
// disable-leader-migration is undone after its kill: the template of its pods returns to an earlier
// content, and the DaemonSet controller keeps the pods that still fit it.
func killInEveryStep(t *testing.T, lab *scenario.Lab, steps []string, flags ...string) {
	t.Helper()
	ctx := within(t, 20*time.Minute)
	before, err := lab.Identities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	killed := map[string]bool{}
	for attempt := 0; ; attempt++ {
		if attempt > 2*len(steps) {
			t.Fatalf("no end after %d runs; killed in %v", attempt, killed)
		}
		run, err := lab.Start(ctx, testWriter{t}, lab.Command("", append([]string{"--yes"}, flags...)...)...)
		if err != nil {
			t.Fatal(err)
		}
		if step := killInNewStep(ctx, t, run, steps, killed); step != "" {
			t.Logf("killed in %s", step)
			if step == "disable-leader-migration" {
				undoDisable(ctx, t, lab, flags...)
			}
			continue
		}
		code, err := run.Wait(ctx)
		if err != nil || code != 0 {
			t.Fatalf("exit %d, %v\n%s%s", code, err, run.Stdout(), run.Stderr())
		}
		break
	}
	for _, step := range steps {
		if !killed[step] && depth(step) > 1 {
			t.Errorf("was never killed in %s", step)
		}
	}
	judgeEnd(ctx, t, lab, before, start)
}

// undoDisable undoes disable-leader-migration, which may be half done.
func undoDisable(ctx context.Context, t *testing.T, lab *scenario.Lab, flags ...string) {
	t.Helper()
	const step = "undo-disable-leader-migration"
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("undo", append([]string{"--yes", "--until", step}, flags...)...)...)
	if err != nil || code != 0 {
		t.Fatalf("%s: exit %d, %v\n%s%s", step, code, err, stdout, stderr)
	}
}

// killInNewStep kills the run when it begins a step in which no run was killed yet, and returns
// that step, or empty if the run ended on its own.
func killInNewStep(ctx context.Context, t *testing.T, run *scenario.Run, steps []string, killed map[string]bool) string {
	t.Helper()
	hit := ""
	err := scenario.Until(ctx, "a step to be killed in", func(context.Context) (bool, string, error) {
		select {
		case <-run.Done():
			return true, "", nil
		default:
		}
		for _, step := range steps {
			if !killed[step] && strings.Count(run.Stdout(), "◐  "+step) >= depth(step) {
				hit = step
				return true, "", run.Signal(syscall.SIGKILL)
			}
		}
		return false, "awsmigrate runs", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if hit != "" {
		killed[hit] = true
		<-run.Done()
	}
	return hit
}

// depth returns the number of lines that a step prints before it is killed. Steps that wait are
// killed during the wait, when the change is already made.
func depth(step string) int {
	switch step {
	case "etcd-snapshot", "enable-leader-migration", "install-ccm", "switch-provider", "disable-leader-migration",
		"undo-disable-leader-migration", "undo-switch-provider", "undo-install-ccm", "undo-enable-leader-migration", "undo-lease-access":
		return 2
	}
	return 1
}

// judgeEnd compares the end of a migration with its beginning.
func judgeEnd(ctx context.Context, t *testing.T, lab *scenario.Lab, before map[string]scenario.Identity, start time.Time) {
	t.Helper()
	after, err := lab.Identities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("Nodes %v\nwere %v", after, before)
	}
	if cordoned, err := lab.Cordoned(ctx); err != nil || len(cordoned) > 0 {
		t.Errorf("cordoned %v, %v", cordoned, err)
	}
	observation, text, err := lab.Observe(ctx, start)
	if err != nil || observation.Overlaps() > 0 || len(observation.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	keptAsObserved(ctx, t, lab)
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("status", "--exit-code")...)
	if err != nil || code != 0 || !strings.Contains(stdout, "P5") {
		t.Errorf("status: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
}
