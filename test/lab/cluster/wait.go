package cluster

import (
	"context"
	"fmt"
	"time"
)

// poll retries until done, and reports the last state on failure.
func poll(ctx context.Context, every time.Duration, what string, ask func(context.Context) (done bool, seen string, err error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		done, seen, err := ask(ctx)
		if done {
			return nil
		}
		if err != nil {
			seen = err.Error()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s, last seen %q: %w", what, seen, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
