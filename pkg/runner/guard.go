package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Guarded is a Procedure whose rollouts can be watched without continuing the procedure.
type Guarded[S any] interface {
	Procedure[S]
	// Watched returns the step whose change others still roll out, or nil if the cluster is at
	// rest. Do of that step writes nothing. Its verdict is Met as soon as the cluster is at rest,
	// with AtRest if the step is not complete. Watched needs no step states, so it also works
	// where Judge finds no position.
	Watched(ctx context.Context, snap S) Step[S]
}

// Guard watches an earlier run's rollout until the cluster is at rest, and pauses it if
// necessary. A run that may not continue (no approval, a pause, another version) must not leave a
// rollout alone. Guard takes the lock, runs no step of the procedure and reaches no goal. If the
// cluster is at rest, it reads it once without the lock.
func Guard[S any](ctx context.Context, p Guarded[S], o Options) (Result, error) {
	r := newRun[S](p, o)
	r.guards = true
	return r.run(ctx, func(ctx context.Context) error { return r.guard(ctx, p.Watched) })
}

func (r *run[S]) guard(ctx context.Context, rolling func(context.Context, S) Step[S]) error {
	step, err := r.stepToWatch(ctx, rolling)
	r.emitStarted()
	switch {
	case err != nil || step == nil:
		return err
	case r.o.Journal == nil || r.o.Lock == nil:
		return noLock(r.p.Target())
	case r.mustEnd():
		return r.interruptedFault("before it watched")
	}
	return r.withLock(ctx, func(ctx context.Context) error { return r.watchOver(ctx, rolling) })
}

// stepToWatch returns the step to watch now, or nil.
func (r *run[S]) stepToWatch(ctx context.Context, of func(context.Context, S) Step[S]) (Step[S], error) {
	if err := retry.Do(ctx, r.o.Clock, firstReadTimeout, "the API to answer", r.look); err != nil {
		return nil, err
	}
	return of(ctx, r.last), nil
}

// watchOver watches one step after the other until none rolls out. It reads again under the lock,
// because another run may have acted before.
func (r *run[S]) watchOver(ctx context.Context, rolling func(context.Context, S) Step[S]) error {
	for {
		if err := r.checkLock(ctx); err != nil {
			return err
		}
		step, err := r.stepToWatch(ctx, rolling)
		if err != nil || step == nil {
			return err
		}
		info := step.Info()
		switch {
		case r.ran[info.ID]:
			return nil // it was at rest and rolls again: another writer or a later run changed it
		case r.mustEnd():
			return r.interruptedFault("before it watched step " + string(info.ID))
		}
		if !r.writing {
			if err := r.open(ctx, r.s.beginGuard); err != nil {
				return err
			}
		}
		r.current, r.title, r.ran[info.ID] = info.ID, info.Title, true
		r.announce(ctx)
		if err := r.step(ctx, step, info, State{Kind: InProgress, Reason: r.obs.Summary}); err != nil {
			return err
		}
	}
}

// look reads journal and cluster. It judges the steps only as best effort: a cluster at an
// unknown position may still be rolling.
func (r *run[S]) look(ctx context.Context) error {
	if err := r.s.load(ctx); err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	last, err := r.p.Observe(ctx, r.s.record())
	if err != nil {
		return retry.Classify(err, targetName(r.p.Target()))
	}
	r.last, r.observed = last, true
	if obs, err := r.p.Judge(last); err == nil {
		r.obs = obs
	}
	return nil
}

// beginGuard adds a run to the history that only watches. It has no goal, and ends neither the
// run before it nor its epoch.
func (s *session) beginGuard(ctx context.Context) error {
	return s.change(ctx, func(st *journal.State) {
		markDead(st)
		st.Runs = append(st.Runs, journal.Run{ID: s.o.RunID, Command: s.o.Command, Who: s.o.Who, Start: s.now(), Epoch: st.Epoch, Guard: true, Attempt: s.o.Attempt})
	})
}
