//go:build slow

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestInterruptedInEveryRoll interrupts one migration in each step that rolls something out.
// Where Rancher rolls, a user at a terminal pauses the rollout: no machine after the current
// one changes, `status --watch` shows the pause, and the same command ends it. Then the
// terminal disconnects: the current change is watched to its end, no further step begins, and
// the last document has code 129. If it was the last step, the run is done. No controller runs
// twice.
func TestInterruptedInEveryRoll(t *testing.T) {
	lab := boot(t, "--lease", quick, "--workers", "1")
	ctx, start := within(t, 40*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	for _, roll := range []struct {
		step, reaches, changed string
	}{
		{"enable-leader-migration", "P2", "aws with flag"},
		{"install-ccm", "P3", ""},
		{"switch-provider", "P4", "external"},
		{"disable-leader-migration", "P5", ""},
	} {
		if !t.Run(roll.step, func(t *testing.T) {
			if roll.changed != "" {
				pauseByUser(ctx, t, lab, roll.step, roll.changed)
			}
			hangsUp(ctx, t, lab, roll.step, roll.reaches)
		}) {
			t.FailNow() // the next rollout begins at the end of this one
		}
	}
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, run()...)
	if err != nil || code != 0 {
		t.Fatalf("the last run: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	judgeEnd(ctx, t, lab, before, start)
}

// pauseByUser pauses the rollout from the terminal once the first machine has changed.
func pauseByUser(ctx context.Context, t *testing.T, lab *scenario.Lab, step, changed string) {
	t.Helper()
	r, err := lab.StartOnTerminal(ctx, io.Discard, run()...)
	must(t, err)
	count := func() int {
		providers, err := lab.Providers()
		must(t, err)
		n := 0
		for _, runs := range providers {
			if runs == changed {
				n++
			}
		}
		return n
	}
	must(t, scenario.Until(ctx, "the first machine of "+step, func(context.Context) (bool, string, error) {
		return count() > 0, "none has changed", r.Ended()
	}))
	follower, err := lab.Start(ctx, io.Discard, "rke2", "status", "--cluster", "demo", "--watch", "--progress", "plain")
	must(t, err)
	must(t, scenario.Until(ctx, "status to follow", func(context.Context) (bool, string, error) {
		return strings.Contains(follower.Stdout()+follower.Stderr(), step), follower.Stdout() + follower.Stderr(), follower.Ended()
	}))
	must(t, r.Type("\x03"))
	must(t, scenario.Until(ctx, "the question", func(context.Context) (bool, string, error) {
		return strings.Contains(r.Stdout(), "pause the rollout:"), "no question", r.Ended()
	}))
	must(t, r.Type("b"))
	if code, err := r.Wait(ctx); err != nil || code != 130 {
		t.Fatalf("the pause: exit %d, %v\n%s", code, err, r.Stdout())
	}
	at := count()
	if paused, by, err := lab.Paused(ctx); err != nil || !paused || by == "" {
		t.Errorf("paused: %t, by %q, %v", paused, by, err)
	}
	soon, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if code, err := follower.Wait(soon); err != nil {
		t.Errorf("status --watch: exit %d, %v", code, err)
	}
	if text := follower.Stdout() + follower.Stderr(); !strings.Contains(text, "BrakeAsked") {
		t.Errorf("status --watch does not show the pause:\n%s", text)
	}
	waitFor(t, time.Minute)
	if now := count(); now > at+1 || now == 3 {
		t.Errorf("%d machines were changed when the run ended, a minute later %d", at, now)
	}
	t.Logf("paused with %d of 3 changed, a minute later %d", at, count())
}

// hangsUp disconnects the terminal of a run in a step.
func hangsUp(ctx context.Context, t *testing.T, lab *scenario.Lab, step, reaches string) {
	t.Helper()
	r, err := lab.Start(ctx, io.Discard, run("-o", "jsonl")...)
	must(t, err)
	must(t, scenario.Until(ctx, "the run to wait in "+step, func(context.Context) (bool, string, error) {
		return waitsIn(r.Stdout(), step), "it does not wait there yet", r.Ended()
	}))
	must(t, r.Signal(syscall.SIGHUP))
	want := 129
	if reaches == "P5" {
		want = 0
	}
	if code, err := r.Wait(ctx); err != nil || code != want {
		t.Fatalf("hung up: exit %d, %v, wanted %d\n%s%s", code, err, want, r.Stdout(), r.Stderr())
	}
	if paused, by, err := lab.Paused(ctx); err != nil || paused {
		t.Errorf("still paused by %q, %v", by, err)
	}
	if at, err := lab.Standing(ctx); err != nil || at != reaches {
		t.Errorf("the cluster is at %s, %v; wanted %s", at, err, reaches)
	}
	begun, last := stepsOf(t, r.Stdout())
	if i := slices.Index(begun, step); i < 0 || i != len(begun)-1 {
		t.Errorf("steps that began: %v, wanted none behind %s", begun, step)
	}
	if last.Code != want || (last.Kind == "Error") != (want > 0) {
		t.Errorf("the last line is %+v, wanted the code %d", last, want)
	}
}

// stepsOf returns the steps that a run began, from its events, and the document in its last
// line.
func stepsOf(t *testing.T, events string) (begun []string, last struct {
	Kind string
	Code int
}) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace([]byte(events)), []byte("\n"))
	for _, line := range lines {
		var event struct{ Type, Step string }
		must(t, json.Unmarshal(line, &event))
		if event.Type == "step-started" {
			begun = append(begun, event.Step)
		}
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		t.Fatal(fmt.Errorf("the last line: %w", err))
	}
	return begun, last
}
