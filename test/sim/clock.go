package sim

import (
	"time"

	"k8s.io/utils/clock"
)

// skewed is the clock of a machine that is wrong and may jump. Its timers are right, because they
// use the monotonic clock.
type skewed struct {
	clock.RealClock
	by func() time.Duration
}

// Now implements clock.PassiveClock. The result has no monotonic part, so that each comparison
// sees a jump.
func (s skewed) Now() time.Time { return time.Now().Add(s.by()).Round(0) }

// Since implements clock.PassiveClock.
func (s skewed) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

// pass lets simulated time pass.
func pass(d time.Duration) { <-time.After(d) }
