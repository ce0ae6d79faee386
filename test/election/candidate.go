package election

// Identity is a holder in a lease.
type Identity int8

// Nobody is the empty holder.
const Nobody Identity = 0

// timing are a candidate's durations, in seconds.
type timing struct {
	duration, deadline, retry int8
	// recorded says that it counts the duration in the lease instead of its own, as
	// client-go does from v0.27 on.
	recorded bool
}

// request is a write of a candidate's on its way.
type request int8

const (
	none   request = iota
	sent           // the lease is as it was when it was read
	late           // it is not: the write will conflict
	landed         // written, and the lease is as it was written
	passed         // written, and the lease was written again since
)

// mode is what a candidate does.
type mode int8

const (
	waiting mode = iota
	leading      // its controllers run
	ended
)

// candidate is one process that wants the lease.
type candidate struct {
	id     Identity
	mode   mode
	frozen bool // stopped by a signal; time passes
	// saw, counts and age are the lease as it was observed last: its holder, how long it
	// lasts, and since when; current says that it is still so.
	saw     Identity
	counts  int8
	age     int8
	current bool
	request request
	// asleep is the pause behind a renewal; left are the seconds of the pause, then those
	// until the renew deadline.
	asleep bool
	left   int8
}

// runs says whether its controllers do something at this moment.
func (c candidate) runs() bool { return c.mode == leading && !c.frozen }

// reads is the first half of tryAcquireOrRenew: whether a write follows.
func (c *candidate) reads(l lease, t timing) {
	if !c.current {
		c.saw, c.counts, c.age, c.current = l.holder, t.duration, 0, true
		if t.recorded {
			c.counts = l.duration
		}
	}
	if c.saw == c.id || c.saw == Nobody || c.age >= c.counts {
		c.request = sent
	}
}

// hears is the reply to a write.
func (c *candidate) hears(t timing) {
	won, current := c.request == landed || c.request == passed, c.request == landed
	c.request = none
	if !won {
		return
	}
	c.saw, c.counts, c.age, c.current = c.id, t.duration, 0, current
	c.mode, c.asleep, c.left = leading, true, t.retry
}

// second lets one pass. A leader ends at its renew deadline, if it is not frozen: then
// once it goes on. One that was frozen in its pause begins to count the deadline when it
// goes on, since that is when it makes the context.
func (c *candidate) second(t timing) {
	if c.mode == ended {
		return
	}
	if c.age < 100 && c.saw != c.id {
		c.age = min(c.age+1, c.counts) // longer is the same
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

// end ends its process. What it has sent may still land.
func (c *candidate) end() {
	*c = candidate{id: c.id, mode: ended, request: c.request}
	if c.request != sent {
		c.request = none
	}
}
