package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Guarded is a Procedure whose rollouts can be watched without going on with it.
type Guarded[S any] interface {
	Procedure[S]
	// Watched is the step whose change others still carry out, as it is watched: its Do
	// writes nothing, and its verdict is Met as soon as the cluster is at rest, AtRest
	// where the step itself is not at its end. nil: the cluster is at rest. It needs no
	// state of any step, so that it knows also a cluster that Judge cannot place.
	Watched(ctx context.Context, seen S) Step[S]
}

// Guard watches what a run before has begun until the cluster is at rest, the brake
// armed: whoever may not go on (nobody approved, a pause, another version) must not leave
// a rollout alone either. It takes the lock, writes nothing forward, and reaches no goal.
// A cluster at rest is looked at once, without the lock.
func Guard[S any](ctx context.Context, p Guarded[S], o Options) (Result, error) {
	r := newRun[S](p, o)
	r.guards = true
	return r.run(ctx, func(ctx context.Context) error { return r.guard(ctx, p.Watched) })
}

func (r *run[S]) guard(ctx context.Context, rolling func(context.Context, S) Step[S]) error {
	step, err := r.rolling(ctx, rolling)
	r.started()
	switch {
	case err != nil || step == nil:
		return err
	case r.o.Journal == nil || r.o.Lock == nil:
		return noLock(r.p.Target())
	case r.leaving():
		return r.interrupted("before it watched")
	}
	return r.locked(ctx, func(ctx context.Context) error { return r.watchOver(ctx, rolling) })
}

// rolling is the step that is to be watched now; nil: none.
func (r *run[S]) rolling(ctx context.Context, of func(context.Context, S) Step[S]) (Step[S], error) {
	if err := retry.Do(ctx, r.o.Clock, firstLook, "the API to answer", r.look); err != nil {
		return nil, err
	}
	return of(ctx, r.last), nil
}

// watchOver watches one step after the other, until none rolls. What was read before the
// lock was taken may be another run's past.
func (r *run[S]) watchOver(ctx context.Context, rolling func(context.Context, S) Step[S]) error {
	for {
		if err := r.keepHold(ctx); err != nil {
			return err
		}
		step, err := r.rolling(ctx, rolling)
		if err != nil || step == nil {
			return err
		}
		info := step.Info()
		switch {
		case r.ran[info.ID]:
			return nil // it was at rest, and moves again: by somebody else, or by a run to come
		case r.leaving():
			return r.interrupted("before it watched step " + string(info.ID))
		}
		if !r.writing {
			if err := r.open(ctx, r.s.beginGuard); err != nil {
				return err
			}
		}
		r.current, r.title, r.ran[info.ID] = info.ID, info.Title, true
		if err := r.step(ctx, step, info, State{Kind: InProgress, Reason: r.seen.Summary}); err != nil {
			return err
		}
	}
}

// look reads journal and cluster, and says what it can of the steps: a cluster that
// nobody can place may roll all the same.
func (r *run[S]) look(ctx context.Context) error {
	if err := r.s.load(ctx); err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	last, err := r.p.Observe(ctx, r.s.record())
	if err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.last, r.observed = last, true
	if seen, err := r.p.Judge(last); err == nil {
		r.seen = seen
	}
	return nil
}

// beginGuard opens a run that only watches in the history: it is after no goal, and ends
// neither the run before it nor its epoch.
func (s *session) beginGuard(ctx context.Context) error {
	return s.change(ctx, func(st *journal.State) {
		died(st)
		st.Runs = append(st.Runs, journal.Run{ID: s.o.RunID, Command: s.o.Command, Who: s.o.Who, Start: s.now(), Epoch: st.Epoch, Guard: true, Attempt: s.o.Attempt})
	})
}
