package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Resumer is a Procedure that knows which rollout an earlier run left to others. The rollout
// continues without a run, so a question or a refusal must not delay watching it.
type Resumer[S any] interface {
	Procedure[S]
	// Leftover returns the unfinished step of an earlier run, or nil. Like Watched it needs no
	// step states.
	Leftover(ctx context.Context, snap S) *Leftover[S]
}

// Leftover describes a step that an earlier run has begun and not seen completed.
type Leftover[S any] struct {
	Step  Info
	By    Roller     // the program that carries it out
	Watch Guarded[S] // the procedure that watches it
	// Overtaken reports whether the run may write before the rollout is complete, as an undo
	// does. Then the question cannot wait for the end of the rollout.
	Overtaken bool
}

// leftover returns the rollout that an earlier run has left to others, or nil.
func (r *run[S]) leftover(ctx context.Context) *Leftover[S] {
	resumer, ok := r.p.(Resumer[S])
	if !ok || !r.looked || r.o.DryRun || r.o.Journal == nil || r.o.Lock == nil {
		return nil
	}
	return resumer.Leftover(ctx, r.last)
}

// watchable returns left if this run can watch over it. If only the earlier run can pause the
// program, the program ends with that run, or this run waits for it under the lock; then the
// question comes first.
func (r *run[S]) watchable(left *Leftover[S]) *Leftover[S] {
	if left == nil || left.By.Alone {
		return left
	}
	r.emit(Event{Type: StepWarning, Step: left.Step.ID, Title: left.Step.Title,
		Message: fmt.Sprintf("step %s is not at its end. %s carries it out, only while the run that started it works or until it has ended itself; no other run can pause it", left.Step.ID, left.By.Name)})
	return nil
}

// asks reports whether a person must approve before the first write.
func (r *run[S]) asks() bool { return r.o.Approve != nil && r.o.Saved == nil && !r.o.Unattended }

// watchFirst watches the leftover before anything else in three cases: a person must approve, the
// run was refused, or the run would not begin with that step. It returns the leftover that
// remains.
func (r *run[S]) watchFirst(ctx context.Context, left *Leftover[S], refused error) (*Leftover[S], error) {
	switch {
	case left == nil || isStop(refused),
		refused == nil && (left.Overtaken || !r.asks() && r.obs.States[left.Step.ID].Kind == InProgress):
		return left, refused
	}
	if err := r.watchLeft(ctx, left, refused, "this run watches to its end"+left.By.pauses()+"; it asks before it writes anything else"); err != nil {
		return nil, joinErrors(err, refused)
	}
	if r.mustEnd() {
		return nil, r.interruptedFault("after step " + string(left.Step.ID))
	}
	return nil, r.firstLook(ctx)
}

// watchAfter watches the leftover if the run ended before it wrote anything.
func (r *run[S]) watchAfter(ctx context.Context, left *Leftover[S], err error) error {
	if err == nil || left == nil || r.forward || r.mustEnd() || isStop(err) || ctx.Err() != nil || fault.ClassOf(err) == fault.Locked {
		return err
	}
	return joinErrors(r.watchLeft(ctx, left, err, "this run may not go on, watches to its end"+left.By.pauses()), err)
}

// watchLeft watches the leftover until the cluster is at rest, like Guard, and shows it as part
// of this run. refused is the reason why this run does nothing else, or nil.
func (r *run[S]) watchLeft(ctx context.Context, left *Leftover[S], refused error, what string) error {
	var lines []string
	if refused != nil {
		lines = []string{refused.Error()}
	}
	r.warnLeftover(left, what, lines...)
	g := r.guardOf(left, r.stop.ch, r.relay)
	err := g.runGuard(ctx, left)
	r.adopt(g)
	return err
}

// askWhileWatching asks while it watches the leftover, and pauses the rollout if necessary. The watch
// shows only urgent events and ends with the answer. If the answer is no, the watch's own error
// is returned too.
func (r *run[S]) askWhileWatching(ctx context.Context, left *Leftover[S], ask func() error) error {
	if left == nil || !r.asks() {
		return ask()
	}
	r.warnLeftover(left, "this run watches while it asks"+left.By.pauses()+"; a yes goes back at once")
	stop, ended := make(chan struct{}), make(chan error, 1)
	g := r.guardOf(left, stop, r.relayUrgent)
	go func() { ended <- g.runGuard(ctx, left) }()
	err := ask()
	close(stop)
	watched := <-ended
	if isStop(watched) || fault.ClassOf(watched) == fault.Locked { // the watch itself holds the lock
		watched = nil
	}
	if err == nil {
		return nil
	}
	r.adopt(g)
	return joinErrors(watched, err)
}

// guardOf returns a run that watches left with its own procedure and its own view of the journal.
func (r *run[S]) guardOf(left *Leftover[S], stop <-chan struct{}, sink SinkFunc) *run[S] {
	o := r.o
	o.Interrupt, o.PauseRequest, o.HangUp, o.Sink = stop, r.pull.ch, r.gone.ch, sink
	o.Saved, o.Approve, o.Confirm, o.Hold, o.Until, o.Only = nil, nil, nil, nil, "", ""
	g := newRun[S](left.Watch, o)
	g.guards = true
	return g
}

func (r *run[S]) runGuard(ctx context.Context, left *Leftover[S]) error {
	_, err := r.run(ctx, func(ctx context.Context) error { return r.guard(ctx, left.Watch.Watched) })
	return err
}

// warnLeftover warns about the leftover before anything else is shown.
func (r *run[S]) warnLeftover(left *Leftover[S], what string, lines ...string) {
	r.emit(Event{Type: StepWarning, Step: left.Step.ID, Title: left.Step.Title, Lines: lines,
		Message: fmt.Sprintf("%s is rolling out step %s now, which an earlier run began: %s", left.By.Name, left.Step.ID, what)})
}

// relay shows the events of the watch as events of this run. It drops events that concern the
// start and end of a run, because this run emits its own.
func (r *run[S]) relay(e Event) {
	switch e.Type {
	case RunStarted, RunFinished, Interrupting, HungUp:
	case LockTaken, StepDone, StepSkipped, StepStarted, StepWaiting, StepWarning, StepFinished, StepFailed, RolloutPaused:
		r.emit(e)
	}
}

// relayUrgent shows only events that a person must see while reading a question.
func (r *run[S]) relayUrgent(e Event) {
	if e.Type == RolloutPaused || e.Type == StepWarning || e.Type == StepFailed && !isStop(e.Err) {
		r.emit(e)
	}
}

// adopt copies the results of the watch into this run.
func (r *run[S]) adopt(g *run[S]) {
	r.left, r.pauseTried, r.held = g.left, g.pauseTried, g.held
	r.added += g.added
	r.leadership.pauses = append(slices.Clone(r.leadership.pauses), g.leadership.pauses...)
	for id, of := range g.report.byID {
		if mine := r.report.of(id); mine != nil && of.Outcome != NotReached {
			*mine, r.shown[id] = *of, true
		}
	}
}

// joinErrors joins two errors, either of which may be nil.
func joinErrors(first, second error) error {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return errors.Join(first, second)
}
