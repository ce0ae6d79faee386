package runner

import (
	"context"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// countedJournal is a journal with a separate count for the cluster. Unlike Counted, it does not
// update that count.
type countedJournal struct {
	journal.Journal
	cluster int
}

func (j *countedJournal) Load(ctx context.Context) (journal.State, error) {
	st, err := j.Journal.Load(ctx)
	st.Counted = j.cluster
	return st, err
}

// replayed returns a bench with a saved plan of its first state.
func replayed(t *testing.T, w *world, steps func(*world) *script) (*bench, func(*Basis)) {
	t.Helper()
	b := newBench(t, steps(w))
	b.o.Version = "v1"
	_, _, plan, err := PlanAll[Observation](t.Context(), b.p, b.o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	plan.Version = "v1"
	b.o.Saved = filed(t, plan)
	return b, func(now *Basis) { b.p.basis = now }
}

// forget resets a world to its first state.
func (w *world) forget() { w.facts, w.settled = map[string]int{}, map[journal.StepID]int{} }

// An approval is valid for one migration of one cluster, once.
func TestRun_replayedApproval_isRefused(t *testing.T) {
	base := Basis{Cluster: "uid-1", Goal: "test"}
	for name, tt := range map[string]struct {
		before func(t *testing.T, b *bench, basis func(*Basis))
		reason string // or empty if it is carried out
	}{
		"at first": {func(*testing.T, *bench, func(*Basis)) {}, ""},
		"after a part of it": {func(t *testing.T, b *bench, _ func(*Basis)) {
			b.o.Until = "two"
			mustRun(t, b)
			b.o.Until = ""
		}, ""},
		"by another version, after a part of it": {func(t *testing.T, b *bench, _ func(*Basis)) {
			b.o.Until = "two"
			mustRun(t, b)
			b.o.Until, b.o.Version = "", "v2"
		}, "PlanOfAnotherVersion"},
		"while a step of another version is in progress": {func(_ *testing.T, b *bench, _ func(*Basis)) {
			b.p.step("one").verify = func(context.Context, *Tx) (Verdict, error) { panic("killed") }
			func() {
				defer func() { _ = recover() }()
				_, _ = b.run()
			}()
			b.p.step("one").verify = nil
			b.o.Version = "v2"
		}, ""},
		"after its goal was reached and put back by others": {func(t *testing.T, b *bench, _ func(*Basis)) {
			mustRun(t, b)
			b.w.forget()
		}, "PlanUsed"},
		"after a part was put back by others": {func(t *testing.T, b *bench, _ func(*Basis)) {
			b.o.Until = "two"
			mustRun(t, b)
			b.o.Until = ""
			b.w.forget()
		}, "Reverted"},
		"made after a part was put back by others": {func(t *testing.T, b *bench, _ func(*Basis)) {
			b.o.Until = "two"
			mustRun(t, b)
			b.o.Until = ""
			b.w.forget()
			_, _, plan, err := PlanAll[Observation](t.Context(), b.p, b.o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			plan.Version = "v1"
			b.o.Saved, b.o.Until = filed(t, plan), "one"
			mustRun(t, b) // and serves until its goal is reached
			b.o.Until = ""
		}, ""},
		"of a resumed undo": {func(t *testing.T, b *bench, basis func(*Basis)) {
			b.o.Until = "two"
			mustRun(t, b)
			b.w.forget()
			basis(&Basis{Cluster: "uid-1", Goal: "back"})
			_, _, plan, err := PlanAll[Observation](t.Context(), b.p, b.o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			plan.Version = "v1"
			b.o.Saved, b.o.Until = filed(t, plan), "one"
			mustRun(t, b)
			b.o.Until = ""
		}, ""},
		"after an undo": {func(t *testing.T, b *bench, basis func(*Basis)) {
			saved := b.o.Saved
			b.o.Until = "two"
			mustRun(t, b)
			b.w.forget()
			b.o.Until, b.o.Saved = "", nil
			back := base
			back.Goal = "back"
			basis(&back)
			mustRun(t, b)
			b.w.forget()
			basis(&base)
			b.o.Saved = saved
		}, "PlanUsed"},
		"for another cluster of the name": {func(_ *testing.T, _ *bench, basis func(*Basis)) {
			basis(&Basis{Cluster: "uid-2", Goal: "test"})
		}, "PlanOfAnotherCluster"},
		"for another object of the name": {func(_ *testing.T, _ *bench, basis func(*Basis)) {
			basis(&Basis{Object: "uid-3", Cluster: "uid-1", Goal: "test"})
		}, "PlanOfAnotherCluster"},
		"for the way back": {func(_ *testing.T, _ *bench, basis func(*Basis)) {
			basis(&Basis{Cluster: "uid-1", Goal: "back"})
		}, "PlanMoved"},
		"with a skipped check more": {func(_ *testing.T, _ *bench, basis func(*Basis)) {
			basis(&Basis{Cluster: "uid-1", Goal: "test", Options: map[string]string{"--skip": "AWSM-309"}})
		}, "PlanMoved"},
		"with a journal that came from a backup": {func(_ *testing.T, b *bench, _ func(*Basis)) {
			b.o.Journal = &countedJournal{b.o.Journal, 2}
		}, "ManagementRestored"},
	} {
		t.Run(name, func(t *testing.T) {
			b, basis := replayed(t, newWorld(), migration)
			tt.before(t, b, basis)
			written := len(b.w.trace)
			_, err := b.run()
			if got := reasonOf(err); got != tt.reason || tt.reason != "" && fault.ClassOf(err) != fault.Stale {
				t.Fatalf("%v, wanted %q", err, tt.reason)
			}
			if tt.reason != "" && len(b.w.trace) != written {
				t.Errorf("wrote %v", b.w.trace[written:])
			}
		})
	}
}

func mustRun(t *testing.T, b *bench) {
	t.Helper()
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
}

func reasonOf(err error) string {
	if e, ok := fault.As(err); ok {
		return e.Reason
	}
	return ""
}

// Before each step, the plan is compared with changes that others made during the run.
func TestRun_changeDuringRun_endsSavedPlan(t *testing.T) {
	b, _ := replayed(t, newWorld(), migration)
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		b.w.settled["two"] = 2
		b.p.step("three").plan = func() Plan { return Plan{Changes: []Change{{Object: "Cluster x", Location: "spec.a"}}} }
		return Verdict{Kind: Met}, nil
	}
	_, err := b.run()
	if reasonOf(err) != "PlanMoved" || b.w.facts["two/0"] == 0 || b.w.facts["three/0"] != 0 {
		t.Errorf("%v, facts %v", err, b.w.facts)
	}
}

// A plan that was made after the restore has been reviewed since.
func TestRun_planAfterRestore_isApplied(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.o.Journal = &countedJournal{b.o.Journal, 2}
	_, _, plan, err := PlanAll[Observation](t.Context(), b.p, b.o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Basis.Restored || plan.Basis.Epoch != 2 {
		t.Errorf("%+v", plan.Basis)
	}
	b.o.Saved = filed(t, plan)
	mustRun(t, b)
	st, err := b.journal.Load(t.Context())
	if err != nil || st.Epoch != 3 || st.Goal != "" {
		t.Errorf("epoch %d, goal %q, %v", st.Epoch, st.Goal, err)
	}
}

// An epoch ends with its goal, not with a run.
func TestEpochOf(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	for _, tt := range []struct {
		goal  string
		until journal.StepID
		epoch int
		after string
	}{{"test", "one", 0, "test"}, {"test", "two", 0, "test"}, {"back", "three", 1, "back"}, {"back", "", 2, ""}} {
		b.p.basis, b.o.Until = &Basis{Goal: tt.goal}, tt.until
		mustRun(t, b)
		st, err := b.journal.Load(t.Context())
		if err != nil || st.Epoch != tt.epoch || st.Goal != tt.after {
			t.Errorf("%s until %q: epoch %d, goal %q, %v", tt.goal, tt.until, st.Epoch, st.Goal, err)
		}
	}
}

func TestHash(t *testing.T) {
	plan := func(change func(*WholePlan)) WholePlan {
		p := WholePlan{Version: "v1", Basis: Basis{Cluster: "u", Goal: "migrate", Options: map[string]string{"--aws": "off"}}, Steps: []PlannedStep{
			{Info: Info{ID: "check"}, State: State{Kind: Always}, Plan: Plan{Summary: []string{"80 checks"}}},
			{Info: Info{ID: "a", Title: "A"}, State: State{Kind: Todo}, Plan: Plan{Rolls: 3, Takes: Minute, Summary: []string{"x"},
				Changes: []Change{{Object: "o", Location: "l", Before: 1, After: map[string]any{"k": 2}, Diff: "+"}, {Object: "p", SHA256: "s"}}}},
		}}
		if change != nil {
			change(&p)
		}
		return p
	}
	hash := func(p WholePlan) string {
		text, err := p.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := hash(plan(nil))
	if again := hash(*filed(t, plan(nil))); again != first {
		t.Errorf("through a file it is %s, was %s", again, first)
	}
	for name, tt := range map[string]struct {
		change func(*WholePlan)
		same   bool
	}{
		"another version":        {func(p *WholePlan) { p.Version = "v2" }, true},
		"another summary":        {func(p *WholePlan) { p.Steps[1].Summary = nil }, true},
		"more machines":          {func(p *WholePlan) { p.Steps[1].Rolls = 4 }, true},
		"another diff":           {func(p *WholePlan) { p.Steps[1].Changes[0].Diff = "-" }, true},
		"another estimate":       {func(p *WholePlan) { p.Steps[1].Takes = 0 }, true},
		"more checks":            {func(p *WholePlan) { p.Steps[0].Summary = nil }, true},
		"changes in other order": {func(p *WholePlan) { c := p.Steps[1].Changes; c[0], c[1] = c[1], c[0] }, true},
		"another value":          {func(p *WholePlan) { p.Steps[1].Changes[0].Before = 2 }, false},
		"another digest":         {func(p *WholePlan) { p.Steps[1].Changes[1].SHA256 = "t" }, false},
		"another place":          {func(p *WholePlan) { p.Steps[1].Changes[0].Location = "m" }, false},
		"another step":           {func(p *WholePlan) { p.Steps[1].ID = "b" }, false},
		"a step done":            {func(p *WholePlan) { p.Steps[1].State.Kind = Done }, false},
		"another cluster":        {func(p *WholePlan) { p.Basis.Cluster = "v" }, false},
		"another object":         {func(p *WholePlan) { p.Basis.Object = "v" }, false},
		"another goal":           {func(p *WholePlan) { p.Basis.Goal = "undo" }, false},
		"another option":         {func(p *WholePlan) { p.Basis.Options["--aws"] = "on" }, false},
		"another epoch":          {func(p *WholePlan) { p.Basis.Epoch++ }, false},
		"after a restore":        {func(p *WholePlan) { p.Basis.Restored = true }, false},
	} {
		if got := hash(plan(tt.change)); (got == first) != tt.same {
			t.Errorf("%s: %s, was %s", name, got, first)
		}
	}
}

// An approval in advance does not cover the state after a restore.
func TestRun_unattendedAfterRestore_isRefused(t *testing.T) {
	for unattended, reason := range map[bool]string{true: "ManagementRestored", false: ""} {
		b := newBench(t, migration(newWorld()))
		b.o.Journal, b.o.Unattended = &countedJournal{b.o.Journal, 1}, unattended
		b.o.Approve = func(_ context.Context, p Proposal) error {
			if !p.Basis.Restored {
				t.Error("the message for a person is missing")
			}
			return nil
		}
		if _, err := b.run(); reasonOf(err) != reason || unattended && b.journal.Versions() != 0 {
			t.Errorf("unattended %t: %v, %d commits", unattended, err, b.journal.Versions())
		}
	}
}
