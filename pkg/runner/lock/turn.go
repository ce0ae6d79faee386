package lock

import "context"

// turn lets one after the other into a section in which requests are made. Whoever
// waits behind a request that hangs waits as long as its own context allows.
type turn chan struct{}

// take waits for the turn. The error is the context's.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give ends the turn that was taken.
func (t turn) give() { <-t }
