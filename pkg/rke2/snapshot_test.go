package rke2

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestSnapshotPatch(t *testing.T) {
	for now, want := range map[int64]string{
		0: `[{"op":"add","path":"/spec/rkeConfig/etcdSnapshotCreate","value":{"generation":1}}]`,
		3: `[{"op":"test","path":"/spec/rkeConfig/etcdSnapshotCreate/generation","value":3},{"op":"replace","path":"/spec/rkeConfig/etcdSnapshotCreate/generation","value":4}]`,
	} {
		if text, err := snapshotPatch(now, now+1); err != nil || string(text) != want {
			t.Errorf("from %d: %v: %s", now, err, text)
		}
	}
}

// snapshotStep returns the step that takes an etcd snapshot.
func (p testMigration) snapshotStep(t *testing.T) migration.Step {
	t.Helper()
	steps := p.migration.Steps()
	i := slices.IndexFunc(steps, func(s migration.Step) bool { return s.Info().ID == migration.StepSnapshot })
	if i < 0 {
		t.Fatal("no snapshot step")
	}
	return steps[i]
}

// The step requests one snapshot with the next generation. It completes once Rancher reports
// that snapshot as finished and nothing is pending.
func TestSnapshotStep(t *testing.T) {
	p, client := newMigration(t, Options{Options: migration.Options{Snapshot: true}}, nil)
	tx := clustertest.TxOf(t, "run-2", migration.StepSnapshot)
	step := p.snapshotStep(t)
	generation := func() int64 {
		n, _, _ := unstructured.NestedInt64(specOf(t, client), "rkeConfig", "etcdSnapshotCreate", "generation")
		return n
	}
	snap := p.observe(t, tx.Record())
	if got, err := step.Verify(t.Context(), tx, snap); err != nil || got.Kind != runner.Failed {
		t.Errorf("none was asked for: %v %+v", err, got)
	}
	plan, err := step.Plan(t.Context(), snap)
	if err != nil || plan.Changes[0].Before != int64(2) || plan.Changes[0].After != int64(3) || plan.Summary[0] != "etcd snapshot by Rancher, generation 2 → 3" {
		t.Errorf("%v %+v", err, plan)
	}
	moving := snap
	moving.Reading.Pending = []migration.PendingCondition{{Object: "x", Seen: "moves"}}
	if err := step.Do(t.Context(), tx, moving); err == nil || generation() != 2 {
		t.Errorf("asked for on a cluster that moves: %v", err)
	}
	for range 2 {
		if err := step.Do(t.Context(), tx, p.observe(t, tx.Record())); err != nil || generation() != 3 || len(tx.Record().Intents) != 1 || tx.Record().Intents[0].Token != "3" {
			t.Errorf("%v, generation %d, %+v", err, generation(), tx.Record().Intents)
		}
	}
	if again, err := step.Plan(t.Context(), p.observe(t, tx.Record())); err != nil || again.Changes[0] != plan.Changes[0] {
		t.Errorf("asked for, and planned as another: %v %+v", err, again)
	}
	for name, tt := range map[string]struct {
		generation int64
		phase      string
		moves      bool
		want       runner.VerdictKind
	}{
		"not begun":           {2, "Finished", false, runner.Waiting},
		"begun":               {3, "Started", false, runner.Waiting},
		"finished":            {3, "Finished", false, runner.Met},
		"a later one":         {4, "Finished", false, runner.Met},
		"finished, and moves": {3, "Finished", true, runner.Waiting},
		"failed":              {3, "Failed", false, runner.Failed},
		"the previous failed": {2, "Failed", false, runner.Waiting},
	} {
		snap := p.observe(t, tx.Record())
		facts := rancherFacts(snap)
		facts.ControlPlane.SnapshotGeneration, facts.ControlPlane.SnapshotPhase = tt.generation, tt.phase
		snap.Config, snap.Reading.Pending = observed{Facts: facts}, nil
		if tt.moves {
			snap.Reading.Pending = moving.Reading.Pending
		}
		got, err := step.Verify(t.Context(), tx, snap)
		if err != nil || got.Kind != tt.want || got.Kind == runner.Waiting && (got.Progress != got.Seen || strings.Contains(got.Seen, "moves") != tt.moves) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	lost, client := newMigration(t, Options{Options: migration.Options{Snapshot: true}}, nil)
	client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
		_, _, _ = clienttesting.ObjectReaction(client.Tracker())(action)
		return true, nil, apierrors.NewTimeoutError("lost", 1)
	})
	if err := lost.snapshotStep(t).Do(t.Context(), clustertest.TxOf(t, "run-2", migration.StepSnapshot), lost.observe(t, journal.Record{})); err != nil {
		t.Errorf("its answer was lost, and it is there: %v", err)
	}
}

func TestSnapshotIntended(t *testing.T) {
	asked := func(token string) journal.Intent { return journal.Intent{Step: migration.StepSnapshot, Token: token} }
	for name, tt := range map[string]struct {
		intents []journal.Intent
		want    int64
		begun   bool
	}{
		"none":               {nil, 0, false},
		"one":                {[]journal.Intent{asked("3")}, 3, true},
		"two":                {[]journal.Intent{asked("3"), asked("4"), {Step: migration.StepEnable}}, 4, true},
		"one without number": {[]journal.Intent{asked("3"), asked("x")}, 3, true},
		"before an undo":     {[]journal.Intent{asked("3"), {Step: migration.StepUndoEnable}}, 0, false},
	} {
		if got, begun := snapshotIntended(journal.Record{Intents: tt.intents}); got != tt.want || begun != tt.begun {
			t.Errorf("%s: %d, %t", name, got, begun)
		}
	}
}

// The reason names only flags that were given, or that would change it.
func TestReasonForNoSnapshot(t *testing.T) {
	for name, tt := range map[string]struct {
		options migration.Options
		want    string
	}{
		"default/taken":         {migration.Options{Snapshot: true}, ""},
		"off/namesTheFlag":      {migration.Options{}, "turned off with --no-etcd-snapshot"},
		"handoff/namesHandoff":  {migration.Options{HandOver: true}, "off with --edits handoff; --etcd-snapshot takes one"},
		"handoffAndAsked/taken": {migration.Options{HandOver: true, Snapshot: true}, ""},
	} {
		if got := reasonForNoSnapshot(tt.options); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
