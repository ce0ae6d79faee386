package retry

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// requestTimeout limits one request of the journal or the lock.
const requestTimeout = 15 * time.Second

// WaitPolicy configures waits for an API: how to show them, what ends them early, and how long
// they may take. The context carries it.
type WaitPolicy struct {
	Report func(waitingFor, seen string, until time.Time)
	Stop   <-chan struct{} // if nil, the first interrupt does not end a wait
	Budget time.Duration   // if 0, the caller's own budget applies
}

type waitPolicyKey struct{}

// WithWaitPolicy returns ctx with p.
func WithWaitPolicy(ctx context.Context, p WaitPolicy) context.Context {
	return context.WithValue(ctx, waitPolicyKey{}, p)
}

// WaitPolicyOf returns the policy in ctx. The default policy shows no wait and ends none early.
func WaitPolicyOf(ctx context.Context) WaitPolicy {
	p, _ := ctx.Value(waitPolicyKey{}).(WaitPolicy)
	return p
}

// WithoutStop returns ctx without the stop, for work that the first interrupt must let finish.
func WithoutStop(ctx context.Context) context.Context {
	p := WaitPolicyOf(ctx)
	p.Stop = nil
	return WithWaitPolicy(ctx, p)
}

// WithBudget returns ctx with waits that end after budget and ignore interrupts.
func WithBudget(ctx context.Context, budget time.Duration) context.Context {
	p := WaitPolicyOf(ctx)
	p.Stop, p.Budget = nil, budget
	return WithWaitPolicy(ctx, p)
}

// Show reports a wait for an API.
func (p WaitPolicy) Show(waitingFor, seen string, until time.Time) {
	if p.Report != nil {
		p.Report(waitingFor, seen, until)
	}
}

// limit returns the smaller of own and the policy's budget.
func (p WaitPolicy) limit(own time.Duration) time.Duration {
	if p.Budget > 0 && p.Budget < own {
		return p.Budget
	}
	return own
}

// Pause waits for d. It returns an error early if ctx is done, or a clean stop was requested
// (class Interrupted).
func Pause(ctx context.Context, c clock.Clock, d time.Duration) error {
	stop := WaitPolicyOf(ctx).Stop
	// A requested stop takes precedence over an expired timer.
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

// Request limits the time of one request to an API, so that a missing response becomes an error.
func Request(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

// Stopped returns the fault of an operation that a clean stop has ended.
func Stopped() error {
	return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Seen: "stopped on request"}
}
