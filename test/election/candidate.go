package election

// Identity names a holder in a lease.
type Identity int8

// Unheld is the empty holder.
const Unheld Identity = 0

// timing holds a candidate's durations, in seconds.
type timing struct {
	duration, deadline, retry int8
	// recorded makes the candidate count the duration in the lease instead of its own, as
	// client-go does since v0.27.
	recorded bool
}

// request is the state of a candidate's pending write.
type request int8

const (
	none   request = iota
	sent           // the lease is unchanged since it was read
	late           // the lease was changed since: the write will conflict
	landed         // write, and the lease is unchanged since
	passed         // write, and the lease was written again since
)

// mode is the activity of a candidate.
type mode int8

const (
	waiting mode = iota
	leading      // its controllers run
	ended
)

// candidate is one process that competes for the lease.
type candidate struct {
	id     Identity
	mode   mode
	frozen bool // stopped by a signal while time passes
	// saw, counts and age hold the last observed holder of the lease, its duration and the seconds
	// since. current reports whether the lease is still unchanged.
	saw     Identity
	counts  int8
	age     int8
	current bool
	request request
	// asleep is true in the pause after a renewal. left holds the remaining seconds of that pause,
	// then those until the renew deadline.
	asleep bool
	left   int8
}

// runs reports whether the candidate's controllers are running now.
func (c candidate) runs() bool { return c.mode == leading && !c.frozen }

// read models the first half of tryAcquireOrRenew, which decides whether to write.
func (c *candidate) read(l lease, t timing) {
	if !c.current {
		c.saw, c.counts, c.age, c.current = l.holder, t.duration, 0, true
		if t.recorded {
			c.counts = l.duration
		}
	}
	if c.saw == c.id || c.saw == Unheld || c.age >= c.counts {
		c.request = sent
	}
}

// receive handles the reply to a write.
func (c *candidate) receive(t timing) {
	won, current := c.request == landed || c.request == passed, c.request == landed
	c.request = none
	if !won {
		return
	}
	c.saw, c.counts, c.age, c.current = c.id, t.duration, 0, current
	c.mode, c.asleep, c.left = leading, true, t.retry
}

// tick lets one second pass. A leader ends at its renew deadline; a frozen one ends when it is
// thawed. A leader frozen in its pause starts the deadline when it is thawed, because that is when
// it creates the context.
func (c *candidate) tick(t timing) {
	if c.mode == ended {
		return
	}
	if c.age < 100 && c.saw != c.id {
		c.age = min(c.age+1, c.counts) // a higher age changes nothing
	}
	if c.mode != leading {
		return
	}
	if c.left > 0 {
		c.left--
	}
	if c.left > 0 || c.frozen {
		return
	}
	if c.asleep {
		c.asleep, c.left = false, t.deadline
		return
	}
	c.end()
}

// end ends the process. A request that it sent can still land.
func (c *candidate) end() {
	*c = candidate{id: c.id, mode: ended, request: c.request}
	if c.request != sent {
		c.request = none
	}
}
