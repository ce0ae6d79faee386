package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Run brings p's cluster as far as o asks. It observes before every step, runs
// the first step that is to do, waits for what it awaits, and stops where a
// person must act. If nothing is to do it runs the steps that only read, takes
// no lock and writes nothing.
//
// A nil error means that everything asked for was observed in this run.
func Run[S any](ctx context.Context, p Procedure[S], o Options) (Result, error) {
	r := newRun(p, o)
	return r.run(ctx, r.all)
}

func newRun[S any](p Procedure[S], o Options) *run[S] {
	o = o.withDefaults()
	r := &run[S]{p: p, o: o, s: &session{o: o}, steps: infosOf(p.Steps()), begun: o.Clock.Now(),
		shown: map[journal.StepID]bool{}, confirmed: map[journal.StepID]bool{}, ran: map[journal.StepID]bool{}, planned: map[journal.StepID][]Change{}}
	r.report = newReport(r.steps)
	r.stop, r.gone, r.pull = newStopper(o.Interrupt, r.interrupting), newStopper(o.HangUp, r.hangingUp), newStopper(o.Brake, r.pulling)
	return r
}

// run does work between the first event and the last, and makes its result.
func (r *run[S]) run(ctx context.Context, work func(context.Context) error) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the renewing of the lock, also on a panic
	go r.stop.watch(ctx.Done())
	go r.gone.watch(ctx.Done())
	go r.pull.watch(ctx.Done())
	ctx = retry.WithWaitPolicy(ctx, retry.WaitPolicy{Report: r.outside, Stop: r.stop.ch})
	err := work(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		err = r.cutOff(err)
	case isStop(err) && !r.observed && len(r.ran) == 0:
		err = r.interrupted("before the first step")
	}
	result := r.result(err)
	r.emit(Event{Type: RunFinished, Position: result.Position, Message: r.o.RunID, Elapsed: r.elapsed(), Left: result.Left, Err: err})
	return result, err
}

// run is the state of one Run.
type run[S any] struct {
	p      Procedure[S]
	o      Options
	s      *session
	steps  []Info
	stop   *stopper // a clean stop was asked for
	gone   *stopper // nobody watches any more
	pull   *stopper // the brake was asked for
	report *report

	last      S           // what was observed last
	seen      Observation // what it says
	observed  bool        // since the last step
	looked    bool        // last is an observation
	begun     time.Time
	writing   bool      // the lock is ours and the run is in the history
	guards    bool      // it only watches
	forward   bool      // it began a step that writes
	deadline  time.Time // zero: none
	added     time.Duration
	led       led
	current   journal.StepID
	title     string
	shown     map[journal.StepID]bool // done and skipped steps that the views know of
	confirmed map[journal.StepID]bool
	planned   map[journal.StepID][]Change // of the last plan that was made under the lock
	ran       map[journal.StepID]bool
	braked    bool  // the brake was pulled, or tried
	held      bool  // it holds
	left      *Left // by the step that ended the run

	unread time.Time // a reading failed last

	emitting sync.Mutex
	ended    bool
	outer    shownWait
}

func (r *run[S]) all(ctx context.Context) error {
	if err := r.o.check(r.steps); err != nil {
		return err
	}
	refused := r.firstLook(ctx)
	left := r.leftover(ctx)
	if refused != nil && left == nil {
		return refused
	}
	r.started()
	left, err := r.watchFirst(ctx, r.stillRolling(left), refused)
	if err != nil {
		return err
	}
	return r.watchBehind(ctx, left, r.goOn(ctx, left))
}

// goOn asks for a yes and does the rest. What is left over of an earlier run is watched
// while it asks.
func (r *run[S]) goOn(ctx context.Context, left *Leftover[S]) error {
	sc, err := inScope(r.steps, r.seen, r.o)
	if err != nil {
		return err
	}
	if !sc.writes || r.o.DryRun {
		return r.runSteps(ctx, sc)
	}
	if r.o.Journal == nil || r.o.Lock == nil {
		return noLock(r.p.Target())
	}
	yes, err := r.approve(ctx, left)
	if err != nil {
		return err
	}
	if r.leaving() {
		return r.interrupted("before the first step")
	}
	return r.locked(ctx, func(ctx context.Context) error { return r.underLock(ctx, yes) })
}

func noLock(target journal.Target) error {
	return &fault.Error{Reason: "NoLock", Object: targetName(target), Seen: "a step is to do, but the run was given no journal or no lock"}
}

// firstLook reads journal and cluster before anything was decided.
func (r *run[S]) firstLook(ctx context.Context) error {
	return retry.Do(ctx, r.o.Clock, firstLook, "the API to answer", func(ctx context.Context) error {
		if err := r.s.load(ctx); err != nil {
			return retry.Classify(err, targetName(r.p.Target()))
		}
		return r.observe(ctx)
	})
}

func (r *run[S]) observe(ctx context.Context) error {
	last, err := r.p.Observe(ctx, r.s.record())
	if err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.last, r.looked = last, true
	seen, err := judge(r.p, last)
	if err != nil {
		return err
	}
	r.seen, r.observed = seen, true
	return nil
}

// locked does the work that writes, from taking the lock to giving it back.
func (r *run[S]) locked(ctx context.Context, work func(context.Context) error) error {
	free, held := r.untilLeaving(ctx)
	err := r.o.Lock.Acquire(free)
	held()
	if isStop(err) {
		return r.interrupted("while it waited for the lock")
	} else if err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.emit(Event{Type: LockTaken})
	err = work(ctx)
	if ctx.Err() != nil {
		return err // out at once: the lock expires by itself
	}
	if r.writing {
		var lost error
		r.bestEffort(ctx, "the end of the run could not be written to the journal", func(ctx context.Context) error {
			if lost = r.o.Lock.Prove(ctx); lost != nil {
				return lost
			}
			return r.s.end(ctx, ending{step: r.current, verified: r.report.finished(), reached: !r.guards && !r.seen.Pending(), guarded: r.guards}, err)
		})
		if err == nil && fault.ClassOf(lost) == fault.Locked {
			err = lost // the success may be another run's
		}
	}
	r.bestEffort(ctx, "the lock could not be given back; it expires by itself", r.o.Lock.Release)
	return err
}

// bestEffort does something for which a run that is over does not fail.
func (r *run[S]) bestEffort(ctx context.Context, otherwise string, f func(context.Context) error) {
	if err := f(retry.WithBudget(ctx, parting)); err != nil {
		r.emit(Event{Type: StepWarning, Message: otherwise, Lines: []string{err.Error()}, Err: err})
	}
}

func (r *run[S]) underLock(ctx context.Context, yes *WholePlan) error {
	// What was read before the lock was ours may be another run's past.
	if err := r.firstLook(ctx); err != nil {
		return err
	}
	sc, err := inScope(r.steps, r.seen, r.o)
	if err != nil {
		return err
	}
	if !sc.writes {
		return r.runSteps(ctx, sc)
	}
	if err := r.stillApproved(ctx, yes); err != nil {
		return err
	}
	basis := r.basis()
	if err := r.open(ctx, func(ctx context.Context) error { return r.s.begin(ctx, basis) }); err != nil {
		return err
	}
	if r.o.Deadline > 0 {
		r.deadline = r.o.Clock.Now().Add(r.o.Deadline)
	}
	if yes != nil {
		approved := *yes
		if r.o.Saved != nil {
			approved = *r.o.Saved // of which yes is what is left
		}
		plan, err := approved.approvedHash()
		if err != nil {
			return err
		}
		err = r.s.change(retry.WithoutStop(ctx), func(st *journal.State) {
			st.Approvals = append(st.Approvals, journal.Approval{Run: r.o.RunID, Who: r.o.Who, Time: r.s.now(), Plan: plan})
		})
		if err != nil {
			return retry.Classify(err, targetName(r.p.Target()))
		}
	}
	return r.runSteps(ctx, sc)
}

// open puts the run into the history, which is its first write.
func (r *run[S]) open(ctx context.Context, begin func(context.Context) error) error {
	r.s.writable = true
	if err := begin(retry.WithoutStop(ctx)); err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.writing = true
	return nil
}

// runSteps runs what is to run in sc, observing before each.
func (r *run[S]) runSteps(ctx context.Context, sc scope) error {
	for {
		if !r.observed {
			if err := r.reobserve(ctx); err != nil {
				return err
			}
		}
		if err := r.keepHold(ctx); err != nil {
			return err
		}
		info, found := r.next(sc)
		if !found {
			r.current = ""
			return nil
		}
		state := r.seen.States[info.ID]
		if err := r.mayBegin(info, state); err != nil {
			return err
		}
		if r.o.DryRun && state.Kind.writes() {
			return r.planRest(ctx, sc)
		}
		if err := r.stillSaved(ctx, info, state); err != nil {
			return err
		}
		if err := r.mayNow(ctx, info, state); err != nil {
			return err
		}
		r.current, r.title = info.ID, info.Title
		if asked, err := r.gate(ctx, info, state); err != nil {
			return err
		} else if asked {
			r.observed = false // a person may have thought for days
			continue
		}
		r.observed = false
		r.ran[info.ID], r.forward = true, r.forward || state.Kind.writes()
		if err := r.step(ctx, stepOf(r.p.Steps(), info.ID), info, state); err != nil {
			return err
		}
	}
}

// keepHold ends the run between two steps once its lock is lost: what was observed
// may be another run's work. Where nothing has shown it for too long, it is asked.
func (r *run[S]) keepHold(ctx context.Context) error {
	err := r.s.held()
	if err == nil || fault.ClassOf(err) == fault.Locked {
		return err
	}
	return retry.Classify(r.o.Lock.Prove(ctx), targetName(r.p.Target()))
}

// next is the first step of sc that is to run now, if one is left. Steps found done
// or skipped on the way are shown.
func (r *run[S]) next(sc scope) (step Info, found bool) {
	for _, info := range sc.steps {
		state := r.seen.States[info.ID]
		switch {
		case state.Kind == Always && !r.ran[info.ID]:
			return info, true
		case state.Kind.writes() && sc.writes:
			return info, true
		case state.Kind == Done || state.Kind == Skipped:
			r.show(info, state)
		}
	}
	return Info{}, false
}

func (r *run[S]) show(info Info, state State) {
	if r.shown[info.ID] || r.ran[info.ID] {
		return
	}
	r.shown[info.ID] = true
	kind, outcome := StepDone, WasDone
	if state.Kind == Skipped {
		kind, outcome = StepSkipped, WasSkipped
	}
	res := r.report.of(info.ID)
	res.Outcome = outcome
	if state.Reason != "" {
		res.Evidence = []string{state.Reason}
	}
	r.emit(Event{Type: kind, Step: info.ID, Title: info.Title, Message: state.Reason})
}

// mayBegin refuses to begin a step after a stop, after the deadline, or again.
func (r *run[S]) mayBegin(info Info, state State) error {
	switch {
	case r.leaving():
		return r.interrupted("before step " + string(info.ID))
	case r.ran[info.ID] && state.Kind.writes():
		return &fault.Error{
			Class: fault.Stale, Reason: "Undone", Object: "step " + string(info.ID),
			Seen:   "it was verified in this run and is to do again: something else changes the cluster",
			Wanted: "done", Fix: "find out what changed it back, then run the same command again",
		}
	case !r.deadline.IsZero() && r.o.Clock.Now().After(r.deadline):
		return &fault.Error{
			Class: fault.NoProgress, Reason: "Deadline", Object: "step " + string(info.ID),
			Seen: fmt.Sprintf("the deadline of %s passed before it began", r.o.Deadline), Fix: "run the same command again",
		}
	}
	return nil
}

// planRest shows what a dry run would go on with.
func (r *run[S]) planRest(ctx context.Context, sc scope) error {
	plan, err := planSteps(ctx, chosen(r.p.Steps(), sc.steps), r.last, r.seen, r.s.journal().Intents)
	if err != nil {
		return err
	}
	for _, one := range plan {
		if r.ran[one.ID] || !one.State.Kind.runs() {
			r.show(one.Info, one.State)
			continue
		}
		res := r.report.of(one.ID)
		res.Outcome, res.Evidence = Planned, one.Summary
		r.emit(Event{Type: StepSkipped, Step: one.ID, Title: one.Title, Message: "dry run", Lines: one.Summary})
	}
	return nil
}

// cutOff is the error of a run whose context ended.
func (r *run[S]) cutOff(err error) error {
	if isStop(err) {
		return err
	}
	return &fault.Error{
		Class: fault.Interrupted, Reason: "CutOff", Object: targetName(r.p.Target()),
		Seen: "stopped at once; the lock, if it was taken, expires by itself", Fix: r.resumeFix(), Err: err,
	}
}

// interrupted is the error of a clean stop. Whoever asked for one goes before a
// terminal that is gone.
func (r *run[S]) interrupted(where string) error {
	if !r.stop.requested() && r.gone.requested() {
		return &fault.Error{Class: fault.HungUp, Reason: "HungUp", Object: targetName(r.p.Target()),
			Seen: "stopped " + where + ": nobody watches any more", Fix: r.resumeFix()}
	}
	return &fault.Error{
		Class: fault.Interrupted, Reason: "Interrupted", Object: targetName(r.p.Target()),
		Seen: "stopped on request " + where, Fix: r.resumeFix(),
	}
}

func (r *run[S]) resumeFix() string {
	if r.o.Command == "" {
		return "run the same command again to go on"
	}
	return "go on with: " + r.o.Command
}

func (r *run[S]) result(err error) Result {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	res := Result{RunID: r.o.RunID, Position: r.seen.Position, Observation: r.seen, Steps: r.report.list(), Added: r.added, Pauses: r.led.pauses, Unread: r.unread, Left: r.left}
	if class := fault.ClassOf(err); err != nil && class != fault.Usage && class != fault.Declined {
		res.Resume = r.o.Command
	}
	return res
}

// isStop says whether err is the clean stop itself and nothing worse.
func isStop(err error) bool {
	e, ok := fault.As(err)
	return ok && (e.Class == fault.Interrupted || e.Class == fault.HungUp)
}
