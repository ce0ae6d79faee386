package judge

import (
	"testing"
	"time"
)

// never stands for no time.
const never = -1e6

// on is a moment in seconds since the epoch of the tests.
func on(seconds float64) time.Time {
	if seconds == never {
		return time.Time{}
	}
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

// What is known of a clock bounds a stamp from both sides, or nothing does.
func TestWhatIsKnownOfAClock(t *testing.T) {
	const host = "a"
	both := func(c clocks, stamp, since, at float64) {
		c.notAfter(host, on(stamp), on(at))
		c.notBefore(host, on(stamp), on(since), on(at))
	}
	for _, test := range []struct {
		name            string
		learn           func(c clocks)
		stamp, received float64
		early, late     float64 // both zero: nothing is known
	}{
		{"nothing", func(clocks) {}, 20, 20, 0, 0},
		{"ten seconds ahead, as two writes show", func(c clocks) { both(c, 19.9, 9.5, 10); both(c, 29.8, 19.7, 20) }, 30, 21, 19.65, 20.35},
		{"of writes that show less it does not matter which came last", func(c clocks) { both(c, 29.8, 19.7, 20); both(c, 19.9, 9.5, 10); both(c, 39, 27, 30) }, 30, 21, 19.65, 20.35},
		{"only from one side", func(c clocks) { c.notAfter(host, on(19.9), on(10)) }, 30, 21, 0, 0},
		{"only from the other", func(c clocks) { c.notBefore(host, on(19.9), on(9.5), on(10)) }, 30, 21, 0, 0},
		{"only from one side, of one that is behind", func(c clocks) { c.notAfter(host, on(5), on(10)) }, 10, 21, 0, 0},
		{"another's", func(c clocks) { c.notAfter("b", on(19.9), on(10)); c.notBefore("b", on(19.9), on(9.5), on(10)) }, 30, 21, 0, 0},
		{"set in between", func(c clocks) { both(c, 19.9, 9.5, 10); both(c, 24.8, 19.7, 20) }, 30, 21, 0, 0},
		{"long before", func(c clocks) { both(c, 19.9, 9.5, 10) }, 410, 401, 0, 0},
		{"of a moment long before", func(c clocks) { both(c, 409.9, 399.5, 400) }, 30, 401, 0, 0},
		{"of no moment", func(c clocks) { both(c, 19.9, 9.5, 10) }, never, 10, 0, 0},
		{"a write that says no time", func(c clocks) { both(c, 19.9, 9.5, 10); both(c, never, 9.5, 10) }, 20, 11, 9.35, 10.35},
		{"since nobody knows when", func(c clocks) { both(c, 19.9, 9.5, 10); both(c, 19.9, never, 10) }, 20, 11, 9.35, 10.35},
		{"written after it was received", func(c clocks) { both(c, 19.9, 9.5, 10) }, 40, 20, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := clocks{}
			test.learn(c)
			early, late, ok := c.local(host, on(test.stamp), on(test.received))
			if !ok {
				early, late = epoch, epoch
			}
			if ok != (test.early != 0) || early.Sub(on(test.early)).Abs() > 2*time.Millisecond || late.Sub(on(test.late)).Abs() > 2*time.Millisecond {
				t.Errorf("%s to %s, %v; wanted %v to %v", at(early), at(late), ok, test.early, test.late)
			}
		})
	}
	c := clocks{}
	c.notAfter("", on(19.9), on(10))
	c.notBefore("", on(19.9), on(9.5), on(10))
	if _, _, ok := c.local("", on(20), on(11)); ok {
		t.Error("a lease that nobody holds has a clock")
	}
}

// A kubelet's report is believed by the clock of its machine, and that by what shows of it:
// who wrote leases there may have ended, and what its kubelet renews goes on.
func TestEndByAClockThatWasSet(t *testing.T) {
	for _, test := range []struct {
		name string
		set  float64 // at 45 s, by so much
		kind Kind
	}{
		{"as it was", 0, Excluded},
		{"set back", -19, Possible},
		{"set ahead", 19, Possible},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := begun().renewals(2, 40).ccmLeads(55, 80).ended(81, 41)
			by := func(node string, at time.Time) time.Duration {
				if node == "cp-0" && at.After(on(45)) {
					return time.Duration(test.set * float64(time.Second))
				}
				return 0
			}
			found := s.judgedBy(by).Lanes[0].Overlaps
			if len(found) != 1 || found[0].Kind != test.kind {
				t.Errorf("overlaps %+v, wanted one that is %s", found, test.kind)
			}
		})
	}
}
