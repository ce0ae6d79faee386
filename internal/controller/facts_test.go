package controller

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestDied(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	run := func(ago time.Duration, end, attempt string) journal.Run {
		return journal.Run{Start: now.Add(-ago).Format(time.RFC3339), End: end, Attempt: attempt, Outcome: "died"}
	}
	ten := 10 * time.Minute
	for name, tt := range map[string]struct {
		runs []journal.Run
		want bool
	}{
		"none":              {nil, false},
		"two":               {[]journal.Run{run(2*ten, "", "a"), run(ten, "", "a")}, false},
		"three":             {[]journal.Run{run(3*ten, "", "a"), run(2*ten, "", "a"), run(ten, "", "a")}, true},
		"three, long ago":   {[]journal.Run{run(7*ten, "", "a"), run(2*ten, "", "a"), run(ten, "", "a")}, false},
		"one of them ended": {[]journal.Run{run(3*ten, "", "a"), run(2*ten, "e", "a"), run(ten, "", "a")}, false},
		"asked again since": {[]journal.Run{run(3*ten, "", "b"), run(2*ten, "", "a"), run(ten, "", "a")}, false},
	} {
		if got := died(journal.State{Runs: tt.runs}, "a", now); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A plan that fits into no ConfigMap stalls its object instead of waiting for approval.
func TestPlanOf_tooLarge_stalls(t *testing.T) {
	m := &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply}}
	for large, want := range map[bool]status.Moment{true: {State: status.Stalled, Reason: status.PlanTooLarge}, false: {State: status.AwaitingApproval}} {
		l := &look{plan: plans.Planned{TooLarge: large}}
		got := fleet.Decide(m, fleet.Facts{Plan: planOf(l, m)}).Shown
		if got.State != want.State || got.Reason != want.Reason {
			t.Errorf("too large %t: %+v", large, got)
		}
	}
}

func TestLastOf(t *testing.T) {
	steps := func(kinds ...runner.StateKind) (all []runner.PlannedStep) {
		for i, kind := range kinds {
			all = append(all, runner.PlannedStep{Info: runner.Info{ID: forward[i]}, State: runner.State{Kind: kind}})
		}
		return all
	}
	const todo, done = runner.Todo, runner.Done
	for name, tt := range map[string]struct {
		steps []runner.PlannedStep
		until v1alpha1.Step
		at    bool
		last  journal.StepID
	}{
		"not named":              {steps(todo, todo, todo, todo), "", false, "enable-leader-migration"},
		"before it":              {steps(done, todo, todo, todo), "lease-access", false, "lease-access"},
		"at it":                  {steps(done, done, todo, todo), "lease-access", true, "enable-leader-migration"},
		"in a later block":       {steps(todo, todo, todo, todo), "cordon", false, "enable-leader-migration"},
		"of the other direction": {steps(done, todo, todo, todo), "undo-switch-provider", false, "enable-leader-migration"},
		"nothing is left":        {steps(done, done, done, done), "lease-access", false, ""},
	} {
		l := &look{}
		l.seen.Plan.Steps = tt.steps
		m := &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply, Until: tt.until}}
		if got := atUntil(tt.steps, tt.until); got != tt.at {
			t.Errorf("%s: at it %t", name, got)
		}
		if got := lastOf(l, m); got != tt.last {
			t.Errorf("%s: runs until %q, wanted %q", name, got, tt.last)
		}
	}
}

// A transient failure is retried after growing pauses; a held lock is retried soon.
func TestAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	away := &fault.Error{Class: fault.CouldNotLook, Object: "the API", Seen: "is away"}
	var w wait
	for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		w = w.after(away, now)
		if got := w.until.Sub(now); got != want || w.why != "the API: is away" || w.locks {
			t.Fatalf("%+v, wanted %s", w, want)
		}
	}
	if w = w.after(&fault.Error{Class: fault.Locked}, now); !w.locks || w.until.Sub(now) != minPause {
		t.Errorf("locked: %+v", w)
	}
	for _, err := range []error{nil, &fault.Error{Class: fault.Check}, &fault.Error{Class: fault.Stale}, errors.New("unforeseen")} {
		if w := w.after(err, now); !w.until.IsZero() {
			t.Errorf("%v: %+v", err, w)
		}
	}
}

// A failure counts for its object until the object changes or a retry is requested.
func TestFailureText(t *testing.T) {
	m := &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{UID: "u", Generation: 2}}
	again := m.DeepCopy()
	again.Annotations = map[string]string{RetryAnnotation: "1"}
	changed := m.DeepCopy()
	changed.Generation = 3
	k := &cluster{look: &look{}, failed: failure{attempt: attempt(m), err: errors.New("failed")}}
	if failureText(k, m) == "" || failureText(k, again) != "" || failureText(k, changed) != "" {
		t.Error("a failure of one object was taken for another's")
	}
	k = &cluster{look: &look{}}
	k.look.seen.Journal.Runs = []journal.Run{{Outcome: "stopped", Attempt: attempt(m), Step: "cordon", Reason: "Seeded"}, {Outcome: "guarded", Guard: true}}
	if failureText(k, m) == "" || failureText(k, again) != "" {
		t.Error("the journal's failure is not reported, or is reported after a retry was requested")
	}
}

// An old configuration next to a cloud controller manager is a revert only if awsmigrate has
// migrated the cluster and nothing rolls out.
func TestReverted(t *testing.T) {
	harm := errors.New("two managers")
	did, undid := []journal.Intent{{Step: "switch-provider"}}, []journal.Intent{{Step: "switch-provider"}, {Step: "undo-switch-provider"}}
	for name, tt := range map[string]struct {
		seen session.Assessment
		want bool
	}{
		"no harm":           {session.Assessment{Journal: journal.State{Intents: did}}, false},
		"put back":          {session.Assessment{Harm: harm, Journal: journal.State{Intents: did}}, true},
		"it rolls":          {session.Assessment{Harm: harm, UnderWay: "switch-provider", Journal: journal.State{Intents: did}}, false},
		"nothing was done":  {session.Assessment{Harm: harm}, false},
		"it was all undone": {session.Assessment{Harm: harm, Journal: journal.State{Intents: undid}}, false},
	} {
		if got := reverted(tt.seen); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// After a guard without an object, another look follows regardless of its result; nothing else would
// enqueue the cluster.
func TestEnded_guardWithoutObject_isFollowedUp(t *testing.T) {
	c := &Controller{o: Options{}.withDefaults()}
	for _, err := range []error{nil, &fault.Error{Class: fault.CouldNotLook}, &fault.Error{Class: fault.Locked}, &fault.Error{Class: fault.Check}, errors.New("unforeseen")} {
		k := &cluster{look: &look{}}
		if ended := c.ended(k, nil, err); !errors.Is(ended, err) || !k.suspect() {
			t.Errorf("after %v it is forgotten", err)
		}
	}
	k := &cluster{look: &look{}}
	if err := c.ended(k, &v1alpha1.ClusterMigration{}, nil); err != nil || k.suspect() {
		t.Error("a cluster with an object is read again without its handler")
	}
}

// A status shows the position at which the current step began, and none that is unknown.
func TestKnownPosition_stepsBegin_positionFollows(t *testing.T) {
	j := &job{}
	for _, tt := range []struct {
		event runner.Event
		want  string
	}{
		{runner.Event{Type: runner.RunStarted, Position: "P0"}, "P0"},
		{runner.Event{Type: runner.StepStarted, Step: "enable-leader-migration", Position: "P1"}, "P1"},
		{runner.Event{Type: runner.StepStarted, Step: "cordon"}, "P1"},
		{runner.Event{Type: runner.StepStarted, Step: "verify", Position: "unknown"}, ""},
	} {
		j.take(tt.event)
		if got := j.knownPosition(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.event.Step, got, tt.want)
		}
	}
}
