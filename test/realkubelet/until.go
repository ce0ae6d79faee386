package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// look is how often something is looked at that is waited for.
	look = 50 * time.Millisecond
	// patience is how long the longest wait may take, on a machine with twenty times the
	// load that it has processors for.
	patience = 4 * time.Minute
)

// Until waits until holds; the last error of a look says why it did not.
func Until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		ok, err := holds()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited for %s: %w", what, errors.Join(err, ctx.Err()))
		case <-tick.C:
		}
	}
}
