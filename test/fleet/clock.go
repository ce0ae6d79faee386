package fleet

import (
	"time"

	"k8s.io/utils/clock"
)

// Fast is a clock on which time passes several times as fast as the machine's, from Start on.
type Fast struct {
	clock.RealClock
	Start time.Time
	Times int
}

// Now implements clock.PassiveClock.
func (f Fast) Now() time.Time {
	return f.Start.Add(time.Since(f.Start) * time.Duration(f.Times)).Round(0)
}

// Since implements clock.PassiveClock.
func (f Fast) Since(t time.Time) time.Duration { return f.Now().Sub(t) }

// After implements clock.Clock.
func (f Fast) After(d time.Duration) <-chan time.Time { return f.NewTimer(d).C() }

// Sleep implements clock.Clock.
func (f Fast) Sleep(d time.Duration) { f.RealClock.Sleep(f.short(d)) }

// Tick implements clock.Clock.
func (f Fast) Tick(d time.Duration) <-chan time.Time { return f.NewTicker(d).C() }

// NewTimer implements clock.Clock.
func (f Fast) NewTimer(d time.Duration) clock.Timer {
	return fastTimer{f.RealClock.NewTimer(f.short(d)), f}
}

// NewTicker implements clock.WithTicker.
func (f Fast) NewTicker(d time.Duration) clock.Ticker { return f.RealClock.NewTicker(f.short(d)) }

func (f Fast) short(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return max(d/time.Duration(f.Times), 1)
}

type fastTimer struct {
	clock.Timer
	of Fast
}

// Reset implements clock.Timer.
func (t fastTimer) Reset(d time.Duration) bool { return t.Timer.Reset(t.of.short(d)) }
