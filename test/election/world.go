package election

// Timing are the durations of a candidate as its flags give them, in seconds.
type Timing struct {
	Duration, Deadline, Retry int
	// Recorded: it counts the duration in the lease, as client-go does from v0.27 on.
	Recorded bool
}

// Fence is what a run makes of a lease that it read, or false: it writes nothing. The
// target is whom the run judged to be the holder.
type Fence func(run int, target, holder Identity, duration int) (after Identity, lasts int, writes bool)

// The identities of a world. A process that is started again is another candidate.
const (
	First   Identity = iota + 1 // leads in the beginning
	Second                      // waits
	FirstB                      // the first, started again
	SecondB                     // the second, started again
	Foreign                     // no process, and no fence
	Fences                      // the fence of run 0; that of run 1 is the next
)

// World is who is there, and what may happen.
type World struct {
	Timings [2]timing
	Fence   Fence // nil: nobody fences
	// Clear takes a fence away, and Proven says when: by whether whom it fenced has ended,
	// and how many seconds ago it was made. nil: nobody does.
	Clear   Fence
	Proven  func(gone bool, age int) bool
	Runs    int  // of them
	Renews  bool // nobody is cut off: a leader that still has the lease renews it at once
	Slow    bool // the reply to a write may take long
	Freezes bool // a candidate may stand still and go on
	Dies    bool // a candidate may die at any time, and be started again
	Writes  bool // somebody else may write a holder over what is there
	Empties bool // somebody else may empty it
}

// Of are the timings of the one who leads and of the one who waits.
func Of(first, second Timing) [2]timing {
	of := func(t Timing) timing {
		return timing{int8(t.Duration), int8(t.Deadline), int8(t.Retry), t.Recorded}
	}
	return [2]timing{of(first), of(second)}
}

// begin is a first candidate that leads, and a second that waits.
func (w World) begin() State {
	s := State{lease: lease{First, w.Timings[0].duration}}
	s.all[0] = candidate{id: First, mode: leading, saw: First, counts: w.Timings[0].duration, current: true, asleep: true, left: w.Timings[0].retry}
	s.all[1] = candidate{id: Second, saw: First, counts: w.Timings[1].duration, current: true}
	if w.Timings[1].recorded {
		s.all[1].counts = w.Timings[0].duration
	}
	return s
}

// next are all states that may follow.
func (w World) next(s State, found []State) []State {
	add := func(change func(*State)) {
		c := s
		change(&c)
		found = append(found, c)
	}
	if (w.Slow || !s.unheard()) && (!w.Renews || !s.unrenewed()) {
		add(func(c *State) { c.second(w) })
	}
	for i := range s.all {
		found = w.steps(s, i, found)
	}
	for i := range w.Runs {
		found = w.fences(s, i, found)
	}
	if w.Writes && !s.foreign {
		add(func(c *State) { c.written(lease{Foreign, c.lease.duration}); c.foreign = true })
	}
	if w.Empties && !s.foreign {
		add(func(c *State) { c.written(lease{Nobody, c.lease.duration}); c.foreign = true })
	}
	return found
}

// steps are those of one candidate.
func (w World) steps(s State, i int, found []State) []State {
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
	add(acts && trying && c.request == none, func(n *State, c *candidate) { c.reads(n.lease, t) })
	add(c.request == sent, func(n *State, _ *candidate) { n.lands(i, t) })
	add(acts && c.request > sent, func(_ *State, c *candidate) { c.hears(t) })
	add(!c.frozen && c.request > none, func(_ *State, c *candidate) { c.request = none }) // it, or its reply, is lost
	add(w.Freezes && acts, func(_ *State, c *candidate) { c.frozen = true })
	add(w.Freezes && c.frozen, func(_ *State, c *candidate) { c.thaw(t) })
	add(w.Dies && c.mode != ended, func(_ *State, c *candidate) { c.end() })
	add(w.Dies && c.mode == ended && c.request == none && s.restarts < 1, func(n *State, c *candidate) {
		n.restarts++
		*c = candidate{id: c.id + FirstB - First}
	})
	return found
}

// thaw lets a process go on that stood still.
func (c *candidate) thaw(t timing) {
	c.frozen = false
	if c.mode != leading || c.left > 0 {
		return
	}
	if c.asleep {
		c.asleep, c.left = false, t.deadline
		return
	}
	if c.request != landed && c.request != passed { // a reply that has come may be read first
		c.end()
	}
}

// fences are the steps of one run. It judges that a candidate holds the lease, which is
// never so of a fence.
func (w World) fences(s State, i int, found []State) []State {
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
	case r.target == Nobody:
		if h := s.lease.holder; h == First || h == FirstB {
			add(func(n *State, r *tool) { r.target = h })
		}
	case r.fenced && !w.Proven(s.gone(r.target), int(r.age)):
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
				n.written(lease{after, int8(lasts)})
			}
		})
	}
	return found
}
