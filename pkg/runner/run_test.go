package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

func TestRun_newWorld_runsEachStepOnce(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	res, err := b.run()
	if err != nil {
		t.Fatal(err)
	}
	for id, o := range outcomes(res) {
		if o != Finished {
			t.Errorf("step %s: %s", id, o)
		}
	}
	want := []journal.StepID{"preflight", "one", "two", "three", "verify", "four"}
	if d := cmp.Diff(want, b.events.steps(StepStarted)); d != "" {
		t.Error(d)
	}
	for fact, n := range b.w.facts {
		if n != 1 {
			t.Errorf("%s took place %d times", fact, n)
		}
	}
	if res.Position != "P4" || res.Resume != "" {
		t.Errorf("position %q, resume %q", res.Position, res.Resume)
	}
	if b.lock.Holder() != nil {
		t.Error("the lock is still held")
	}
	h := b.history()
	if len(h) != 1 || h[0].Outcome != "done" || h[0].End == "" || h[0].Command != b.o.Command || h[0].Who != "alice@laptop" {
		t.Errorf("history: %+v", h)
	}
	last := b.events.all[len(b.events.all)-1]
	if last.Type != RunFinished || last.Err != nil {
		t.Errorf("last event: %+v", last)
	}
}

func TestRun_nothingPending_takesNoLock(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	written := b.journal.Versions()
	noted := false
	b.p.step("preflight").verify = func(ctx context.Context, tx *Tx) (Verdict, error) {
		if err := tx.Note(ctx, "fingerprint", "new"); err != nil {
			return Verdict{}, err
		}
		var got string
		ok, err := tx.NoteInto("fingerprint", &got)
		noted = ok && got == "new"
		return Verdict{Kind: Met}, err
	}
	b.o.Lock = refusingLock{}
	b.o.Approve = func(context.Context, Proposal) error { return errors.New("must not be asked") }
	b.events.all = nil
	res, err := b.run()
	if err != nil {
		t.Fatal(err)
	}
	if !noted {
		t.Error("a note of a run that only looks is lost within the run")
	}
	if b.journal.Versions() != written {
		t.Error("the journal was written")
	}
	if d := cmp.Diff([]journal.StepID{"preflight", "verify"}, b.events.steps(StepStarted)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]journal.StepID{"one", "two", "three", "four"}, b.events.steps(StepDone)); d != "" {
		t.Error(d)
	}
	if o := outcomes(res); o["one"] != WasDone || o["verify"] != Finished {
		t.Errorf("outcomes: %v", o)
	}
}

type refusingLock struct{}

func (refusingLock) Settle(context.Context) (bool, error) { return false, nil }
func (refusingLock) Acquire(context.Context) error        { return errors.New("the lock was asked for") }
func (refusingLock) Prove(context.Context) error          { return errors.New("the lock was asked for") }
func (refusingLock) Lost() error                          { return errors.New("the lock was asked for") }
func (refusingLock) Release(context.Context) error        { return errors.New("the lock was asked for") }

func TestEffect_readingStep_isRefused(t *testing.T) {
	for _, todo := range []bool{true, false} {
		p := migration(newWorld())
		if !todo {
			p = newScript(newWorld(), reading("preflight"))
		}
		b := newBench(t, p)
		did := false
		p.step("preflight").verify = func(ctx context.Context, tx *Tx) (Verdict, error) {
			return Verdict{Kind: Met}, tx.Effect(ctx, journal.Intent{What: "sneak"}, func(context.Context) error { did = true; return nil })
		}
		_, err := b.run()
		faulty.WantClass(t, err, fault.Unexpected, "sneak")
		if did {
			t.Error("the effect took place")
		}
	}
}

func TestRun_heldLock_namesOwner(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	other := b.lock.For(lock.Owner{User: "bob", Host: "jump", PID: 7, Run: "run-0"})
	if err := other.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Locked, "bob on jump", "pid 7")
	if b.journal.Versions() != 0 || len(b.w.facts) != 0 {
		t.Error("a run without the lock wrote")
	}
}

func TestRun_lockTakenOver_stopsBeforeWrite(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.step("two").verify = func(ctx context.Context, tx *Tx) (Verdict, error) {
		b.lock.Break()
		if err := b.lock.For(lock.Owner{User: "bob", Host: "jump", Run: "run-2"}).Acquire(ctx); err != nil {
			return Verdict{}, err
		}
		b.w.settled["two"] = 2
		return Verdict{Kind: Met, Stable: 1}, nil
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Locked, "bob")
	if b.w.facts["three/0"] != 0 {
		t.Error("it wrote after the lock was lost")
	}
	if b.lock.Holder() == nil || b.lock.Holder().User != "bob" {
		t.Error("it took bob's lock away")
	}
}

func TestRun_foreignCommit_stops(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.step("two").do = func(ctx context.Context, tx *Tx) error {
		st, err := b.journal.Load(ctx)
		if err != nil {
			return err
		}
		st.Commit = "run-2/1"
		if err := b.journal.Commit(ctx, &st); err != nil {
			return err
		}
		return b.p.step("two").apply(ctx, tx)
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Stale, "wrote the journal")
	if b.w.facts["two/0"] != 0 {
		t.Error("the effect took place")
	}
}

func TestRun_revertedStep_stops(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) { return Verdict{Kind: Met}, nil } // never settles
	_, err := b.run()
	faulty.WantClass(t, err, fault.Stale, "step two", "pending again")
	if b.w.facts["three/0"] != 0 {
		t.Error("it went on")
	}
}

func TestRun_missingState_isRefused(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.observe = func(o Observation) (Observation, error) { delete(o.States, "three"); return o, nil }
	_, err := b.run()
	faulty.WantClass(t, err, fault.Unexpected, "step three")
}

func TestRun_approve(t *testing.T) {
	p := migration(newWorld())
	b := newBench(t, p)
	asked := 0
	b.o.Approve = func(_ context.Context, p Proposal) error {
		seen, plan := p.Observation, p.Steps
		asked++
		if b.lock.Holder() != nil {
			t.Error("asked under the lock")
		}
		if seen.Position != "P0" || len(plan) != 6 || plan[1].Summary[0] != "plan of one" {
			t.Errorf("asked with %+v %+v", seen, plan)
		}
		return errors.New("no")
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Declined, "no")
	if asked != 1 || b.journal.Versions() != 0 {
		t.Errorf("asked %d times, %d commits", asked, b.journal.Versions())
	}
	b.o.Approve = func(context.Context, Proposal) error { return nil }
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	st, _ := b.journal.Load(t.Context())
	if len(st.Approvals) != 1 || st.Approvals[0].Plan == "" || st.Approvals[0].Who != "alice@laptop" {
		t.Errorf("approvals: %+v", st.Approvals)
	}
}

func TestRun_planMovesDuringPrompt_isStale(t *testing.T) {
	p := migration(newWorld())
	b := newBench(t, p)
	generation := 3
	p.step("two").plan = func() Plan { return Plan{Changes: []Change{{Object: "Cluster x", After: generation}}} }
	b.o.Approve = func(context.Context, Proposal) error { generation++; return nil }
	_, err := b.run()
	faulty.WantClass(t, err, fault.Stale, "the plan that was approved")
	if b.journal.Versions() != 0 || len(b.w.facts) != 0 || b.lock.Holder() != nil {
		t.Error("it wrote, or kept the lock")
	}
}

// leftBehind is a lock whose killed run leaves something working, which changes the cluster.
type leftBehind struct {
	lock.Lock
	settle func() (bool, error)
}

func (l leftBehind) Settle(context.Context) (bool, error) { return l.settle() }

func TestRun_killedRunWorksOn_plannedAfterItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		left  error // of the wait for what was left
		shown int
	}{
		"it ends":     {nil, 1},
		"interrupted": {retry.Stopped(), 0},
		"no file":     {&fault.Error{Class: fault.Usage}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := migration(newWorld())
			p.step("one").settle = 0
			b := newBench(t, p)
			b.o.Lock = leftBehind{b.o.Lock, func() (bool, error) { b.w.facts["one/0"], b.w.facts["one/1"] = 1, 1; return true, c.left }}
			shown := 0
			b.o.Approve = func(_ context.Context, p Proposal) error {
				if shown++; p.Steps[1].State.Kind != Done || p.Steps[2].State.Kind != Todo {
					t.Errorf("shown: %+v", p.Steps)
				}
				return nil
			}
			_, err := b.run()
			if (err == nil) != (c.left == nil) || fault.ClassOf(err) != fault.ClassOf(c.left) || shown != c.shown {
				t.Errorf("%v, shown %d times", err, shown)
			}
			if wrote := b.journal.Versions() > 0; wrote != (c.left == nil) {
				t.Errorf("wrote: %t", wrote)
			}
		})
	}
}

func TestRun_confirm(t *testing.T) {
	p := migration(newWorld())
	p.step("two").info.Irreversible = "1.27 cannot go back"
	b := newBench(t, p)
	_, err := b.run()
	faulty.WantClass(t, err, fault.Gate, "1.27 cannot go back")
	if b.w.facts["one/0"] != 1 || b.w.facts["two/0"] != 0 {
		t.Errorf("facts: %v", b.w.facts)
	}
	var asked []journal.StepID
	before := 0
	b.o.Confirm = func(_ context.Context, info Info) error {
		asked, before = append(asked, info.ID), b.w.observed
		return nil
	}
	b.o.RunID = "run-2"
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked, []journal.StepID{"two"}) {
		t.Errorf("asked for %v", asked)
	}
	if b.w.observed == before {
		t.Error("not observed again after a person was asked")
	}
	st, _ := b.journal.Load(t.Context())
	if n := len(st.Approvals); n != 1 || st.Approvals[0].Step != "two" {
		t.Errorf("approvals: %+v", st.Approvals)
	}
}

func TestRun_dryRun_writesNothing(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.o.DryRun, b.o.Lock = true, refusingLock{}
	res, err := b.run()
	if err != nil {
		t.Fatal(err)
	}
	if len(b.w.facts) != 0 || b.journal.Versions() != 0 {
		t.Error("a dry run wrote")
	}
	want := map[journal.StepID]Outcome{"preflight": Finished, "one": Planned, "two": Planned, "three": Planned, "verify": Planned, "four": Planned}
	if d := cmp.Diff(want, outcomes(res)); d != "" {
		t.Error(d)
	}
}

func TestPlanAll_anyWorld_writesNothing(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.o.Until = "one"
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	before := b.journal.Versions()
	_, seen, whole, err := PlanAll[Observation](t.Context(), b.p, b.journal)
	if err != nil {
		t.Fatal(err)
	}
	plan := whole.Steps
	if seen.Position != "P1" || plan[1].State.Kind != Done || plan[1].Summary != nil || plan[2].Summary == nil {
		t.Errorf("%+v %+v", seen, plan)
	}
	if b.journal.Versions() != before {
		t.Error("planning wrote the journal")
	}
}

func TestRun_outageBeforeStart_endsSoon(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.observe = func(o Observation) (Observation, error) { return o, faulty.Refused() }
	start := b.clock.Now()
	_, err := b.run()
	faulty.WantClass(t, err, fault.CouldNotLook, "connection refused")
	if d := b.clock.Since(start); d > firstReadTimeout+time.Second {
		t.Errorf("gave up after %s", d)
	}
	if len(b.events.of(StepWaiting)) == 0 {
		t.Error("nothing was shown meanwhile")
	}
}

func TestRun_outageBetweenSteps_waits(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	away := 0
	b.p.observe = func(o Observation) (Observation, error) {
		if o.Position == "P2" && away < 40 {
			away++
			return o, faulty.Refused()
		}
		return o, nil
	}
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if away != 40 {
		t.Errorf("away for %d readings", away)
	}
}

// An obstacle to the run is reported before the question and before the lock.
func TestRun_failedPrecheck_asksNothing(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.unfit = errors.New("managed by another tool")
	b.o.Lock = refusingLock{}
	b.o.Approve = func(context.Context, Proposal) error { t.Error("asked all the same"); return nil }
	if _, err := b.run(); !errors.Is(err, b.p.unfit) || len(b.w.facts) > 0 {
		t.Errorf("%v, wrote %v", err, b.w.facts)
	}
}
