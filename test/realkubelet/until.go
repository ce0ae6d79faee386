package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// pollInterval is the interval between two tries.
	pollInterval = 50 * time.Millisecond
	// waitTimeout is the maximum time of a wait, for a machine with twenty times its load.
	waitTimeout = 4 * time.Minute
)

// Until polls holds until it returns true. On a timeout, its last error is part of the result.
func Until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
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
