package lock

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	leaseDuration = 120 * time.Second
	// proofTTL is the time for which a read with this run as holder counts as current.
	proofTTL = 5 * time.Second
	// renewRetryInterval is the interval between failed renewals, and between looks at another owner.
	renewRetryInterval = 2 * time.Second
)

// Lease is a Lock in a coordination.k8s.io Lease. It never compares its clock with the clock of
// another machine. An owner is dead if its Lease was read unchanged for a whole lease duration,
// without a failed read in between. It is also dead if the shared process table shows that it has
// ended.
type Lease struct {
	client    kubernetes.Interface
	namespace string
	name      string
	owner     Owner
	clock     clock.WithTicker

	// Duration may be set before Acquire (default 120 s). The Lease is renewed six times per
	// Duration.
	Duration time.Duration
	// Budget bounds the retries of Acquire, Prove and Release during an API outage (default 5 min).
	Budget time.Duration
	// Processes may be set before Acquire: then the lock of an owner that is proven dead is taken
	// over at once. If it is nil, every owner is watched.
	Processes Processes
	// Witness may be set before Acquire. Without its record of an owner, the process table proves
	// nothing and the owner is watched.
	Witness Witness

	turn      turn
	lease     *coordinationv1.Lease // the last version that showed this run as holder
	proved    time.Time             // time before the request that last showed this run as holder
	renewed   time.Time             // time before the request that last renewed it
	lost      error
	lostFault atomic.Pointer[fault.Error] // equals lost; readable during a request
	fresh     atomic.Pointer[time.Time]   // equals renewed; readable during a request
	cancel    context.CancelFunc
	idle      chan struct{} // closed when the renewal loop has ended
}

// NewLease returns owner's lock in the Lease namespace/name.
func NewLease(client kubernetes.Interface, namespace, name string, owner Owner, c clock.WithTicker) *Lease {
	return &Lease{
		client: client, namespace: namespace, name: name, owner: owner, clock: c,
		Duration: leaseDuration, Budget: retry.Outage, turn: make(turn, 1),
	}
}

func (l *Lease) object() string { return fmt.Sprintf("Lease %s/%s", l.namespace, l.name) }

// elapsed returns the time since t by the clock that advanced further: the monotonic clock stops
// while a machine sleeps, and the wall clock may be set. If the wall clock went backwards,
// elapsed returns a very long time.
func (l *Lease) elapsed(t time.Time) time.Duration {
	now := l.clock.Now()
	wall := now.Round(0).Sub(t.Round(0))
	if wall < 0 {
		return 1 << 62
	}
	return max(now.Sub(t), wall)
}

// Settle implements Lock. A killed run leaves nothing behind that works.
func (l *Lease) Settle(context.Context) (bool, error) { return false, nil }

// Prove implements Lock. If this run has not renewed the Lease for half its duration, Prove
// renews it: another run may be about to take it, and a read would not prevent that.
func (l *Lease) Prove(ctx context.Context) error {
	return retry.Do(ctx, l.clock, l.Budget, "the lock, "+l.object()+", to be read as this run's", func(ctx context.Context) error {
		if err := l.turn.take(ctx); err != nil {
			return err
		}
		defer l.turn.give()
		switch {
		case l.lost != nil:
			return l.lost
		case l.lease == nil:
			return &fault.Error{Reason: "LockNotTaken", Object: l.object(), Seen: "the lock was not taken by this run"}
		case l.elapsed(l.renewed) > l.Duration/2:
			return l.renew(ctx)
		case l.elapsed(l.proved) < proofTTL:
			return nil
		}
		return l.look(ctx)
	})
}

// look reads the Lease and returns an error if this run no longer holds it. The caller holds
// l.turn.
func (l *Lease) look(ctx context.Context) error {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	before := l.clock.Now()
	now, err := l.client.CoordinationV1().Leases(l.namespace).Get(ctx, l.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return l.lose("it was deleted", err)
	}
	if err != nil {
		return fmt.Errorf("read the lock, %s: %w", l.object(), err)
	}
	if holder(now) != l.owner.Identity() {
		return l.lose("it was taken over: "+describe(now), nil)
	}
	l.lease, l.proved = now, before
	return nil
}

// renew updates the Lease if it has not changed since this run last read it. The caller holds
// l.turn.
func (l *Lease) renew(ctx context.Context) error {
	before := l.clock.Now()
	next := l.lease.DeepCopy()
	l.stamp(next, before)
	req, cancel := retry.Request(ctx)
	defer cancel()
	out, err := l.client.CoordinationV1().Leases(l.namespace).Update(req, next, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
	switch {
	case err == nil:
		l.witness(out)
		l.lease, l.proved, l.renewed = out, before, before
		l.fresh.Store(&before)
		return nil
	case apierrors.IsNotFound(err):
		return l.lose("it was deleted", err)
	case apierrors.IsConflict(err):
		// Possible causes: an earlier renewal whose response was lost, a label set by another
		// writer, or a takeover.
		if err := l.look(ctx); err != nil {
			return err
		}
		return apierrors.NewServerTimeout(coordinationv1.Resource("leases"), "update", 0)
	}
	return fmt.Errorf("renew the lock, %s: %w", l.object(), err)
}

// witness records the version that this run has just written.
func (l *Lease) witness(written *coordinationv1.Lease) {
	if l.Witness != nil {
		l.Witness.Note(l.owner.Run, written.ResourceVersion)
	}
}

func (l *Lease) lose(how string, err error) error {
	gone := &fault.Error{
		Class: fault.Locked, Reason: "LockLost", Object: l.object(), Seen: how,
		Wanted: "held by this run to its end", Fix: "let the other run finish, then run the same command again", Err: err,
	}
	l.lost = gone
	l.lostFault.Store(gone)
	return l.lost
}

// Lost implements Lock.
func (l *Lease) Lost() error {
	if gone := l.lostFault.Load(); gone != nil {
		return gone
	}
	if renewed := l.fresh.Load(); renewed != nil && l.elapsed(*renewed) > l.Duration {
		return &fault.Error{Class: fault.CouldNotLook, Reason: "LockNotRenewed", Object: l.object(),
			Seen: "was not renewed for longer than it holds: another run may have it", Wanted: "to be read as this run's"}
	}
	return nil
}

// stamp makes this run the holder in next, renewed now. Its times are for people; no decision
// uses them.
func (l *Lease) stamp(next *coordinationv1.Lease, now time.Time) {
	id, seconds, at := l.owner.Identity(), int32(min(max(l.Duration/time.Second, 1), math.MaxInt32)), metav1.NewMicroTime(now)
	if holder(next) != id {
		transitions := int32(1)
		if next.Spec.LeaseTransitions != nil {
			transitions += *next.Spec.LeaseTransitions
		}
		next.Spec.LeaseTransitions, next.Spec.AcquireTime = &transitions, &at
	}
	next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds, next.Spec.RenewTime = &id, &seconds, &at
}

// renewPeriodically renews the Lease until ctx is done or the lock is lost.
func (l *Lease) renewPeriodically(ctx context.Context, idle chan<- struct{}) {
	defer close(idle)
	every := l.Duration / 6
	for wait := every; ; {
		if retry.Pause(ctx, l.clock, wait) != nil {
			return
		}
		if l.turn.take(ctx) != nil {
			return
		}
		err := l.renew(ctx)
		lost := l.lost != nil
		l.turn.give()
		if lost {
			return
		}
		if wait = every; err != nil {
			wait = min(renewRetryInterval, every)
		}
	}
}

// Release implements Lock. The Lease remains without a holder, so that the next run takes it at
// once.
func (l *Lease) Release(ctx context.Context) error {
	if err := l.turn.take(ctx); err != nil {
		return err
	}
	cancel, idle := l.cancel, l.idle
	l.cancel = nil
	l.turn.give()
	if cancel == nil {
		return nil
	}
	cancel()
	<-idle
	return retry.Do(ctx, l.clock, l.Budget, "the lock, "+l.object()+", to be released", func(ctx context.Context) error {
		if err := l.turn.take(ctx); err != nil {
			return err
		}
		defer l.turn.give()
		if l.lost != nil {
			return nil // lock already lost; nothing to release
		}
		return l.empty(ctx)
	})
}

func (l *Lease) empty(ctx context.Context) error {
	none := ""
	next := l.lease.DeepCopy()
	next.Spec.HolderIdentity = &none
	req, cancel := retry.Request(ctx)
	defer cancel()
	_, err := l.client.CoordinationV1().Leases(l.namespace).Update(req, next, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
	switch {
	case err == nil || apierrors.IsNotFound(err):
		l.lease = nil
		if l.Witness != nil {
			l.Witness.Forget(l.owner.Run)
		}
		return nil
	case apierrors.IsConflict(err):
		if l.look(ctx) != nil && l.lost != nil {
			return nil
		}
		return apierrors.NewServerTimeout(coordinationv1.Resource("leases"), "update", 0)
	}
	return fmt.Errorf("release the lock, %s: %w", l.object(), err)
}

func holder(lease *coordinationv1.Lease) string {
	if lease == nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func describe(lease *coordinationv1.Lease) string {
	id := holder(lease)
	if id == "" {
		return "it has no holder"
	}
	if o, ok := parseOwner(id); ok {
		return o.String()
	}
	return fmt.Sprintf("holder %q", id)
}
