package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Acquire implements Lock. A free Lease is taken at once. One that is held is
// watched: as soon as its owner is seen to live, Acquire fails; only when it
// was read unchanged for the whole duration that its owner asked for, or its
// owner is proven dead, is it taken over. ctx also ends the renewing.
func (l *Lease) Acquire(ctx context.Context) error {
	var w deathWatch
	for {
		err := retry.Do(ctx, l.clock, l.Budget, "the lock, "+l.object()+", to be read", func(ctx context.Context) error {
			err := l.try(ctx, &w)
			if retry.Transient(err) {
				w = deathWatch{} // while we could not look, neither could its owner renew
			}
			return err
		})
		if !errors.Is(err, errHeld) {
			return err
		}
		if w.seen != nil {
			retry.WaitPolicyOf(ctx).Show("the owner of the lock, "+l.object()+", to show that it lives, or to be silent for "+w.duration.String(),
				describe(w.seen), w.first.Add(w.duration))
		}
		if err := retry.Pause(ctx, l.clock, min(renewRetry, l.Duration/6)); err != nil {
			return err
		}
	}
}

var errHeld = errors.New("held, not yet known whether by the living")

// deathWatch is one unbroken series of readings of somebody else's Lease.
type deathWatch struct {
	seen     *coordinationv1.Lease
	first    time.Time // after the first reading
	duration time.Duration
}

// try looks once, and takes the Lease if that is allowed.
func (l *Lease) try(run context.Context, w *deathWatch) error {
	leases := l.client.CoordinationV1().Leases(l.namespace)
	ctx, cancel := retry.Request(run)
	defer cancel()
	before := l.clock.Now()
	now, err := leases.Get(ctx, l.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Name: l.name, Namespace: l.namespace, Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager},
		}}
		l.stamp(fresh, before)
		out, err := leases.Create(ctx, fresh, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
		return l.settled(run, out, err, before)
	}
	if err != nil {
		return fmt.Errorf("read the lock, %s: %w", l.object(), err)
	}
	if l.free(now) || w.dead(now, before) {
		former, _ := parseOwner(holder(now))
		next := now.DeepCopy()
		l.stamp(next, before)
		out, err := leases.Update(ctx, next, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
		if err == nil && l.Witness != nil && former.Run != l.owner.Run {
			l.Witness.Forget(former.Run)
		}
		return l.settled(run, out, err, before)
	}
	if w.alive(now) {
		return l.heldBy(now)
	}
	w.watch(now, l.clock.Now())
	return errHeld
}

// free says whether the Lease may be taken without watching it. Our write is
// bound to the reading that is judged here: should the owner's last renewal
// land after it, the write fails and we look again.
func (l *Lease) free(now *coordinationv1.Lease) bool {
	id := holder(now)
	if id == "" || id == l.owner.Identity() {
		return true
	}
	owner, ok := parseOwner(id)
	return ok && (l.diedHere(owner, now.ResourceVersion) || succeeds(l.owner, owner))
}

// diedHere reports whether the owner wrote the Lease last on this machine, and is certain
// to be gone from it. A clone of the machine on which it lives did not see that write.
func (l *Lease) diedHere(owner Owner, version string) bool {
	return l.Witness != nil && l.Witness.Saw(owner.Run, version) && ProvenDead(owner, l.owner, l.Processes)
}

// settled judges our attempt to take the Lease.
func (l *Lease) settled(ctx context.Context, out *coordinationv1.Lease, err error, before time.Time) error {
	switch {
	case err == nil:
		l.witness(out)
		l.taken(ctx, out, before)
		return nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err) && l.namespaceExists(ctx):
		return errHeld // somebody was quicker: look again
	}
	return fmt.Errorf("take the lock, %s: %w", l.object(), err)
}

// namespaceExists tells a Lease that vanished from a namespace that was never
// there. Not being able to look counts as there: looking again will tell.
func (l *Lease) namespaceExists(ctx context.Context) bool {
	_, err := l.client.CoreV1().Namespaces().Get(ctx, l.namespace, metav1.GetOptions{})
	return !apierrors.IsNotFound(err)
}

func (l *Lease) taken(ctx context.Context, lease *coordinationv1.Lease, before time.Time) {
	_ = l.turn.take(context.WithoutCancel(ctx)) // which does not end
	defer l.turn.give()
	if l.cancel != nil {
		l.cancel()
	}
	// The first interrupt must not end the renewing: an effect may be under way.
	ctx, cancel := context.WithCancel(retry.WithoutStop(ctx))
	l.lease, l.proved, l.renewed, l.lost = lease, before, before, nil
	l.gone.Store(nil)
	l.fresh.Store(&before)
	l.cancel, l.idle = cancel, make(chan struct{})
	go l.keep(ctx, l.idle)
}

func (l *Lease) heldBy(lease *coordinationv1.Lease) error {
	if o, ok := parseOwner(holder(lease)); ok {
		return heldBy(l.object(), o, fmt.Sprintf("for about %s; it was just seen to renew", l.clock.Since(o.Start).Round(time.Second)))
	}
	return &fault.Error{
		Class: fault.Locked, Reason: "LockHeld", Object: l.object(),
		Seen: fmt.Sprintf("held by %q, which was just seen to renew", holder(lease)), Wanted: "no other run on this cluster",
		Fix: "wait for it to end",
	}
}

// dead says whether now ends a series of equal readings that is a full
// duration long. at is the time before the reading.
func (w *deathWatch) dead(now *coordinationv1.Lease, at time.Time) bool {
	return w.seen != nil && w.seen.UID == now.UID && w.seen.ResourceVersion == now.ResourceVersion && at.Sub(w.first) >= w.duration
}

// alive says whether an owner renewed or took the Lease between two readings.
func (w *deathWatch) alive(now *coordinationv1.Lease) bool {
	return w.seen != nil && (holder(w.seen) != holder(now) || renewal(w.seen) != renewal(now))
}

func (w *deathWatch) watch(now *coordinationv1.Lease, at time.Time) {
	if w.seen != nil && w.seen.UID == now.UID && w.seen.ResourceVersion == now.ResourceVersion {
		return
	}
	w.seen, w.first, w.duration = now, at, leaseDuration
	if s := now.Spec.LeaseDurationSeconds; s != nil && *s > 0 {
		w.duration = time.Duration(*s) * time.Second
	}
}

func renewal(lease *coordinationv1.Lease) string {
	if lease.Spec.RenewTime == nil {
		return ""
	}
	return lease.Spec.RenewTime.String()
}
