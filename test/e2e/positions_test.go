//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestTakenUpAtEveryPosition takes one lab from position to position with --until, deletes the
// journal at each, and continues. The journal is no evidence: no step may be repeated that the
// cluster shows as done.
func TestTakenUpAtEveryPosition(t *testing.T) {
	lab := boot(t, "--lease", quick)
	t.Run("two runs", func(t *testing.T) { twoRunsAndAnInterrupt(t, lab) })
	if err := lab.Lab(within(t, 10*time.Minute), "reset"); err != nil {
		t.Fatal(err)
	}
	takenUpAtEveryPosition(t, lab)
}

func takenUpAtEveryPosition(t *testing.T, lab *scenario.Lab) {
	ctx := within(t, 30*time.Minute)
	workers, err := lab.Workers(ctx)
	if err != nil || len(workers) == 0 {
		t.Fatalf("workers %v, %v", workers, err)
	}
	// A user's cordon, which awsmigrate must not take for its own without the journal.
	if err := lab.Cordon(ctx, workers[0], true); err != nil {
		t.Fatal(err)
	}
	before, err := lab.Identities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	standsAt(ctx, t, lab, "P0", true)
	for _, stage := range []struct{ until, position string }{
		{"lease-access", "P1"},
		{"enable-leader-migration", "P2"},
		{"cordon", "P2"},
		{"install-ccm", "P3"},
		{"switch-provider", "P4"},
		{"verify", "P4"},
		{"disable-leader-migration", "P5"},
	} {
		began := time.Now()
		code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, run("--until", stage.until)...)
		if err != nil || code != 0 {
			t.Fatalf("--until %s: exit %d, %v\n%s%s", stage.until, code, err, stdout, stderr)
		}
		t.Logf("--until %s took %.0f s", stage.until, time.Since(began).Seconds())
		if err := lab.ForgetJournal(ctx); err != nil {
			t.Fatal(err)
		}
		standsAt(ctx, t, lab, stage.position, stage.position != "P5")
	}
	migratedIsLeftAlone(t, lab)
	starving, err := lab.StarvingStarts()
	if err != nil || len(starving) > 0 {
		t.Errorf("kube-controller-managers started as external with leader migration: %v, %v", starving, err)
	}
	if cordoned, err := lab.Cordoned(ctx); err != nil || len(cordoned) != 1 || cordoned[0] != workers[0] {
		t.Errorf("cordoned %v, %v; wanted %s", cordoned, err, workers[0])
	}
	if err := lab.Cordon(ctx, workers[0], false); err != nil {
		t.Fatal(err)
	}
	judgeEnd(ctx, t, lab, before, start)
}

// standsAt checks the position by the lab's processes and objects. It also checks that status,
// plan and dry run report the same position and the same pending steps without a write.
func standsAt(ctx context.Context, t *testing.T, lab *scenario.Lab, position string, pending bool) {
	t.Helper()
	if seen, err := lab.Standing(ctx); err != nil || seen != position {
		t.Fatalf("the cluster is at %s, %v; wanted %s", seen, err, position)
	}
	since := time.Now()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "rke2", "status", "--cluster", "demo", "-o", "json")
	var status struct {
		Pending     bool
		Observation struct{ Position string }
	}
	if jsonErr := json.Unmarshal([]byte(stdout), &status); err != nil || code != 0 || jsonErr != nil {
		t.Fatalf("status at %s: exit %d, %v, %v\n%s", position, code, err, jsonErr, stderr)
	}
	if status.Observation.Position != position || status.Pending != pending {
		t.Errorf("status: position %s, pending %t; wanted %s, %t", status.Observation.Position, status.Pending, position, pending)
	}
	exit := map[bool]int{true: 5, false: 0}[pending]
	for _, r := range []scenario.Refusal{
		{Args: []string{"rke2", "plan", "--cluster", "demo", "--detailed-exitcode"}, Code: exit, Says: []string{position}},
		{Args: []string{"rke2", "--cluster", "demo", "--dry-run", "-o", "json"}, Code: 0, Says: []string{position}},
	} {
		refuses(ctx, t, lab, r)
	}
	writes, err := lab.Writes(since, "awsmigrate")
	if err != nil || len(writes) > 0 {
		t.Errorf("at %s status, plan and dry run wrote %v, %v", position, writes, err)
	}
}
