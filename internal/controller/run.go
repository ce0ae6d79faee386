package controller

import (
	"context"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// runs begins the next block of an object, or goes on with one. k is locked.
func (c *Controller) runs(k *cluster, m *v1alpha1.ClusterMigration) {
	l := k.look
	saved, until := l.plan.InForce, lastOf(l, m)
	if saved == nil {
		return // decided with a plan, and begun with none: never
	}
	interrupt, ask := once()
	j := &job{kind: running, undo: m.Spec.Goal == v1alpha1.GoalUndo, interrupt: ask}
	k.withdrew = nil
	c.begin(k, j, func(ctx context.Context, j *job) error {
		// A step that was begun goes on without asking: the object may have changed since the cache saw it.
		if err := c.stillWanted(k.key, m, runner.Info{ID: nextStep(l.seen.Plan.Steps)}); err != nil {
			return c.ended(k, m, err)
		}
		options, err := c.options(ctx, k.key, m.Spec)
		if err != nil {
			return c.ended(k, m, err)
		}
		options.Attempt, options.Until = attempt(m), until
		options.Command = fault.Command("kubectl", "annotate", "clustermigration", "-n", k.key.Namespace, k.key.Name, "--overwrite", RetryAnnotation+"="+runner.NewRunID(c.o.Clock.Now()))
		options.Interrupt, options.Sink = interrupt, c.sink(k, j)
		options.Saved = func(journal.Target) (*runner.WholePlan, error) { return saved, nil }
		options.Hold = func(_ context.Context, step runner.Info) error { return c.stillWanted(k.key, m, step) }
		return c.ended(k, m, recovered(ctx, func(ctx context.Context) error {
			result, err := c.recorded(ctx, k.key, l.target, options)
			if err == nil && idle(result.Steps) { // it would be begun again at once
				err = &fault.Error{Class: fault.NoProgress, Reason: "NothingDone", Object: "Cluster " + k.key.String(), Seen: "a run up to step " + string(until) + " ended without taking one"}
			}
			return err
		}))
	})
}

// idle says whether a run took none of its steps but those that only read.
func idle(steps []runner.StepResult) bool {
	all := slices.Concat(fleet.Blocks(v1alpha1.GoalMigrate, v1alpha1.EditsApply), fleet.Blocks(v1alpha1.GoalUndo, v1alpha1.EditsApply))
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s runner.StepResult) bool {
		return s.Outcome == runner.Finished && fleet.BlockOf(all, v1alpha1.Step(s.ID)) != nil
	})
}

// lastOf is the step after which a run gives the cluster back: the last of the block that
// is next and still to do, or that of spec.until where it comes before. A step that was
// begun is seen to its end, whatever spec.until names.
func lastOf(l *look, m *v1alpha1.ClusterMigration) journal.StepID {
	next := nextStep(l.seen.Plan.Steps)
	block := fleet.BlockOf(fleet.Blocks(m.Spec.Goal.OrDefault(), m.Spec.Edits), v1alpha1.Step(next))
	last, reached := next, false
	for _, step := range l.seen.Plan.Steps {
		reached = reached || step.ID == next
		switch {
		case step.ID == journal.StepID(m.Spec.Until) && !reached:
			return next
		case reached && slices.Contains(block, v1alpha1.Step(step.ID)):
			if writes(step) || step.State.Kind == runner.Always {
				last = step.ID
			}
			if step.ID == journal.StepID(m.Spec.Until) {
				return last
			}
		}
	}
	return last
}

// stillWanted reads the object live before a step begins: a watch may lag behind.
func (c *Controller) stillWanted(key Key, begun *v1alpha1.ClusterMigration, step runner.Info) error {
	now, err := c.objects[key.Namespace].Get(key.Namespace, key.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return held(key, step, "was deleted")
	case err != nil:
		return &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "ClusterMigration " + key.String(), Seen: "could not be read before step " + string(step.ID), Err: err}
	}
	what, err := withdrawn(begun, now)
	if err != nil {
		return err
	}
	if what != "" {
		return held(key, step, what)
	}
	return nil
}

const reasonHeld = "Held"

func held(key Key, step runner.Info, seen string) error {
	return &fault.Error{Class: fault.Interrupted, Reason: reasonHeld, Object: "ClusterMigration " + key.String(), Seen: seen + ": step " + string(step.ID) + " does not begin"}
}

// guards begins to watch what rolls. k is locked; m is nil where no object names it.
func (c *Controller) guards(k *cluster, m *v1alpha1.ClusterMigration) {
	l := k.look
	interrupt, ask := once()
	c.begin(k, &job{kind: guarding, interrupt: ask}, func(ctx context.Context, j *job) error {
		spec := v1alpha1.ClusterMigrationSpec{}
		if m != nil {
			spec = m.Spec
		}
		options, err := c.options(ctx, k.key, spec)
		if err != nil { // such as a Secret that is gone: what rolls is watched without
			if options, err = c.options(ctx, k.key, v1alpha1.ClusterMigrationSpec{}); err != nil {
				return c.ended(k, m, err)
			}
		}
		options.Interrupt, options.Sink = interrupt, c.sink(k, j)
		err = recovered(ctx, func(ctx context.Context) error {
			_, err := c.o.Engine.Guard(ctx, l.target, options)
			return err
		})
		k.mu.Lock()
		k.guardErr = err
		k.mu.Unlock()
		return c.ended(k, m, err)
	})
}

// ended says what becomes of a cluster behind a run or a guard: it is looked at again,
// unless nothing got through.
func (c *Controller) ended(k *cluster, m *v1alpha1.ClusterMigration, err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wait = k.wait.after(err, c.o.Clock.Now())
	k.awaits = failure{}
	switch fault.ClassOf(err) {
	case fault.Gate:
		k.awaits = failure{attempt: attempt(m), err: err}
	case fault.Locked, fault.CouldNotLook, fault.NoProgress, fault.Interrupted, fault.HungUp, fault.Stale:
	default:
		if err != nil {
			k.failed = failure{attempt: attempt(m), err: err}
		}
	}
	if fault.HasReason(err, reasonHeld) {
		k.withdrew = err
	}
	if k.look != nil && !k.wait.locks {
		k.look = nil // it is of before
	}
	k.moved = k.moved || m == nil // no object brings us back to what may roll still
	return err
}

// once is a channel that is closed by the first call.
func once() (asked chan struct{}, ask func()) {
	asked = make(chan struct{})
	return asked, sync.OnceFunc(func() { close(asked) })
}

// sink takes the events of a run: for the log, for what the status shows, and for people.
func (c *Controller) sink(k *cluster, j *job) runner.Sink {
	log := c.log(k.key)
	return runner.SinkFunc(func(e runner.Event) {
		if e.Type == runner.RunStarted {
			log = log.With("run", e.Message)
		}
		record(log, e)
		c.o.Meter.Happened(k.key, e)
		j.mu.Lock()
		j.take(e)
		j.mu.Unlock()
		c.tell(k.key, e)
		c.enqueue(k.key)
	})
}

// take keeps of an event what a status shows.
func (j *job) take(e runner.Event) {
	switch e.Type {
	case runner.RunStarted:
		j.run, j.position = e.Message, e.Position
	case runner.StepStarted:
		j.title, j.step = e.Title, &v1alpha1.RunningStep{ID: string(e.Step), StartedAt: metav1.NewTime(e.Time.UTC().Truncate(time.Second))}
	case runner.StepWaiting:
		if j.step == nil {
			j.step = &v1alpha1.RunningStep{}
		}
		if w := e.Waiting; w != nil {
			j.step.WaitingFor, j.step.Seen, j.step.Done, j.step.Total = w.For, w.Seen, int64(w.Done), int64(w.Total)
			j.step.LastProgress, j.step.Until = metav1.NewTime(w.LastProgress.UTC().Truncate(time.Second)), metav1.NewTime(w.Until.UTC().Truncate(time.Second))
		}
	case runner.StepFinished, runner.StepFailed:
		if j.step != nil {
			j.step.WaitingFor, j.step.Seen = "", ""
		}
	default:
	}
}
