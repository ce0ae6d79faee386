package runner

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Follow shows another run, or a rollout without a run, until it ends. It reads journal, lock and
// cluster like that run. It takes no lock, writes nothing and pauses nothing. held returns the
// holder of the lock; o.Lock is not used.
func Follow[S any](ctx context.Context, p Guarded[S], held func(context.Context) (*lock.Held, error), o Options) (Result, error) {
	o.Lock = nil
	r := newRun(p, o)
	f := &follower[S]{run: r, lock: held, rolling: p.Watched}
	return r.run(ctx, f.follow)
}

// livingRun returns the running run according to journal and lock; the second result is false if
// there is no such run.
func livingRun(st journal.State, held *lock.Held) (journal.Run, bool) {
	last := lastRun(st)
	return last, held != nil && last.ID != "" && last.Outcome == "" && last.ID == held.Owner.Run
}

// follower holds the state of the followed run.
type follower[S any] struct {
	*run[S]
	lock func(context.Context) (*lock.Held, error)
	// rolling returns the step that rolls out although no run is active, or nil.
	rolling func(context.Context, S) Step[S]

	said      Announcement // of the last run, at the last read
	renewed   time.Time    // last observed renewal of the lock
	seenAlive time.Time    // when a renewal was last observed, or the lock first read
	watch     *watch[S]    // of the current step, or nil
	tx        *Tx
	step      Step[S]
	met       int            // consecutive reads in which the current step was met
	ended     journal.StepID // the last step with enough such reads
}

func (f *follower[S]) follow(ctx context.Context) error {
	if err := f.firstLook(ctx); err != nil {
		return err
	}
	if active, alive, err := f.livingRun(ctx); err == nil && alive {
		if start, err := time.Parse(time.RFC3339, active.Start); err == nil {
			f.begun = start
		}
	}
	f.readAnnouncement()
	f.emitStarted()
	var unread error
	for {
		active, alive, err := f.livingRun(ctx)
		if unread == nil {
			unread = err
		}
		if unread == nil {
			step := f.currentStep(ctx, active, alive)
			f.switchTo(step)
			if step == nil && !alive {
				return nil
			}
		}
		if rests := f.read(ctx, unread); rests && !alive {
			return nil
		}
		if err := retry.Pause(ctx, f.o.Clock, f.o.Poll); err != nil {
			return nil //nolint:nilerr // a viewer may leave at any time
		}
		if unread = f.look(ctx); unread != nil && ctx.Err() == nil && !retry.Transient(unread) {
			return unread
		}
	}
}

// look reads journal and cluster again.
func (f *follower[S]) look(ctx context.Context) error {
	if err := f.s.load(ctx); err != nil {
		return err
	}
	f.readAnnouncement()
	return f.observe(ctx)
}

// readAnnouncement takes the steps of the last run from the journal, if that run has announced
// them.
func (f *follower[S]) readAnnouncement() {
	f.said = announcementOf(f.s.journal(), f.lastRun())
	if len(f.said.Steps) == 0 {
		return
	}
	f.steps = nil
	for _, step := range f.said.Steps {
		f.steps = append(f.steps, Info{ID: step.ID, Title: step.Title})
	}
}

// livingRun returns the active run; the second result is false if none is active. A run is dead if
// its lock was not renewed for its duration while this process watched.
func (f *follower[S]) livingRun(ctx context.Context) (journal.Run, bool, error) {
	held, err := f.lock(ctx)
	if err != nil {
		return journal.Run{}, false, err
	}
	if held == nil { // the run may have ended since the journal was read
		if err := f.s.load(ctx); err != nil {
			return journal.Run{}, false, err
		}
		f.readAnnouncement()
	}
	now := f.o.Clock.Now()
	if held != nil && (f.seenAlive.IsZero() || !held.Renewed.Equal(f.renewed)) {
		f.renewed, f.seenAlive = held.Renewed, now
	}
	last, alive := livingRun(f.s.journal(), held)
	return last, alive && now.Sub(f.seenAlive) <= held.For, nil
}

// currentStep returns the step that the run works on, or that rolls out without a run, or nil.
func (f *follower[S]) currentStep(ctx context.Context, active journal.Run, alive bool) Step[S] {
	if !alive {
		return f.rolling(ctx, f.last)
	}
	if step := f.announcedStep(); step != nil {
		return step
	}
	announced, _ := lastAnnounced(f.s.journal(), active.ID)
	var next Step[S]
	for _, step := range f.p.Steps() {
		id := step.Info().ID
		kind := f.obs.States[id].Kind
		switch {
		case kind == InProgress, id == announced && (kind == Todo || kind == Done && id != f.ended):
			return step // although the cluster is past this step, the run still waits for enough reads
		case next == nil && kind == Todo:
			next = step
		}
	}
	return next
}

// announcedStep returns the step that the run has announced, or nil. A procedure with other
// options than the run may lack the step.
func (f *follower[S]) announcedStep() Step[S] {
	for _, step := range f.p.Steps() {
		if step.Info().ID == f.said.Step && len(f.said.Steps) > 0 {
			return step
		}
	}
	return nil
}

// switchTo shows a change of the current step, and the end of the previous one.
func (f *follower[S]) switchTo(step Step[S]) {
	if step != nil && f.step != nil && step.Info().ID == f.step.Info().ID {
		return
	}
	now := f.o.Clock.Now()
	if f.step != nil {
		f.showEnd(f.step.Info(), now)
	}
	f.step, f.watch, f.tx, f.met = step, nil, nil, 0
	f.showEarlier(step)
	if step == nil {
		return
	}
	info := step.Info()
	f.current, f.title = info.ID, info.Title
	f.watch = newWatch(f.run, info)
	if f.said.Step == info.ID && f.said.Since.Before(now) && !f.said.Since.IsZero() {
		f.watch.since = f.said.Since
	}
	f.tx = &Tx{step: info, s: f.s, stop: f.stop, gone: f.gone, begun: true, warn: func(string, []string) {}}
	f.emit(Event{Type: StepStarted, Step: info.ID, Title: info.Title, Time: f.watch.since, Ahead: f.said.aheadOf(info.ID)})
}

// showEnd shows how the previous step ended. A stopped run, a dead run or a pause leaves the step
// unfinished. If the run has not begun the step, there is nothing to show.
func (f *follower[S]) showEnd(info Info, now time.Time) {
	if !f.begunByRun() {
		return
	}
	f.shown[info.ID] = true
	e := Event{Type: StepFinished, Step: info.ID, Title: info.Title, Lines: []string{f.obs.Summary}, Elapsed: now.Sub(f.watch.since)}
	if said := f.said.step(info.ID); said.Here {
		e.Lines, e.Elapsed = said.Said, said.elapsed()
	} else if kind := f.obs.States[info.ID].Kind; kind.writes() || said.State == InProgress && lastRun(f.s.journal()).Outcome != "" {
		e.Type, e.Lines = StepFailed, nil
	}
	f.emit(e)
}

func (f *follower[S]) lastRun() string { return lastRun(f.s.journal()).ID }

// showEarlier shows each step before the current one, once.
func (f *follower[S]) showEarlier(inHand Step[S]) {
	for _, info := range f.steps {
		state, said := f.obs.States[info.ID], f.said.step(info.ID)
		if said.State == Skipped || said.State == Done {
			state = State{Kind: said.State, Reason: strings.Join(said.Said, "; ")}
		}
		switch {
		case inHand != nil && info.ID == inHand.Info().ID:
			return
		case f.shown[info.ID]:
			continue
		case said.Here:
			f.emit(Event{Type: StepFinished, Step: info.ID, Title: info.Title, Lines: said.Said, Elapsed: said.elapsed()})
		case state.Kind == Done, state.Kind == Always && inHand != nil:
			f.emit(Event{Type: StepDone, Step: info.ID, Title: info.Title, Message: state.Reason})
		case state.Kind == Skipped:
			f.emit(Event{Type: StepSkipped, Step: info.ID, Title: info.Title, Message: state.Reason})
		default:
			continue
		}
		f.shown[info.ID] = true
	}
}

// begunByRun reports whether the run has written anything for the current step.
func (f *follower[S]) begunByRun() bool {
	return f.obs.States[f.step.Info().ID].Kind != Todo || f.said.Step == f.step.Info().ID || f.said.step(f.step.Info().ID).Here
}

// count counts consecutive reads in which the current step was met, like the run does.
func (f *follower[S]) count(v Verdict) {
	if v.Kind != Met {
		f.met = 0
		return
	}
	if f.met++; f.met >= f.watch.readsNeeded(v, f.tx) {
		f.ended = f.step.Info().ID
	}
}

// read shows the progress of the current step. It returns true if the cluster is at rest.
func (f *follower[S]) read(ctx context.Context, unread error) (rests bool) {
	if f.step == nil {
		return false
	}
	var v Verdict
	if unread == nil {
		f.watch.recordLeader(f.last)
		if v, unread = f.step.Verify(ctx, f.tx, f.last); unread == nil {
			v = f.watch.applySteady(v)
		}
	}
	now := f.o.Clock.Now()
	switch {
	case unread != nil:
		v = f.watch.last
		v.Seen = "could not look: " + retry.DescribeOutage(unread)
	case v.Kind == Met:
		v.WaitingFor, v.Seen = "the run to confirm it", cmp.Or(v.Seen, "the step has reached its state")
	case v.Err != nil && !f.begunByRun(): // a missing effect is not a reverted one
		v = Verdict{Kind: Waiting, WaitingFor: "the start of the step by the run", Seen: "nothing of it is written yet"}
	case v.Err != nil:
		v.Seen = v.Err.Error()
	}
	if unread == nil {
		f.count(v)
		f.watch.last, f.watch.machines = v, v.Machines
		if v.Progress != f.watch.progress {
			f.watch.progress, f.watch.progressed = v.Progress, now
		}
	}
	f.watch.show(&Wait{
		For: orNothing(v.WaitingFor), Seen: orNothing(v.Seen), Since: f.watch.since, LastProgress: f.watch.progressed,
		Done: v.Done, Total: v.Total, Counted: v.Counted, Machines: f.watch.machines, Leader: f.watch.leader.orNil(), Met: v.Kind == Met,
	}, now)
	return unread == nil && v.Kind == Met && v.AtRest
}
