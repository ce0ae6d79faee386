package runner

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// requestTimeout is for one request of the journal or the lock.
const requestTimeout = 15 * time.Second

// patience travels in the context to everything in this package that may have
// to wait for an API: how to show it, what ends it early, how long at most.
type patience struct {
	report func(waitingFor, seen string, until time.Time)
	stop   <-chan struct{} // nil: waits are not ended by the first interrupt
	budget time.Duration   // 0: the waiter's own
}

type patienceKey struct{}

func withPatience(ctx context.Context, p patience) context.Context {
	return context.WithValue(ctx, patienceKey{}, p)
}

func patienceOf(ctx context.Context) patience {
	p, _ := ctx.Value(patienceKey{}).(patience)
	return p
}

// unstoppable is ctx for what the first interrupt must let finish.
func unstoppable(ctx context.Context) context.Context {
	p := patienceOf(ctx)
	p.stop = nil
	return withPatience(ctx, p)
}

// within is ctx whose waits end after budget, interrupt or not.
func within(ctx context.Context, budget time.Duration) context.Context {
	p := patienceOf(ctx)
	p.stop, p.budget = nil, budget
	return withPatience(ctx, p)
}

func (p patience) show(waitingFor, seen string, until time.Time) {
	if p.report != nil {
		p.report(waitingFor, seen, until)
	}
}

// limit is the smaller of own and what the context grants.
func (p patience) limit(own time.Duration) time.Duration {
	if p.budget > 0 && p.budget < own {
		return p.budget
	}
	return own
}

// Pause waits d. It ends early with an error when ctx is done or a clean stop
// was asked for (class Interrupted).
func Pause(ctx context.Context, c clock.Clock, d time.Duration) error {
	stop := patienceOf(ctx).stop
	// A stop that is already there wins over a timer that is already due.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return errStopped()
	default:
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return errStopped()
	case <-t.C():
		return nil
	}
}

// request bounds one request to an API, so that an answer that never comes is
// an error like any other.
func request(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

func errStopped() error {
	return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Seen: "stopped on request"}
}
