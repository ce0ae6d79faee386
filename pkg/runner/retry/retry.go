package retry

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
)

// Outage bounds the retries of a commit or a proof of the lock during an API outage. A migration
// restarts API servers, and a single API server needs minutes.
const Outage = 5 * time.Minute

const (
	minBackoff = 250 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// Do calls f until it succeeds, fails permanently, or the budget is spent.
func Do(ctx context.Context, c clock.Clock, budget time.Duration, waitingFor string, f func(context.Context) error) error {
	p := WaitPolicyOf(ctx)
	budget = p.limit(budget)
	start, backoff := c.Now(), minBackoff
	for tries := 1; ; tries++ {
		err := f(ctx)
		if err == nil || ctx.Err() != nil || !Transient(err) {
			return err
		}
		d := backoff
		if s, ok := apierrors.SuggestsClientDelay(err); ok && time.Duration(s)*time.Second > d {
			d = time.Duration(s) * time.Second
		}
		if spent := c.Since(start); spent+d > budget {
			return fmt.Errorf("gave up after %s and %d tries: %w", spent.Round(time.Second), tries, err)
		}
		p.Show(waitingFor, DescribeOutage(err), start.Add(budget))
		if stopped := Pause(ctx, c, d); stopped != nil {
			return stopped
		}
		backoff = min(2*backoff, maxBackoff)
	}
}
