package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Resumer is a Procedure that knows what the run before it left to others. They go on with
// it whether or not a run watches: a question, or a refusal, must not hold the guard back.
type Resumer[S any] interface {
	Procedure[S]
	// Leftover returns the step of an earlier run that is not at its end, or nil. Like
	// Watched it needs no state of any step.
	Leftover(ctx context.Context, seen S) *Leftover[S]
}

// Leftover describes a step that an earlier run has begun and not seen to its end.
type Leftover[S any] struct {
	Step  Info
	By    Roller     // carries it out
	Watch Guarded[S] // watches it
	// Overtaken: the run may write before it is at its end, as an undo does. Then the
	// question cannot wait for that end.
	Overtaken bool
}

// leftover returns what an earlier run has left to others, or nil.
func (r *run[S]) leftover(ctx context.Context) *Leftover[S] {
	resumer, ok := r.p.(Resumer[S])
	if !ok || !r.looked || r.o.DryRun || r.o.Journal == nil || r.o.Lock == nil {
		return nil
	}
	return resumer.Leftover(ctx, r.last)
}

// stillRolling returns left if a run can watch over it. A program that only its own run can
// pause ends with that run, or is waited for with the lock: the question comes first.
func (r *run[S]) stillRolling(left *Leftover[S]) *Leftover[S] {
	if left == nil || left.By.Alone {
		return left
	}
	r.emit(Event{Type: StepWarning, Step: left.Step.ID, Title: left.Step.Title,
		Message: fmt.Sprintf("step %s is not at its end. %s carries it out, only while the run that started it works or until it has ended itself; no other run can pause it", left.Step.ID, left.By.Name)})
	return nil
}

// asks reports whether a person is asked before the first write.
func (r *run[S]) asks() bool { return r.o.Approve != nil && r.o.Saved == nil && !r.o.Unattended }

// watchFirst watches what is left over before anything else where a person is asked, the
// run was refused, or it would not begin with that step. It returns what is left then.
func (r *run[S]) watchFirst(ctx context.Context, left *Leftover[S], refused error) (*Leftover[S], error) {
	switch {
	case left == nil || isStop(refused),
		refused == nil && (left.Overtaken || !r.asks() && r.seen.States[left.Step.ID].Kind == InProgress):
		return left, refused
	}
	if err := r.watchLeft(ctx, left, refused, "this run watches to its end"+left.By.pauses()+"; it asks before it writes anything else"); err != nil {
		return nil, joined(err, refused)
	}
	if r.leaving() {
		return nil, r.interrupted("after step " + string(left.Step.ID))
	}
	return nil, r.firstLook(ctx)
}

// watchBehind watches what is left over where the run ended before it wrote anything.
func (r *run[S]) watchBehind(ctx context.Context, left *Leftover[S], err error) error {
	if err == nil || left == nil || r.forward || r.leaving() || isStop(err) || ctx.Err() != nil || fault.ClassOf(err) == fault.Locked {
		return err
	}
	return joined(r.watchLeft(ctx, left, err, "this run may not go on, watches to its end"+left.By.pauses()), err)
}

// watchLeft watches what an earlier run left over until the cluster is at rest, as Guard
// does, and shows it as a part of this run. Meanwhile refused is why it does no more.
func (r *run[S]) watchLeft(ctx context.Context, left *Leftover[S], refused error, what string) error {
	var lines []string
	if refused != nil {
		lines = []string{refused.Error()}
	}
	r.say(left, what, lines...)
	g := r.guardOf(left, r.stop.ch, r.relay)
	err := g.runGuard(ctx, left)
	r.take(g)
	return err
}

// whileWatched asks while what an earlier run left over is watched, the brake armed. The
// watch shows nothing but what a person has to know, and ends with the answer. With a
// no comes what the watch ended with.
func (r *run[S]) whileWatched(ctx context.Context, left *Leftover[S], ask func() error) error {
	if left == nil || !r.asks() {
		return ask()
	}
	r.say(left, "this run watches while it asks"+left.By.pauses()+"; a yes goes back at once")
	stop, ended := make(chan struct{}), make(chan error, 1)
	g := r.guardOf(left, stop, r.relayUrgent)
	go func() { ended <- g.runGuard(ctx, left) }()
	err := ask()
	close(stop)
	watched := <-ended
	if isStop(watched) || fault.ClassOf(watched) == fault.Locked { // it watches that holds the lock
		watched = nil
	}
	if err == nil {
		return nil
	}
	r.take(g)
	return joined(watched, err)
}

// guardOf returns a run that watches left, by another procedure than this run's and with
// its own view of the journal.
func (r *run[S]) guardOf(left *Leftover[S], stop <-chan struct{}, sink SinkFunc) *run[S] {
	o := r.o
	o.Interrupt, o.Brake, o.HangUp, o.Sink = stop, r.pull.ch, r.gone.ch, sink
	o.Saved, o.Approve, o.Confirm, o.Hold, o.Until, o.Only = nil, nil, nil, nil, "", ""
	g := newRun[S](left.Watch, o)
	g.guards = true
	return g
}

func (r *run[S]) runGuard(ctx context.Context, left *Leftover[S]) error {
	_, err := r.run(ctx, func(ctx context.Context) error { return r.guard(ctx, left.Watch.Watched) })
	return err
}

// say warns of what is left over before anything else is shown.
func (r *run[S]) say(left *Leftover[S], what string, lines ...string) {
	r.emit(Event{Type: StepWarning, Step: left.Step.ID, Title: left.Step.Title, Lines: lines,
		Message: fmt.Sprintf("%s is rolling out step %s now, which an earlier run began: %s", left.By.Name, left.Step.ID, what)})
}

// relay shows the events of a watch as this run's. What begins and ends a run, and what
// asks one to end, this run shows itself.
func (r *run[S]) relay(e Event) {
	switch e.Type {
	case RunStarted, RunFinished, Interrupting, HungUp:
	case LockTaken, StepDone, StepSkipped, StepStarted, StepWaiting, StepWarning, StepFinished, StepFailed, BrakePulled:
		r.emit(e)
	}
}

// relayUrgent shows of a watch what a person has to know who is reading something else.
func (r *run[S]) relayUrgent(e Event) {
	if e.Type == BrakePulled || e.Type == StepWarning || e.Type == StepFailed && !isStop(e.Err) {
		r.emit(e)
	}
}

// take takes over what a watch came to.
func (r *run[S]) take(g *run[S]) {
	r.left, r.braked, r.held = g.left, g.braked, g.held
	r.added += g.added
	r.led.pauses = append(slices.Clone(r.led.pauses), g.led.pauses...)
	for id, of := range g.report.byID {
		if mine := r.report.of(id); mine != nil && of.Outcome != NotReached {
			*mine, r.shown[id] = *of, true
		}
	}
}

// joined is both errors, or the one that there is.
func joined(first, second error) error {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return errors.Join(first, second)
}
