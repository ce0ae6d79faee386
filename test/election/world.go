package election

// Timing holds the durations of a candidate's flags, in seconds.
type Timing struct {
	Duration, Deadline, Retry int
	// Recorded makes the candidate count the duration in the lease, as client-go does since v0.27.
	Recorded bool
}

// Fence returns the lease that a run writes after it read one, and whether it writes at all.
// target is the holder that the run judged.
type Fence func(run int, target, holder Identity, duration int) (after Identity, lasts int, writes bool)

// Identities of a world. A restarted process is a new candidate.
const (
	First   Identity = iota + 1 // leads at the start
	Second                      // waits
	FirstB                      // First, restarted
	SecondB                     // Second, restarted
	Foreign                     // neither a process nor a fence
	Fences                      // the fence of run 0; run 1 has the next
)

// World describes the processes and the possible events.
type World struct {
	Timings [2]timing
	Fence   Fence // or nil if no run fences
	// Clear removes a fence, or is nil. Proven reports when it may, given whether the fenced
	// process ended and the age of the fence in seconds.
	Clear   Fence
	Proven  func(gone bool, age int) bool
	Runs    int  // number of runs
	Renews  bool // no candidate is cut off: a leader that still has the lease renews it at once
	Slow    bool // the reply to a write may be late
	Freezes bool // a candidate may freeze and thaw
	Dies    bool // a candidate may die at any time and be restarted
	Writes  bool // another writer may overwrite the holder
	Empties bool // another writer may empty the holder
}

// Timings returns the timings of the leading and of the waiting candidate.
func Timings(leader, waiter Timing) [2]timing {
	convert := func(t Timing) timing {
		return timing{int8(t.Duration), int8(t.Deadline), int8(t.Retry), t.Recorded}
	}
	return [2]timing{convert(leader), convert(waiter)}
}

// start returns the first state: one candidate leads, the other waits.
func (w World) start() State {
	s := State{lease: lease{First, w.Timings[0].duration}}
	s.all[0] = candidate{id: First, mode: leading, saw: First, counts: w.Timings[0].duration, current: true, asleep: true, left: w.Timings[0].retry}
	s.all[1] = candidate{id: Second, saw: First, counts: w.Timings[1].duration, current: true}
	if w.Timings[1].recorded {
		s.all[1].counts = w.Timings[0].duration
	}
	return s
}

// appendNext appends all states that may follow s.
func (w World) appendNext(s State, found []State) []State {
	add := func(change func(*State)) {
		c := s
		change(&c)
		found = append(found, c)
	}
	if (w.Slow || !s.hasUnreadReply()) && (!w.Renews || !s.hasUnrenewed()) {
		add(func(c *State) { c.tick(w) })
	}
	for i := range s.all {
		found = w.appendCandidate(s, i, found)
	}
	for i := range w.Runs {
		found = w.appendTool(s, i, found)
	}
	if w.Writes && !s.foreign {
		add(func(c *State) { c.write(lease{Foreign, c.lease.duration}); c.foreign = true })
	}
	if w.Empties && !s.foreign {
		add(func(c *State) { c.write(lease{Unheld, c.lease.duration}); c.foreign = true })
	}
	return found
}

// appendCandidate appends the states after one step of candidate i.
func (w World) appendCandidate(s State, i int, found []State) []State {
	t, c := w.Timings[i], s.all[i]
	add := func(possible bool, change func(*State, *candidate)) {
		if possible {
			n := s
			change(&n, &n.all[i])
			found = append(found, n)
		}
	}
	acts := c.mode != ended && !c.frozen
	trying := c.mode == waiting || !c.asleep && c.left > 0
	add(acts && trying && c.request == none, func(n *State, c *candidate) { c.read(n.lease, t) })
	add(c.request == sent, func(n *State, _ *candidate) { n.land(i, t) })
	add(acts && c.request > sent, func(_ *State, c *candidate) { c.receive(t) })
	add(!c.frozen && c.request > none, func(_ *State, c *candidate) { c.request = none }) // the request or its reply is lost
	add(w.Freezes && acts, func(_ *State, c *candidate) { c.frozen = true })
	add(w.Freezes && c.frozen, func(_ *State, c *candidate) { c.thaw(t) })
	add(w.Dies && c.mode != ended, func(_ *State, c *candidate) { c.end() })
	add(w.Dies && c.mode == ended && c.request == none && s.restarts < 1, func(n *State, c *candidate) {
		n.restarts++
		*c = candidate{id: c.id + FirstB - First}
	})
	return found
}

// thaw lets a frozen process continue.
func (c *candidate) thaw(t timing) {
	c.frozen = false
	if c.mode != leading || c.left > 0 {
		return
	}
	if c.asleep {
		c.asleep, c.left = false, t.deadline
		return
	}
	if c.request != landed && c.request != passed { // a reply that has arrived may be read first
		c.end()
	}
}

// appendTool appends the states after one step of run i. A run never judges a fence to be the
// holder.
func (w World) appendTool(s State, i int, found []State) []State {
	r := s.tools[i]
	if r.done {
		return found
	}
	add := func(change func(*State, *tool)) {
		n := s
		change(&n, &n.tools[i])
		found = append(found, n)
	}
	switch {
	case r.target == Unheld:
		if h := s.lease.holder; h == First || h == FirstB {
			add(func(n *State, r *tool) { r.target = h })
		}
	case r.fenced && !w.Proven(s.isGone(r.target), int(r.age)):
	case r.holds == none || r.holds == late: // a conflict is followed by another read
		add(func(n *State, r *tool) { r.read, r.holds = n.lease, sent })
	case r.holds == sent:
		makes := w.Fence
		if r.fenced {
			makes = w.Clear
		}
		after, lasts, writes := makes(i, r.target, r.read.holder, int(r.read.duration))
		add(func(n *State, r *tool) {
			clears := writes && !r.fenced && w.Clear != nil
			if *r = (tool{target: r.target, fenced: clears, done: !clears}); writes {
				n.write(lease{after, int8(lasts)})
			}
		})
	}
	return found
}
