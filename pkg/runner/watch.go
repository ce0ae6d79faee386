package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// watch holds the state of the wait for one step: its start, the last progress, the last shown
// state.
type watch[S any] struct {
	r     *run[S]
	info  Info
	since time.Time // start of the step

	progress   string
	progressed time.Time
	last       Verdict // last successful read
	machines   []Machine
	leader     Leader
	left       *Left // the rollout that ending now would leave, at the last read
	looked     bool  // a read was attempted
	blind      bool  // the last read failed
	shown      shownWait

	steady      string    // Progress of the last verdict with Steady
	steadySince time.Time // zero if the last verdict had no Steady
}

func newWatch[S any](r *run[S], info Info) *watch[S] {
	now := r.o.Clock.Now()
	return &watch[S]{r: r, info: info, since: now, progressed: now}
}

// settleTimeout bounds the wait of a step that has written nothing for a transient obstacle, such
// as one late probe.
const settleTimeout = 2 * time.Minute

// do makes the step's changes. If Do fails because of an API outage or an unsettled cluster, it
// is called again, as after a crash: it observes, then decides.
func (w *watch[S]) do(ctx context.Context, step Step[S], tx *Tx) error {
	if tx.reads {
		return nil
	}
	for {
		snap, err := w.r.p.Observe(ctx, tx.Record())
		if err == nil {
			err = step.Do(ctx, tx, snap)
		}
		if err == nil {
			return nil
		}
		if lost := w.r.s.lockLost(); fault.ClassOf(lost) == fault.Locked {
			return lost
		}
		unsettled, passing := fault.As(err)
		passing = passing && unsettled.Transient && w.r.o.Clock.Since(w.since) < settleTimeout
		if ctx.Err() != nil || w.r.stop.requested() || !passing && !retry.Transient(err) {
			return w.r.stepError(ctx, w.info, err, "during step "+string(w.info.ID))
		}
		if w.r.mustLeave(tx) {
			return w.r.interruptedFault("during step " + string(w.info.ID))
		}
		v := Verdict{WaitingFor: "the API, to make the changes of the step"}
		if passing {
			v, err = Verdict{WaitingFor: unsettled.Wanted, Seen: unsettled.Object + ": " + unsettled.Seen, Progress: unsettled.Seen}, nil
		}
		if err := w.waitForNext(ctx, v, err); err != nil {
			return err
		}
	}
}

// verify observes until enough consecutive reads show what the step awaits.
func (w *watch[S]) verify(ctx context.Context, step Step[S], tx *Tx) (Verdict, error) {
	met, first := 0, time.Time{}
	for {
		if w.r.mustLeave(tx) && (w.looked || !tx.hasBegun()) {
			return Verdict{}, w.r.stepError(ctx, w.info, retry.Stopped(), "while step "+string(w.info.ID)+" waited for "+orNothing(w.last.WaitingFor))
		}
		v, snap, err := w.read(ctx, step, tx)
		lost := w.r.s.lockLost() // after the read: it may show another run's work
		switch {
		case fault.ClassOf(lost) == fault.Locked:
			return v, lost
		case lost != nil:
			met, err = 0, lost
		case err != nil && (ctx.Err() != nil || w.r.stop.requested() || !retry.Transient(err)):
			return v, w.r.stepError(ctx, w.info, err, "while step "+string(w.info.ID)+" was verified")
		case err != nil:
			met = 0
		case v.Kind == Met:
			if met++; met == 1 {
				first = w.r.o.Clock.Now()
			}
			if met >= w.readsNeeded(v, tx) {
				w.r.added += w.r.o.Clock.Since(first)
				return v, nil
			}
			w.showMet(met, w.readsNeeded(v, tx))
			if err := retry.Pause(ctx, w.r.o.Clock, w.r.o.Poll); err != nil && !isStop(err) {
				return v, err
			}
			continue
		case w.r.pull.requested():
			return v, w.r.pauseRollout(ctx, w.info, tx, snap, w.requestedPause())
		case v.Kind == Waiting:
			met = 0
			if err := w.tend(ctx, step, tx, snap); err != nil {
				return v, err
			}
		case v.Kind == Failed:
			return v, w.cause(v)
		case v.Kind == MustPause:
			return v, w.r.pauseRollout(ctx, w.info, tx, snap, w.cause(v))
		default:
			return v, &fault.Error{Reason: "NoVerdict", Object: w.object(), Seen: fmt.Sprintf("the verdict of the step is %q", v.Kind)}
		}
		w.left = w.leftBy(ctx, tx, true)
		if err := w.waitForNext(ctx, v, err); err != nil {
			return v, err
		}
	}
}

// read makes one observation. A run that stops right after its first change reads once more, with
// a short timeout, so that it can report what it leaves.
func (w *watch[S]) read(ctx context.Context, step Step[S], tx *Tx) (Verdict, S, error) {
	if w.r.mustLeave(tx) {
		soon, cancel := context.WithTimeout(ctx, finalWriteTimeout)
		defer cancel()
		ctx = soon
	}
	w.looked = true
	snap, err := w.r.p.Observe(ctx, tx.Record())
	if err != nil {
		return Verdict{}, snap, err
	}
	w.recordLeader(snap)
	v, err := step.Verify(ctx, tx, snap)
	if err == nil {
		w.machines = v.Machines
	}
	if err == nil {
		v = w.applySteady(v)
	}
	if err == nil && (v.By.Name != "" || v.AtRest) {
		w.last = v
	}
	return v, snap, err
}

// recordLeader records the leader of one observation.
func (w *watch[S]) recordLeader(snap S) {
	w.leader = w.r.p.Leader(snap)
	w.r.leadership = w.r.leadership.add(w.leader)
}

// applySteady returns v, or a Waiting verdict while v's Progress has not been steady for long
// enough.
func (w *watch[S]) applySteady(v Verdict) Verdict {
	if v.Steady.For == 0 {
		w.steadySince = time.Time{}
		return v
	}
	now := w.r.o.Clock.Now()
	if w.steadySince.IsZero() || v.Progress != w.steady {
		w.steady, w.steadySince = v.Progress, now
	}
	if now.Sub(w.steadySince) < v.Steady.For {
		v.Kind, v.WaitingFor, v.Err = Waiting, v.Steady.What, nil
	}
	return v
}

// tend lets a step act on the last observation. After an API outage the next read calls it again.
func (w *watch[S]) tend(ctx context.Context, step Step[S], tx *Tx, snap S) error {
	waiting, ok := step.(WaitingStep[S])
	if !ok {
		return nil
	}
	err := waiting.WhileWaiting(ctx, tx, snap)
	if err == nil || (ctx.Err() == nil && !w.r.stop.requested() && retry.Transient(err)) {
		return nil
	}
	return w.r.stepError(ctx, w.info, err, "while step "+string(w.info.ID)+" waited")
}

// readsNeeded returns how many consecutive Met reads end the wait. A step that only reads needs one,
// because nothing changes under it.
func (w *watch[S]) readsNeeded(v Verdict, tx *Tx) int {
	switch {
	case v.Stable > 0:
		return v.Stable
	case tx.reads:
		return 1
	}
	return w.r.o.Stable
}

// cause returns the cause of a Failed or MustPause verdict; it is never nil.
func (w *watch[S]) cause(v Verdict) error {
	if v.Err != nil {
		return v.Err
	}
	return &fault.Error{Class: fault.Check, Reason: "StepFailed", Object: w.object(), Seen: orNothing(v.Seen), Wanted: v.WaitingFor}
}

// requestedPause returns the cause of a requested pause.
func (w *watch[S]) requestedPause() error {
	return &fault.Error{Class: fault.Interrupted, Reason: "BrakeAsked", Object: w.object(),
		Seen: "rollout paused on request", Fix: "inspect the current machine; the same command ends the pause and continues"}
}

func (w *watch[S]) object() string { return "step " + string(w.info.ID) }

// waitForNext handles a read that is not Met: it shows it, returns an error if the wait has expired,
// and otherwise waits for the next read.
func (w *watch[S]) waitForNext(ctx context.Context, v Verdict, unread error) error {
	now := w.r.o.Clock.Now()
	w.blind = unread != nil
	if w.blind {
		w.r.noteFailedRead(now)
		if w.last.WaitingFor != "" {
			v = w.last
		}
		v.Seen, v.Counted = "could not look: "+retry.DescribeOutage(unread), false
	} else {
		if v.Progress != w.progress {
			w.progress, w.progressed = v.Progress, now
		}
		w.last = v
	}
	wait := &Wait{
		For: orNothing(v.WaitingFor), Seen: orNothing(v.Seen), Since: w.since, LastProgress: w.progressed,
		Until: w.progressed.Add(w.r.o.Timeout), Done: v.Done, Total: v.Total, Counted: v.Counted,
		Machines: w.machines, Blind: w.blind, Leader: w.leader.orNil(), Left: w.left,
	}
	if w.shown.due(wait, now) || w.r.o.EveryReading {
		w.show(wait, now)
	}
	if err := w.checkExpired(wait, now, unread); err != nil {
		return err
	}
	if err := retry.Pause(ctx, w.r.o.Clock, w.r.o.Poll); err != nil {
		return w.r.stepError(ctx, w.info, err, "while step "+string(w.info.ID)+" waited for "+wait.For)
	}
	return nil
}

func (w *watch[S]) show(wait *Wait, now time.Time) {
	w.r.emit(Event{Type: StepWaiting, Step: w.info.ID, Title: w.info.Title, Waiting: wait, Elapsed: now.Sub(w.since)})
}

// showMet shows a Met read that is not the last one needed. Only views that get every read
// see it.
func (w *watch[S]) showMet(met, enough int) {
	if !w.r.o.EveryReading {
		return
	}
	now := w.r.o.Clock.Now()
	w.show(&Wait{
		For: fmt.Sprintf("%d readings in a row that say so", enough), Seen: fmt.Sprintf("all of it, in %d of %d readings", met, enough),
		Since: w.since, LastProgress: now, Until: now.Add(w.r.o.Timeout), Machines: w.machines, Leader: w.leader.orNil(), Met: true,
	}, now)
}

// checkExpired returns an error if the wait has expired, or nil.
func (w *watch[S]) checkExpired(wait *Wait, now time.Time, unread error) error {
	deadline := !w.r.deadline.IsZero() && now.After(w.r.deadline)
	if !deadline && now.Sub(w.progressed) <= w.r.o.Timeout {
		return nil
	}
	var holdup *fault.Error // obstacle named by the last read
	if !w.blind {
		holdup, _ = fault.As(w.last.Err)
	}
	moments := fmt.Sprintf("since %s, nothing moved since %s", wait.Since.UTC().Format(time.RFC3339), wait.LastProgress.UTC().Format(time.RFC3339))
	if holdup != nil && !deadline {
		named := *holdup
		named.Seen = fmt.Sprintf("%s; %s waited for %s %s", holdup.Seen, w.object(), wait.For, moments)
		return &named
	}
	e := &fault.Error{
		Class: fault.NoProgress, Reason: "NoProgress", Object: w.object(), Err: unread,
		Seen:   fmt.Sprintf("waiting for %s; seen: %s; %s", wait.For, wait.Seen, moments),
		Wanted: fmt.Sprintf("some progress within %s", w.r.o.Timeout),
		Fix:    "find what delays it, then run the same command again",
	}
	if holdup != nil {
		e.Seen, e.Fix, e.Checks = e.Seen+"; "+holdup.Object+": "+holdup.Seen, holdup.Fix, holdup.Checks
	}
	if deadline {
		e.Reason, e.Wanted = "Deadline", fmt.Sprintf("all done within %s", w.r.o.Deadline)
	}
	if w.blind {
		e.Class, e.Reason, e.Fix = fault.CouldNotLook, "Unreachable", "run the same command again once the API answers"
		if f, ok := unread.(*fault.Error); ok && f.Fix != "" { //nolint:errorlint // what wraps it would repeat its fix
			cause := *f
			cause.Fix = ""
			e.Fix, e.Err = f.Fix, &cause
		}
	}
	return e
}

// reobserve observes between two steps, with the same timeout as in a step: the last change may
// have restarted the API server.
func (r *run[S]) reobserve(ctx context.Context) error {
	w := newWatch(r, Info{ID: r.current, Title: r.title})
	for {
		err := r.observe(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || r.stop.requested() || !retry.Transient(err) {
			return r.stepError(ctx, w.info, err, "after step "+string(r.current))
		}
		if r.mustEnd() {
			return r.interruptedFault("after step " + string(r.current))
		}
		if err := w.waitForNext(ctx, Verdict{WaitingFor: "the API, to see how far the cluster is"}, err); err != nil {
			return err
		}
	}
}

func orNothing(s string) string {
	if s == "" {
		return "(nothing yet)"
	}
	return s
}
