package runner

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// events is a Sink that keeps all events.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) Emit(one Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, one)
}

func (e *events) of(t EventType) []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Event
	for _, one := range e.all {
		if one.Type == t {
			out = append(out, one)
		}
	}
	return out
}

func (e *events) steps(t EventType) []journal.StepID {
	var ids []journal.StepID
	for _, one := range e.of(t) {
		ids = append(ids, one.Step)
	}
	return ids
}

// world is a cluster that consists of facts. A step is done when its facts are set and have been
// read often enough to settle.
type world struct {
	facts    map[string]int         // how often each effect took place
	settled  map[journal.StepID]int // readings of a step since its facts were complete
	trace    []string               // what happened, in order
	observed int
	// hook is called at every point at which a process can die.
	hook func(point string)
}

func newWorld() *world {
	return &world{facts: map[string]int{}, settled: map[journal.StepID]int{}, hook: func(string) {}}
}

// script is a procedure on a world.
type script struct {
	w       *world
	list    []*scripted
	observe func(Observation) (Observation, error) // bends an observation
	pause   func(ctx context.Context, tx *Tx, cause error) (string, error)
	unfit   error // what Precheck says
	basis   *Basis
}

// scripted is one step; nil functions mean the default behaviour.
type scripted struct {
	s       *script
	info    Info
	kind    StateKind // Always and Skipped stay; everything else is observed
	effects int
	settle  int // readings until it is Met
	do      func(ctx context.Context, tx *Tx) error
	verify  func(ctx context.Context, tx *Tx) (Verdict, error)
	plan    func() Plan
}

func newScript(w *world, steps ...*scripted) *script {
	p := &script{w: w, list: steps}
	for _, s := range steps {
		s.s = p
		if s.info.Title == "" {
			s.info.Title = "title of " + string(s.info.ID)
		}
	}
	return p
}

func step(id journal.StepID) *scripted {
	return &scripted{info: Info{ID: id}, effects: 2, settle: 2}
}

func reading(id journal.StepID) *scripted {
	return &scripted{info: Info{ID: id}, kind: Always}
}

// migration returns a script with the shape of a real migration.
func migration(w *world) *script {
	return newScript(w, reading("preflight"), step("one"), step("two"), step("three"), reading("verify"), step("four"))
}

func (p *script) step(id journal.StepID) *scripted {
	for _, s := range p.list {
		if s.info.ID == id {
			return s
		}
	}
	return nil
}

func (p *script) Target() journal.Target {
	return journal.Target{Kind: "test", Name: "demo", Namespace: "default", UID: "uid-1"}
}

func (p *script) Steps() []Step[Observation] {
	var out []Step[Observation]
	for _, s := range p.list {
		out = append(out, s)
	}
	return out
}

func (p *script) Observe(_ context.Context, kept journal.Record) (Observation, error) {
	seen := Observation{States: map[journal.StepID]State{}}
	done := 0
	for _, s := range p.list {
		state := s.state(kept)
		seen.States[s.info.ID] = state
		if state.Kind == Done {
			done++
		}
	}
	seen.Position = fmt.Sprintf("P%d", done)
	return seen, nil
}

// Judge implements Procedure. The world's facts are the states.
func (p *script) Judge(seen Observation) (Observation, error) {
	p.w.observed++
	if p.observe != nil {
		return p.observe(seen)
	}
	return seen, nil
}

func (p *script) Basis(Observation) Basis {
	if p.basis != nil {
		return *p.basis
	}
	return Basis{Cluster: "uid-1", Goal: "test"}
}

func (p *script) Header(Observation) []string { return []string{"the script"} }

func (*script) Leader(Observation) Leader {
	return Leader{Component: "script", Host: "here", ID: "here_1"}
}

func (p *script) Precheck(context.Context, Observation, Observation) error { return p.unfit }

func (p *script) PauseRollout(ctx context.Context, tx *Tx, _ Observation, cause error) (string, error) {
	if p.pause == nil {
		return "nothing to pause", nil
	}
	return p.pause(ctx, tx, cause)
}

func (s *scripted) fact(i int) string { return fmt.Sprintf("%s/%d", s.info.ID, i) }

func (s *scripted) applied() int {
	n := 0
	for i := range s.effects {
		if s.s.w.facts[s.fact(i)] > 0 {
			n++
		}
	}
	return n
}

func (s *scripted) state(journal journal.Record) State {
	switch {
	case s.kind != "":
		return State{Kind: s.kind, Reason: "as scripted"}
	case s.applied() == s.effects && s.s.w.settled[s.info.ID] >= s.settle:
		return State{Kind: Done, Reason: "seen"}
	case s.applied() > 0:
		for _, in := range journal.Intents {
			if in.Step == s.info.ID {
				return State{Kind: InProgress}
			}
		}
		return State{Kind: Skipped, Reason: "half done by another writer"} // would be noticed: the end state differs
	}
	return State{Kind: Todo}
}

func (s *scripted) Info() Info { return s.info }

func (s *scripted) Plan(context.Context, Observation) (Plan, error) {
	if s.plan != nil {
		return s.plan(), nil
	}
	return Plan{Summary: []string{"plan of " + string(s.info.ID)}}, nil
}

func (s *scripted) Do(ctx context.Context, tx *Tx, _ Observation) error {
	if s.do != nil {
		return s.do(ctx, tx)
	}
	if s.kind == Always {
		return nil
	}
	return s.apply(ctx, tx)
}

// apply makes the missing effects.
func (s *scripted) apply(ctx context.Context, tx *Tx) error {
	for i := range s.effects {
		fact := s.fact(i)
		if s.s.w.facts[fact] > 0 {
			continue
		}
		err := tx.Effect(ctx, journal.Intent{What: "set " + fact, Object: fact}, func(context.Context) error {
			s.s.w.hook("before " + fact)
			s.s.w.trace = append(s.s.w.trace, "effect "+fact)
			s.s.w.facts[fact]++
			s.s.w.hook("after " + fact)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scripted) Verify(ctx context.Context, tx *Tx, _ Observation) (Verdict, error) {
	if s.verify != nil {
		return s.verify(ctx, tx)
	}
	s.s.w.settled[s.info.ID]++
	n := s.s.w.settled[s.info.ID]
	if n < s.settle {
		return Verdict{Kind: Waiting, WaitingFor: "it to settle", Seen: fmt.Sprintf("%d/%d", n, s.settle), Progress: fmt.Sprint(n)}, nil
	}
	return Verdict{Kind: Met, Evidence: []string{"settled"}}, nil
}

// tracedJournal records every commit in the world's trace, and can die there.
type tracedJournal struct {
	journal.Journal
	w *world
}

func (j tracedJournal) Commit(ctx context.Context, st *journal.State) error {
	n := len(st.Intents)
	j.w.hook("before commit")
	err := j.Journal.Commit(ctx, st)
	if err == nil && n > 0 {
		j.w.trace = append(j.w.trace, "commit "+st.Intents[n-1].Object)
	}
	j.w.hook("after commit")
	return err
}

// bench holds everything that a test needs to run a script.
type bench struct {
	t       *testing.T
	w       *world
	p       *script
	journal *journal.Memory
	lock    *lock.Memory
	clock   faulty.Clock
	events  *events
	o       Options
}

func newBench(t *testing.T, p *script) *bench {
	t.Helper()
	b := &bench{t: t, w: p.w, p: p, journal: &journal.Memory{}, lock: &lock.Memory{}, clock: faulty.NewClock(), events: &events{}}
	b.o = Options{
		RunID: "run-1", Command: "awsmigrate rke2 --cluster demo", Who: "alice@laptop",
		Journal: tracedJournal{b.journal, p.w}, Clock: b.clock, Sink: b.events,
	}
	b.o.Lock = b.lock.For(lock.Owner{User: "alice", Host: "laptop", PID: 1, Run: "run-1"})
	return b
}

func (b *bench) run() (Result, error) {
	b.t.Helper()
	return Run[Observation](b.t.Context(), b.p, b.o)
}

func (b *bench) history() []journal.Run {
	b.t.Helper()
	st, err := b.journal.Load(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return st.Runs
}

func outcomes(r Result) map[journal.StepID]Outcome {
	m := map[journal.StepID]Outcome{}
	for _, s := range r.Steps {
		m[s.ID] = s.Outcome
	}
	return m
}
