package controller

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// world is a fake of one cluster and the engine: a list of steps with a number of completed ones,
// and a step that others may still carry out. It makes no changes to a cluster, and has
// everything that a controller decides on: plans, holds, approvals, the journal.
type world struct {
	mu     sync.Mutex
	goal   string // that done counts for
	done   int
	rolls  bool          // others carry out the next step, with or without a watcher
	fails  error         // of the next runs
	away   error         // of every look
	panics bool          // the next runs do
	stands chan struct{} // a run pauses in a step until it is closed, or nil
	state  journal.State
	runs   []string // the last step of each run that was begun
	took   []string // every step that was taken
	guards int
	seen   chan struct{} // has a value for each guard that began
}

func newWorld() *world { return &world{goal: "migrate", seen: make(chan struct{}, 100)} }

var (
	forward = []journal.StepID{"etcd-snapshot", "lease-access", "enable-leader-migration", "cordon", "install-ccm", "switch-provider", "uncordon", "verify", "disable-leader-migration"}
	back    = []journal.StepID{"undo-disable-leader-migration", "undo-switch-provider", "undo-install-ccm", "undo-enable-leader-migration", "undo-lease-access"}
)

func (w *world) engine() Engine {
	return Engine{Assess: w.assess, Run: w.run, Guard: w.guard, Audit: func(context.Context, session.Target, session.Options) (Audited, error) {
		return Audited{At: time.Now(), Position: "P0", Report: verify.Report{Counts: map[verify.Status]int{verify.OK: 3}}}, nil
	}}
}

func goalOf(o session.Options) (string, []journal.StepID) {
	if o.Undo {
		return "undo", back
	}
	return "migrate", forward
}

// plan returns the pending steps. The caller holds w.mu.
func (w *world) plan(o session.Options) (runner.Observation, runner.WholePlan) {
	goal, order := goalOf(o)
	done := w.done
	if goal != w.goal {
		done = 0
		if w.done == 0 {
			done = len(order)
		}
	}
	says := runner.Observation{Position: "P0", States: map[journal.StepID]runner.State{}}
	p := runner.WholePlan{Version: o.Version, Basis: runner.Basis{Object: "object", Cluster: "cluster", Goal: goal, Epoch: w.state.EpochOf(goal, false)}}
	for i, id := range order {
		kind := runner.Todo
		switch {
		case i < done:
			kind = runner.Done
		case i == done && w.rolls:
			kind = runner.InProgress
		}
		says.States[id] = runner.State{Kind: kind}
		p.Steps = append(p.Steps, runner.PlannedStep{Info: runner.Info{ID: id}, State: says.States[id], Plan: runner.Plan{
			Summary: []string{"do " + string(id)}, Rolls: 1, Changes: []runner.Change{{Object: "Cluster", Location: string(id), After: o.CCMImage + "done"}}}})
	}
	return says, p
}

func (w *world) assess(_ context.Context, _ session.Connector, o session.Options) (session.Assessment, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away != nil {
		return session.Assessment{}, w.away
	}
	a := session.Assessment{Target: journal.Target{Kind: "rke2", Name: "prod", UID: "cluster"}, Journal: w.state.Clone()}
	a.Says, a.Plan = w.plan(o)
	if w.rolls {
		a.UnderWay = "switch-provider"
	}
	return a, nil
}

func (w *world) begun(o session.Options) (failure error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	goal, _ := goalOf(o)
	w.runs = append(w.runs, string(o.Until))
	if w.panics {
		panic("seeded")
	}
	if w.fails != nil {
		failed, _ := fault.As(w.fails)
		w.state.Runs = append(w.state.Runs, journal.Run{ID: "r", Start: time.Now().UTC().Format(time.RFC3339), End: "e", Outcome: "stopped", Reason: failed.Reason, Attempt: o.Attempt})
		return w.fails
	}
	w.state.Epoch, w.state.Goal = w.state.EpochOf(goal, false), goal
	if goal != w.goal {
		w.goal, w.done = goal, 0
	}
	saved, err := o.Saved(journal.Target{})
	if err != nil {
		return err
	}
	w.state.Runs = append(w.state.Runs, journal.Run{ID: "r", Start: time.Now().UTC().Format(time.RFC3339), Attempt: o.Attempt})
	w.state.Approvals = append(w.state.Approvals, journal.Approval{Run: "r", Plan: saved.ApprovedAs})
	return nil
}

func (w *world) run(ctx context.Context, _ session.Connector, o session.Options) (session.Result, error) {
	if err := w.begun(o); err != nil {
		return session.Result{}, err
	}
	_, order := goalOf(o)
	for {
		w.mu.Lock()
		next := order[min(w.done, len(order)-1)]
		over := w.done == len(order) || w.done > 0 && order[w.done-1] == o.Until
		rolls := w.rolls
		w.mu.Unlock()
		if over {
			break
		}
		if err := o.Hold(ctx, runner.Info{ID: next}); err != nil && !rolls {
			return session.Result{}, err
		}
		o.Sink.Emit(runner.Event{Type: runner.StepStarted, Step: next, Time: time.Now()})
		w.mu.Lock()
		stands := w.stands
		w.mu.Unlock()
		if stands != nil {
			select {
			case <-stands:
			case <-o.Interrupt:
				return session.Result{}, &fault.Error{Class: fault.Interrupted, Seen: "stopped on request"}
			}
		}
		w.mu.Lock()
		w.done++
		w.rolls = false
		w.took = append(w.took, string(next))
		w.mu.Unlock()
		o.Sink.Emit(runner.Event{Type: runner.StepFinished, Step: next, Time: time.Now()})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done == len(order) {
		w.state.Epoch, w.state.Goal = w.state.Epoch+1, ""
	}
	last := &w.state.Runs[len(w.state.Runs)-1]
	last.Outcome, last.End = "done", time.Now().UTC().Format(time.RFC3339)
	return session.Result{Began: true}, nil
}

func (w *world) guard(context.Context, session.Connector, session.Options) (session.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guards++
	w.rolls = false
	w.seen <- struct{}{}
	return session.Result{Began: true}, nil
}

// with calls f with the lock of the world.
func with[T any](w *world, f func() T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f()
}

func (w *world) begunRuns() []string {
	return with(w, func() []string { return slices.Clone(w.runs) })
}

// guarded waits until a guard has begun.
func (w *world) guarded(t *testing.T) {
	t.Helper()
	select {
	case <-w.seen:
	case <-time.After(time.Minute):
		t.Fatal("the rollout is not watched")
	}
}
