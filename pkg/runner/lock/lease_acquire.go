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

// Acquire implements Lock. It takes a free Lease at once and watches a held one. It fails as soon
// as the owner is seen to renew. It takes the Lease over if the owner is proven dead, or if the
// Lease did not change for the owner's duration. When ctx ends, renewing ends too.
func (l *Lease) Acquire(ctx context.Context) error {
	var w deathWatch
	for {
		err := retry.Do(ctx, l.clock, l.Budget, "the lock, "+l.object()+", to be read", func(ctx context.Context) error {
			err := l.try(ctx, &w)
			if retry.Transient(err) {
				w = deathWatch{} // during an outage of the API the owner cannot renew either
			}
			return err
		})
		if !errors.Is(err, errHeld) {
			return err
		}
		if w.seen != nil {
			retry.WaitPolicyOf(ctx).Show("the owner of the lock, "+l.object()+", to show that it lives, or to be silent for "+w.duration.String(),
				describe(w.seen), w.firstRead.Add(w.duration))
		}
		if err := retry.Pause(ctx, l.clock, min(renewRetryInterval, l.Duration/6)); err != nil {
			return err
		}
	}
}

var errHeld = errors.New("held, not yet known whether by the living")

// deathWatch holds an unbroken series of reads of another owner's Lease.
type deathWatch struct {
	seen      *coordinationv1.Lease
	firstRead time.Time // time after the first read
	duration  time.Duration
}

// try reads the Lease once, and takes it if that is allowed.
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
		return l.judgeAttempt(run, out, err, before)
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
		return l.judgeAttempt(run, out, err, before)
	}
	if w.alive(now) {
		return l.heldBy(now)
	}
	w.watch(now, l.clock.Now())
	return errHeld
}

// free reports whether the Lease may be taken without watching it. The write depends on the
// version judged here: if the owner renews meanwhile, the write fails and the next try reads
// again.
func (l *Lease) free(now *coordinationv1.Lease) bool {
	id := holder(now)
	if id == "" || id == l.owner.Identity() {
		return true
	}
	owner, ok := parseOwner(id)
	return ok && (l.diedHere(owner, now.ResourceVersion) || succeeds(l.owner, owner))
}

// diedHere reports whether the owner wrote the Lease last on this machine, and its process has
// ended. A clone of the owner's machine has no record of that write.
func (l *Lease) diedHere(owner Owner, version string) bool {
	return l.Witness != nil && l.Witness.Saw(owner.Run, version) && ProvenDead(owner, l.owner, l.Processes)
}

// judgeAttempt judges an attempt to take the Lease.
func (l *Lease) judgeAttempt(ctx context.Context, out *coordinationv1.Lease, err error, before time.Time) error {
	switch {
	case err == nil:
		l.witness(out)
		l.startRenewing(ctx, out, before)
		return nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err) && l.namespaceExists(ctx):
		return errHeld // another run was faster: read again
	}
	return fmt.Errorf("take the lock, %s: %w", l.object(), err)
}

// namespaceExists reports whether the Lease's namespace exists, to distinguish a deleted Lease
// from a missing namespace. If the read fails it returns true: the next try finds out.
func (l *Lease) namespaceExists(ctx context.Context) bool {
	_, err := l.client.CoreV1().Namespaces().Get(ctx, l.namespace, metav1.GetOptions{})
	return !apierrors.IsNotFound(err)
}

func (l *Lease) startRenewing(ctx context.Context, lease *coordinationv1.Lease, before time.Time) {
	_ = l.turn.take(context.WithoutCancel(ctx)) // this context never ends
	defer l.turn.give()
	if l.cancel != nil {
		l.cancel()
	}
	// The first interrupt must not end the renewing: an effect may be under way.
	ctx, cancel := context.WithCancel(retry.WithoutStop(ctx))
	l.lease, l.proved, l.renewed, l.lost = lease, before, before, nil
	l.lostFault.Store(nil)
	l.fresh.Store(&before)
	l.cancel, l.idle = cancel, make(chan struct{})
	go l.renewPeriodically(ctx, l.idle)
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

// dead reports whether now completes an unchanged series of reads over the full duration; at is
// the time before the read.
func (w *deathWatch) dead(now *coordinationv1.Lease, at time.Time) bool {
	return w.seen != nil && w.seen.UID == now.UID && w.seen.ResourceVersion == now.ResourceVersion && at.Sub(w.firstRead) >= w.duration
}

// alive reports whether an owner renewed or took the Lease between two reads.
func (w *deathWatch) alive(now *coordinationv1.Lease) bool {
	return w.seen != nil && (holder(w.seen) != holder(now) || renewal(w.seen) != renewal(now))
}

func (w *deathWatch) watch(now *coordinationv1.Lease, at time.Time) {
	if w.seen != nil && w.seen.UID == now.UID && w.seen.ResourceVersion == now.ResourceVersion {
		return
	}
	w.seen, w.firstRead, w.duration = now, at, leaseDuration
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
