package faulty

import (
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// Clock is a clock whose timers fire at once: each wait advances the time. Tests of the engine
// therefore never sleep.
type Clock struct{ *clocktesting.FakeClock }

// NewClock returns a Clock that starts on a fixed day.
func NewClock() Clock {
	return Clock{clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
}

// NewTimer implements clock.Clock.
func (c Clock) NewTimer(d time.Duration) clock.Timer {
	t := c.FakeClock.NewTimer(d)
	c.Step(d)
	return t
}

// While advances c by seconds while f runs, and returns the elapsed time.
func While(c *clocktesting.FakeClock, f func() error) (time.Duration, error) {
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() { defer close(stopped); Elapse(c, time.Second, done) }()
	start := c.Now()
	err := f()
	close(done)
	<-stopped
	return c.Since(start), err
}

// Elapse advances a clock while it has waiters, until done is closed.
func Elapse(c *clocktesting.FakeClock, by time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if c.HasWaiters() {
				c.Step(by)
			}
		}
	}
}
