package runner

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Run brings p's cluster as far as o requests. Before every step it observes the cluster; then it
// runs the first pending step and waits for its effect. It stops where a person must act. If no
// step is pending, it runs the steps that only read, takes no lock and writes nothing.
//
// If the error is nil, everything requested was observed in this run.
func Run[S any](ctx context.Context, p Procedure[S], o Options) (Result, error) {
	r := newRun(p, o)
	return r.run(ctx, r.runAll)
}

func newRun[S any](p Procedure[S], o Options) *run[S] {
	o = o.withDefaults()
	r := &run[S]{p: p, o: o, s: &session{o: o}, steps: infosOf(p.Steps()), begun: o.Clock.Now(),
		shown: map[journal.StepID]bool{}, confirmed: map[journal.StepID]bool{}, ran: map[journal.StepID]bool{}, planned: map[journal.StepID][]Change{}, costs: map[journal.StepID]StepCost{}}
	r.report = newReport(r.steps)
	r.stop, r.gone, r.pull = newStopper(o.Interrupt, r.emitInterrupting), newStopper(o.HangUp, r.emitHungUp), newStopper(o.PauseRequest, r.emitPausing)
	return r
}

// run calls work between the first event and the last, and returns the result.
func (r *run[S]) run(ctx context.Context, work func(context.Context) error) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also stops renewing the lock, even on a panic
	go r.stop.watch(ctx.Done())
	go r.gone.watch(ctx.Done())
	go r.pull.watch(ctx.Done())
	ctx = retry.WithWaitPolicy(ctx, retry.WaitPolicy{Report: r.emitOuterWait, Stop: r.stop.ch})
	err := work(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		err = r.cutOffFault(err)
	case isStop(err) && !r.observed && len(r.ran) == 0:
		err = r.interruptedFault("before the first step")
	}
	result := r.result(err)
	r.emit(Event{Type: RunFinished, Position: result.Position, Message: r.o.RunID, Elapsed: r.elapsed(), Left: result.Left, Err: err})
	return result, err
}

// run holds the state of one Run.
type run[S any] struct {
	p      Procedure[S]
	o      Options
	s      *session
	steps  []Info
	stop   *stopper // a clean stop was requested
	gone   *stopper // the terminal is gone
	pull   *stopper // a pause was requested
	report *report

	last       S           // last observation
	obs        Observation // verdicts on last
	observed   bool        // last is newer than the last step
	looked     bool        // last is set
	begun      time.Time
	writing    bool      // this run holds the lock and is in the history
	guards     bool      // it only watches
	forward    bool      // it began a step that writes
	deadline   time.Time // zero if none is set
	added      time.Duration
	leadership leadership
	current    journal.StepID
	title      string
	stepBegan  time.Time               // when current was announced
	shown      map[journal.StepID]bool // done and skipped steps that were shown
	confirmed  map[journal.StepID]bool
	planned    map[journal.StepID][]Change // of the last plan under the lock
	costs      map[journal.StepID]StepCost // of the same plan
	asked      time.Duration               // time of the question for approval
	ran        map[journal.StepID]bool
	pauseTried bool  // a pause was attempted
	held       bool  // the pause succeeded
	left       *Left // rollout of the step that ended the run

	unread time.Time // time of the last failed read

	emitting sync.Mutex
	ended    bool
	outer    shownWait
}

func (r *run[S]) runAll(ctx context.Context) error {
	if err := r.o.check(r.steps); err != nil {
		return err
	}
	refused := r.firstLook(ctx)
	left := r.leftover(ctx)
	if refused != nil && left == nil {
		return refused
	}
	r.emitStarted()
	left, err := r.watchFirst(ctx, r.watchable(left), refused)
	if err != nil {
		return err
	}
	return r.watchAfter(ctx, left, r.approveAndRun(ctx, left))
}

// approveAndRun asks for approval and runs the steps. It watches the leftover of an earlier run while it
// asks.
func (r *run[S]) approveAndRun(ctx context.Context, left *Leftover[S]) error {
	sc, err := scopeOf(r.steps, r.obs, r.o)
	if err != nil {
		return err
	}
	if !sc.writes || r.o.DryRun {
		return r.runSteps(ctx, sc)
	}
	if r.o.Journal == nil || r.o.Lock == nil {
		return noLock(r.p.Target())
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	yes, err := r.approve(ctx, left)
	if err != nil {
		return err
	}
	if r.mustEnd() {
		return r.interruptedFault("before the first step")
	}
	return r.withLock(ctx, func(ctx context.Context) error { return r.runLocked(ctx, yes) })
}

// settle waits for what a killed run left working, so that the plan shows the cluster as that leaves
// it: rke cordons the Node that it works on, and the changes of a plan made meanwhile would be others.
func (r *run[S]) settle(ctx context.Context) error {
	free, settled := r.untilEnd(ctx)
	waited, err := r.o.Lock.Settle(free)
	settled()
	switch {
	case isStop(err):
		return r.interruptedFault("while it waited for what a killed run left working")
	case err != nil:
		return retry.Classify(err, targetName(r.p.Target()))
	case waited:
		return r.firstLook(ctx)
	}
	return nil
}

func noLock(target journal.Target) error {
	return &fault.Error{Reason: "NoLock", Object: targetName(target), Seen: "a step is pending, but the run has no journal or no lock"}
}

// firstLook reads journal and cluster before the run has started anything.
func (r *run[S]) firstLook(ctx context.Context) error {
	return retry.Do(ctx, r.o.Clock, firstReadTimeout, "the API to answer", func(ctx context.Context) error {
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
	obs, err := judge(r.p, last)
	if err != nil {
		return err
	}
	r.obs, r.observed = obs, true
	return nil
}

// withLock takes the lock, calls work, and releases the lock.
func (r *run[S]) withLock(ctx context.Context, work func(context.Context) error) error {
	free, held := r.untilEnd(ctx)
	err := r.o.Lock.Acquire(free)
	held()
	if isStop(err) {
		return r.interruptedFault("while it waited for the lock")
	} else if err != nil {
		return retry.Classify(r.withHolderStep(ctx, err), targetName(r.p.Target()))
	}
	r.emit(Event{Type: LockTaken, Elapsed: r.elapsed()})
	err = work(ctx)
	if ctx.Err() != nil {
		return err // stopped at once: the lock expires without a release
	}
	if r.writing {
		var lost error
		r.bestEffort(ctx, "the end of the run could not be written to the journal", func(ctx context.Context) error {
			if lost = r.o.Lock.Prove(ctx); lost != nil {
				return lost
			}
			return r.s.end(ctx, runEnd{step: r.current, verified: r.report.finished(), reached: !r.guards && !r.obs.Pending(), guarded: r.guards, announce: r.putAnnouncement()}, err)
		})
		if err == nil && fault.ClassOf(lost) == fault.Locked {
			err = lost // another run may have caused the success
		}
	}
	r.bestEffort(ctx, "the lock could not be released; it expires after its duration", r.o.Lock.Release)
	return err
}

// bestEffort calls f, and turns an error into a warning, because the run is over.
func (r *run[S]) bestEffort(ctx context.Context, otherwise string, f func(context.Context) error) {
	if err := f(retry.WithBudget(ctx, finalWriteTimeout)); err != nil {
		r.emit(Event{Type: StepWarning, Message: otherwise, Lines: []string{err.Error()}, Err: err})
	}
}

func (r *run[S]) runLocked(ctx context.Context, yes *WholePlan) error {
	// Another run may have acted between the first read and the lock.
	if err := r.firstLook(ctx); err != nil {
		return err
	}
	sc, err := scopeOf(r.steps, r.obs, r.o)
	if err != nil {
		return err
	}
	if !sc.writes {
		return r.runSteps(ctx, sc)
	}
	if err := r.checkApproved(ctx, yes); err != nil {
		return err
	}
	basis := r.basis()
	if err := r.open(ctx, func(ctx context.Context) error { return r.s.begin(ctx, basis, r.putAnnouncement()) }); err != nil {
		return err
	}
	if r.o.Deadline > 0 {
		r.deadline = r.o.Clock.Now().Add(r.o.Deadline)
	}
	if yes != nil {
		approved := *yes
		if r.o.Saved != nil {
			approved = *r.o.Saved // yes is its remaining part
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

// open adds the run to the history, which is its first write.
func (r *run[S]) open(ctx context.Context, begin func(context.Context) error) error {
	r.s.writable = true
	if err := begin(retry.WithoutStop(ctx)); err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.writing = true
	return nil
}

// runSteps runs the pending steps of sc, and observes before each.
func (r *run[S]) runSteps(ctx context.Context, sc scope) error {
	for {
		if !r.observed {
			if err := r.reobserve(ctx); err != nil {
				return err
			}
		}
		if err := r.checkLock(ctx); err != nil {
			return err
		}
		info, found := r.next(sc)
		if !found {
			r.current = ""
			return nil
		}
		state := r.obs.States[info.ID]
		if err := r.mayBegin(info, state); err != nil {
			return err
		}
		if r.o.DryRun && state.Kind.writes() {
			return r.planRest(ctx, sc)
		}
		if err := r.checkSaved(ctx, info, state); err != nil {
			return err
		}
		if err := r.checkHold(ctx, info, state); err != nil {
			return err
		}
		r.current, r.title = info.ID, info.Title
		if asked, err := r.gate(ctx, info, state); err != nil {
			return err
		} else if asked {
			r.observed = false // a person may have thought for days
			continue
		}
		r.announce(ctx)
		r.observed = false
		r.ran[info.ID], r.forward = true, r.forward || state.Kind.writes()
		if err := r.step(ctx, stepOf(r.p.Steps(), info.ID), info, state); err != nil {
			return err
		}
	}
}

// checkLock ends the run between two steps if its lock is lost, because another run may have
// caused the observed state. If the lock was unread for too long, checkLock proves it.
func (r *run[S]) checkLock(ctx context.Context) error {
	err := r.s.lockLost()
	if err == nil || fault.ClassOf(err) == fault.Locked {
		return err
	}
	return retry.Classify(r.o.Lock.Prove(ctx), targetName(r.p.Target()))
}

// next returns the first step of sc to run now, if one is left. It shows the done and skipped
// steps before it.
func (r *run[S]) next(sc scope) (step Info, found bool) {
	for _, info := range sc.steps {
		state := r.obs.States[info.ID]
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

// mayBegin returns an error if a step must not begin: after a stop, after the deadline, or a
// second time.
func (r *run[S]) mayBegin(info Info, state State) error {
	switch {
	case r.mustEnd():
		return r.interruptedFault("before step " + string(info.ID))
	case r.ran[info.ID] && state.Kind.writes():
		return &fault.Error{
			Class: fault.Stale, Reason: "Undone", Object: "step " + string(info.ID),
			Seen:   "it was verified in this run and is pending again: " + cmp.Or(state.Open, "another writer changes the cluster"),
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

// planRest shows what would follow after a dry run.
func (r *run[S]) planRest(ctx context.Context, sc scope) error {
	plan, err := planSteps(ctx, selectSteps(r.p.Steps(), sc.steps), r.last, r.obs, r.s.journal().Intents)
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

// cutOffFault returns the error of a run whose context ended.
func (r *run[S]) cutOffFault(err error) error {
	if isStop(err) {
		return err
	}
	return &fault.Error{
		Class: fault.Interrupted, Reason: "CutOff", Object: targetName(r.p.Target()),
		Seen: r.cutOffState(), Fix: r.resumeFix(), Err: err,
	}
}

// cutOffState describes what a run whose context ended leaves. A viewer has no lock.
func (r *run[S]) cutOffState() string {
	if r.o.Lock == nil {
		return "stopped at once"
	}
	return "stopped at once; the lock, if it was taken, expires without action"
}

// interruptedFault returns the error of a clean stop. A requested stop takes precedence over a lost
// terminal.
func (r *run[S]) interruptedFault(where string) error {
	if !r.stop.requested() && r.gone.requested() {
		return &fault.Error{Class: fault.HungUp, Reason: "HungUp", Object: targetName(r.p.Target()),
			Seen: "stopped " + where + ": terminal disconnected", Fix: r.resumeFix()}
	}
	return &fault.Error{
		Class: fault.Interrupted, Reason: "Interrupted", Object: targetName(r.p.Target()),
		Seen: "stopped on request " + where, Fix: r.resumeFix(),
	}
}

func (r *run[S]) resumeFix() string {
	if r.o.Command == "" {
		return "run the same command again to continue"
	}
	return "go on with: " + r.o.Command
}

func (r *run[S]) result(err error) Result {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	res := Result{RunID: r.o.RunID, Position: r.obs.Position, Observation: r.obs, Steps: r.report.list(), Added: r.added, Pauses: r.leadership.pauses, Unread: r.unread, Left: r.left}
	if class := fault.ClassOf(err); err != nil && class != fault.Usage && class != fault.Declined {
		res.Resume = r.o.Command
	}
	return res
}

// isStop reports whether err is a clean stop and nothing worse.
func isStop(err error) bool {
	e, ok := fault.As(err)
	return ok && (e.Class == fault.Interrupted || e.Class == fault.HungUp)
}
