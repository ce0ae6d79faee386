package retry

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// requestTimeout is for one request of the journal or the lock.
const requestTimeout = 15 * time.Second

// WaitPolicy travels in the context to everything that may have to wait for an API: how
// to show it, what ends it early, how long at most.
type WaitPolicy struct {
	Report func(waitingFor, seen string, until time.Time)
	Stop   <-chan struct{} // nil: waits are not ended by the first interrupt
	Budget time.Duration   // 0: the waiter's own
}

type waitPolicyKey struct{}

// WithWaitPolicy is ctx with p.
func WithWaitPolicy(ctx context.Context, p WaitPolicy) context.Context {
	return context.WithValue(ctx, waitPolicyKey{}, p)
}

// WaitPolicyOf is the policy in ctx; without one, waits are not shown, and end by
// themselves alone.
func WaitPolicyOf(ctx context.Context) WaitPolicy {
	p, _ := ctx.Value(waitPolicyKey{}).(WaitPolicy)
	return p
}

// WithoutStop is ctx for what the first interrupt must let finish.
func WithoutStop(ctx context.Context) context.Context {
	p := WaitPolicyOf(ctx)
	p.Stop = nil
	return WithWaitPolicy(ctx, p)
}

// WithBudget is ctx whose waits end after budget, interrupt or not.
func WithBudget(ctx context.Context, budget time.Duration) context.Context {
	p := WaitPolicyOf(ctx)
	p.Stop, p.Budget = nil, budget
	return WithWaitPolicy(ctx, p)
}

// Show shows a wait for an API.
func (p WaitPolicy) Show(waitingFor, seen string, until time.Time) {
	if p.Report != nil {
		p.Report(waitingFor, seen, until)
	}
}

// limit is the smaller of own and what the context grants.
func (p WaitPolicy) limit(own time.Duration) time.Duration {
	if p.Budget > 0 && p.Budget < own {
		return p.Budget
	}
	return own
}

// Pause waits d. It ends early with an error when ctx is done or a clean stop
// was asked for (class Interrupted).
func Pause(ctx context.Context, c clock.Clock, d time.Duration) error {
	stop := WaitPolicyOf(ctx).Stop
	// A stop that is already there wins over a timer that is already due.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return Stopped()
	default:
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return Stopped()
	case <-t.C():
		return nil
	}
}

// Request bounds one request to an API, so that an answer that never comes is
// an error like any other.
func Request(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

// Stopped is the fault of whatever a clean stop has ended.
func Stopped() error {
	return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Seen: "stopped on request"}
}
