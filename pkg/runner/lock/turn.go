package lock

import "context"

// turn serializes sections that make requests. A caller waits for its turn until its own context
// ends, even if another request hangs.
type turn chan struct{}

// take waits for the turn. It returns the error of ctx.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give ends the turn.
func (t turn) give() { <-t }
