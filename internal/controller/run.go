package controller

import (
	"cmp"
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

// startRun begins or continues the next block of an object. The caller holds k.mu.
func (c *Controller) startRun(k *cluster, m *v1alpha1.ClusterMigration) {
	l := k.look
	saved, until := l.plan.InForce, lastOf(l, m)
	if saved == nil {
		return // a decision to run implies a plan
	}
	interrupt, ask := signalOnce()
	j := &job{kind: kindRun, undo: m.Spec.Goal == v1alpha1.GoalUndo, interrupt: ask}
	k.withdrew = nil
	c.begin(k, j, func(ctx context.Context, j *job) error {
		// A step in progress continues without Hold, and the object may have changed since the
		// cache was updated.
		if err := c.checkWanted(k.key, m, runner.Info{ID: nextStep(l.seen.Plan.Steps)}); err != nil {
			return c.ended(k, m, err)
		}
		options, err := c.options(ctx, l.target, m.Spec)
		if err != nil {
			return c.ended(k, m, err)
		}
		options.Attempt, options.Until = attempt(m), until
		options.Command = fault.Command("kubectl", "annotate", "clustermigration", "-n", k.key.Namespace, k.key.Name, "--overwrite", RetryAnnotation+"="+runner.NewRunID(c.o.Clock.Now()))
		options.Interrupt, options.Sink = interrupt, c.sink(k, j)
		options.Saved = func(journal.Target) (*runner.WholePlan, error) { return saved, nil }
		options.Hold = func(_ context.Context, step runner.Info) error { return c.checkWanted(k.key, m, step) }
		return c.ended(k, m, recoverPanic(ctx, func(ctx context.Context) error {
			result, err := c.runRecorded(ctx, k.key, l.target, options)
			if err == nil && didNothing(result.Steps) { // otherwise the same run would start again at once
				err = &fault.Error{Class: fault.NoProgress, Reason: "NothingDone", Object: "Cluster " + k.key.String(), Seen: "a run up to step " + string(until) + " ended without taking one"}
			}
			return err
		}))
	})
}

// didNothing reports whether a run completed no step except those that only read.
func didNothing(steps []runner.StepResult) bool {
	all := slices.Concat(fleet.Blocks(v1alpha1.GoalMigrate, v1alpha1.EditsApply), fleet.Blocks(v1alpha1.GoalUndo, v1alpha1.EditsApply))
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s runner.StepResult) bool {
		return s.Outcome == runner.Finished && fleet.BlockOf(all, v1alpha1.Step(s.ID)) != nil
	})
}

// lastOf returns the last step of the next run: the last pending one of its block, or spec.until
// if that comes first. A step in progress is always completed, regardless of spec.until.
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

// checkWanted reads the object from the API server before a step begins, because a watch may lag.
func (c *Controller) checkWanted(key Key, begun *v1alpha1.ClusterMigration, step runner.Info) error {
	now, err := c.objects[key.Namespace].Get(key.Namespace, key.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return heldFault(key, step, "was deleted")
	case err != nil:
		return &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "ClusterMigration " + key.String(), Seen: "could not be read before step " + string(step.ID), Err: err}
	}
	what, err := changesSince(begun, now)
	if err != nil {
		return err
	}
	if what != "" {
		return heldFault(key, step, what)
	}
	return nil
}

const reasonHeld = "Held"

func heldFault(key Key, step runner.Info, seen string) error {
	return &fault.Error{Class: fault.Interrupted, Reason: reasonHeld, Object: "ClusterMigration " + key.String(), Seen: seen + ": step " + string(step.ID) + " does not begin"}
}

// startGuard starts watching a rollout. The caller holds k.mu. m is nil if the object does not exist.
func (c *Controller) startGuard(k *cluster, m *v1alpha1.ClusterMigration) {
	l := k.look
	interrupt, ask := signalOnce()
	c.begin(k, &job{kind: kindGuard, interrupt: ask}, func(ctx context.Context, j *job) error {
		spec := v1alpha1.ClusterMigrationSpec{}
		if m != nil {
			spec = m.Spec
		}
		options, err := c.options(ctx, l.target, spec)
		if err != nil { // e.g. a deleted Secret: the rollout is watched without it
			if options, err = c.options(ctx, l.target, v1alpha1.ClusterMigrationSpec{}); err != nil {
				return c.ended(k, m, err)
			}
		}
		options.Interrupt, options.Sink = interrupt, c.sink(k, j)
		err = recoverPanic(ctx, func(ctx context.Context) error {
			_, err := c.o.Engine.Guard(ctx, l.target, options)
			return err
		})
		k.mu.Lock()
		k.guardErr = err
		k.mu.Unlock()
		return c.ended(k, m, err)
	})
}

// ended updates a cluster after a run or a guard. It is read again, unless another run holds its
// lock.
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
		k.look, k.decided = nil, decided{} // they are from before the run
	}
	k.moved = k.moved || m == nil // without an object, nothing else would enqueue this cluster
	return err
}

// signalOnce returns a channel and a function that closes it, at most once.
func signalOnce() (asked chan struct{}, ask func()) {
	asked = make(chan struct{})
	return asked, sync.OnceFunc(func() { close(asked) })
}

// sink returns the receiver of a run's events. It serves the log, the metrics, the status and
// Kubernetes events.
func (c *Controller) sink(k *cluster, j *job) runner.Sink {
	log := c.log(k.key)
	return runner.SinkFunc(func(e runner.Event) {
		if e.Type == runner.RunStarted {
			log = log.With("run", e.Message)
		}
		logEvent(log, e)
		c.o.Meter.Happened(k.key, e)
		j.mu.Lock()
		j.take(e)
		j.mu.Unlock()
		c.recordEvent(k.key, e)
		c.enqueue(k.key)
	})
}

// take stores what a status shows of an event.
func (j *job) take(e runner.Event) {
	switch e.Type {
	case runner.RunStarted:
		j.run, j.position = e.Message, e.Position
	case runner.StepStarted:
		j.position = cmp.Or(e.Position, j.position)
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
