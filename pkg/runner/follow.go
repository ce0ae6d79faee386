package runner

import (
	"context"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Follow shows what another run does, or what goes on without one, until that is over: by
// the journal, the lock and the cluster, as that run reads it. It takes no lock, writes
// nothing and pulls no brake. held says who holds the lock; o.Lock is not used.
func Follow[S any](ctx context.Context, p Guarded[S], held func(context.Context) (*lock.Held, error), o Options) (Result, error) {
	o.Lock = nil
	r := newRun(p, o)
	f := &follower[S]{run: r, lock: held, rolling: p.Watched}
	return r.run(ctx, f.follow)
}

// living is the run that a journal and a lock show at work; false: none.
func living(st journal.State, held *lock.Held) (journal.Run, bool) {
	if held == nil || len(st.Runs) == 0 {
		return journal.Run{}, false
	}
	last := st.Runs[len(st.Runs)-1]
	return last, last.Outcome == "" && last.ID == held.Owner.Run
}

// Working is a run that works on a cluster, for people.
type Working struct {
	ID      string    `json:"id"`
	By      string    `json:"by"`                // user, host and process
	Command string    `json:"command,omitempty"` // as it was typed
	Started time.Time `json:"started"`
	Renewed time.Time `json:"renewed"` // its lock, by its own clock
	// Step is the last that it has written something for, and Since when it began to; left
	// out: none yet.
	Step  journal.StepID `json:"step,omitempty"`
	Since time.Time      `json:"since,omitzero"`
	// Guards: it only watches what another has begun.
	Guards bool `json:"guards,omitempty"`
}

// WorkingOf is the run that a journal and a lock show at work at a moment; nil: none. One
// that died is shown until its lock has not been renewed for twice as long as it holds, as
// clocks may differ: whether it lives is seen by who looks at the lock for that long.
func WorkingOf(st journal.State, held *lock.Held, now time.Time) *Working {
	run, works := living(st, held)
	if !works || held.For > 0 && now.Sub(held.Renewed) > 2*held.For {
		return nil
	}
	w := &Working{ID: run.ID, By: held.Owner.String(), Command: run.Command, Started: held.Owner.Start, Renewed: held.Renewed, Guards: run.Guard}
	if start, err := time.Parse(time.RFC3339, run.Start); err == nil {
		w.Started = start
	}
	w.Step, w.Since = announced(st, run.ID)
	return w
}

// announced is the last step that a run has written something for, and when it began to;
// "": none yet.
func announced(st journal.State, run string) (step journal.StepID, since time.Time) {
	for _, intent := range slices.Backward(st.Intents) {
		if intent.Run != run || step != "" && intent.Step != step {
			break
		}
		step = intent.Step
		since, _ = time.Parse(time.RFC3339, intent.Time)
	}
	return step, since
}

// follower is what is known of the run that is followed.
type follower[S any] struct {
	*run[S]
	lock func(context.Context) (*lock.Held, error)
	// rolling is what goes on without a run; nil: nothing.
	rolling func(context.Context, S) Step[S]

	renewed   time.Time // the lock, as it was seen last
	seenAlive time.Time // it was seen to be renewed, or first read
	watch     *watch[S] // of the step in hand; nil: none is
	tx        *Tx
	step      Step[S]
	met       int            // readings in a row that showed all of what it awaits
	ended     journal.StepID // the last one of which enough readings did
}

func (f *follower[S]) follow(ctx context.Context) error {
	if err := f.firstLook(ctx); err != nil {
		return err
	}
	if living, alive, err := f.living(ctx); err == nil && alive {
		if start, err := time.Parse(time.RFC3339, living.Start); err == nil {
			f.begun = start
		}
	}
	f.started()
	var unread error
	for {
		living, alive, err := f.living(ctx)
		if unread == nil {
			unread = err
		}
		if unread == nil {
			step := f.inHand(ctx, living, alive)
			f.turnTo(step)
			if step == nil && !alive {
				return nil
			}
		}
		if rests := f.read(ctx, unread); rests && !alive {
			return nil
		}
		if err := retry.Pause(ctx, f.o.Clock, f.o.Poll); err != nil {
			return nil //nolint:nilerr // who looks may go at any time
		}
		if unread = f.look(ctx); unread != nil && ctx.Err() == nil && !retry.Transient(unread) {
			return unread
		}
	}
}

// look reads journal and cluster anew.
func (f *follower[S]) look(ctx context.Context) error {
	if err := f.s.load(ctx); err != nil {
		return err
	}
	return f.observe(ctx)
}

// living is the run that works; false: none does. A lock that nobody renewed for as long
// as it holds, while somebody looked, is a dead run's.
func (f *follower[S]) living(ctx context.Context) (journal.Run, bool, error) {
	held, err := f.lock(ctx)
	if err != nil {
		return journal.Run{}, false, err
	}
	now := f.o.Clock.Now()
	if held != nil && (f.seenAlive.IsZero() || !held.Renewed.Equal(f.renewed)) {
		f.renewed, f.seenAlive = held.Renewed, now
	}
	last, alive := living(f.s.journal(), held)
	return last, alive && now.Sub(f.seenAlive) <= held.For, nil
}

// inHand is the step that the run works on, or that goes on without one; nil: none.
func (f *follower[S]) inHand(ctx context.Context, living journal.Run, alive bool) Step[S] {
	if !alive {
		return f.rolling(ctx, f.last)
	}
	announced, _ := announced(f.s.journal(), living.ID)
	var next Step[S]
	for _, step := range f.p.Steps() {
		id := step.Info().ID
		kind := f.seen.States[id].Kind
		switch {
		case kind == InProgress, id == announced && (kind == Todo || kind == Done && id != f.ended):
			return step // a run waits on where a cluster is past a step, until it has seen it often enough
		case next == nil && kind == Todo:
			next = step
		}
	}
	return next
}

// turnTo says that another step is in hand than before, and what is behind it.
func (f *follower[S]) turnTo(step Step[S]) {
	if step != nil && f.step != nil && step.Info().ID == f.step.Info().ID {
		return
	}
	now := f.o.Clock.Now()
	if f.step != nil {
		f.behind(f.step.Info(), now)
	}
	f.step, f.watch, f.tx, f.met = step, nil, nil, 0
	f.passed(step)
	if step == nil {
		return
	}
	info := step.Info()
	f.current, f.title = info.ID, info.Title
	f.watch = newWatch(f.run, info)
	if announced, since := announced(f.s.journal(), f.lastRun()); announced == info.ID && since.Before(now) {
		f.watch.since = since
	}
	f.tx = &Tx{step: info, s: f.s, stop: f.stop, gone: f.gone, begun: true, warn: func(string, []string) {}}
	f.emit(Event{Type: StepStarted, Step: info.ID, Title: info.Title, Time: f.watch.since})
}

// behind shows what became of the step that was in hand: a run that was stopped, or died, or
// a brake leaves it as it is. Of one that the run has not begun there is nothing to show.
func (f *follower[S]) behind(info Info, now time.Time) {
	if !f.begunByRun() {
		return
	}
	f.shown[info.ID] = true
	e := Event{Type: StepFinished, Step: info.ID, Title: info.Title, Lines: []string{f.seen.Summary}, Elapsed: now.Sub(f.watch.since)}
	if kind := f.seen.States[info.ID].Kind; kind.writes() {
		e.Type, e.Lines = StepFailed, nil
	}
	f.emit(e)
}

func (f *follower[S]) lastRun() string {
	if runs := f.s.journal().Runs; len(runs) > 0 {
		return runs[len(runs)-1].ID
	}
	return ""
}

// passed shows the steps before the one in hand, once.
func (f *follower[S]) passed(inHand Step[S]) {
	for _, info := range f.steps {
		state := f.seen.States[info.ID]
		switch {
		case inHand != nil && info.ID == inHand.Info().ID:
			return
		case f.shown[info.ID]:
			continue
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

// begunByRun says whether the run has written anything for the step in hand.
func (f *follower[S]) begunByRun() bool {
	announced, _ := announced(f.s.journal(), f.lastRun())
	return f.seen.States[f.step.Info().ID].Kind != Todo || announced == f.step.Info().ID
}

// count notes when a reading showed all that the step in hand awaits, as the run counts.
func (f *follower[S]) count(v Verdict) {
	if v.Kind != Met {
		f.met = 0
		return
	}
	if f.met++; f.met >= f.watch.enough(v, f.tx) {
		f.ended = f.step.Info().ID
	}
}

// read shows how far the step in hand is; true: the cluster is at rest.
func (f *follower[S]) read(ctx context.Context, unread error) (rests bool) {
	if f.step == nil {
		return false
	}
	var v Verdict
	if unread == nil {
		f.watch.leads(f.last)
		if v, unread = f.step.Verify(ctx, f.tx, f.last); unread == nil {
			v = f.watch.steadied(v)
		}
	}
	now := f.o.Clock.Now()
	switch {
	case unread != nil:
		v = f.watch.last
		v.Seen = "could not look: " + retry.DescribeOutage(unread)
	case v.Kind == Met:
		v.WaitingFor = "the run to see it often enough"
	case v.Err != nil && !f.begunByRun(): // what is not there yet was not taken away
		v = Verdict{Kind: Waiting, WaitingFor: "the run to begin it", Seen: "nothing of it is written yet"}
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
		Done: v.Done, Total: v.Total, Counted: v.Counted, Machines: f.watch.machines, Leader: f.watch.leader.seen(), Met: v.Kind == Met,
	}, now)
	return unread == nil && v.Kind == Met && v.AtRest
}
