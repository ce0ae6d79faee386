package election

// lease is what everybody sees.
type lease struct {
	holder   Identity
	duration int8
}

// tool is a run that fences a holder: it judges, reads the lease, and writes it, or what it
// read is not what it judged. One that takes its fence away again reads and writes once more.
type tool struct {
	target Identity // whom it has judged to be the holder; Nobody: it has not judged yet
	read   lease
	holds  request
	fenced bool // and the fence is to be taken away
	age    int8 // seconds since then, up to oldest
	done   bool
}

// oldest is from when on the age of a fence changes nothing.
const oldest = 15

// State is everything at one moment. It is comparable.
type State struct {
	lease    lease
	all      [2]candidate
	tools    [2]tool
	foreign  bool // somebody else has written
	restarts int8
	beside   int8 // seconds for which two have run at once
}

// written is what follows from a write of the lease for everybody else.
func (s *State) written(l lease) {
	s.lease = l
	for i := range s.all {
		c := &s.all[i]
		c.current = false
		switch c.request {
		case sent:
			c.request = late
		case landed:
			c.request = passed
		case none, late, passed: // nothing more can be lost
		}
	}
	for i := range s.tools {
		if s.tools[i].holds == sent {
			s.tools[i].holds = late
		}
	}
}

// lands is the arrival of a candidate's write at the API server.
func (s *State) lands(i int, t timing) {
	s.written(lease{s.all[i].id, t.duration})
	s.all[i].request = landed
	if s.all[i].mode == ended {
		s.all[i].request = none
	}
}

// second lets one pass for everybody.
func (s *State) second(w World) {
	running := 0
	for i := range s.all {
		s.all[i].second(w.Timings[i])
		if s.all[i].runs() {
			running++
		}
	}
	for i := range s.tools {
		if r := &s.tools[i]; r.fenced {
			r.age = min(r.age+1, oldest)
		}
	}
	s.beside++
	if running < len(s.all) {
		s.beside = 0
	}
}

// gone says whether the process of an identity has ended.
func (s *State) gone(id Identity) bool {
	for _, c := range s.all {
		if c.id == id && c.mode != ended {
			return false
		}
	}
	return true
}

// unheard says whether a reply waits for somebody who would hear it.
func (s *State) unheard() bool {
	for _, c := range s.all {
		if !c.frozen && c.mode != ended && (c.request == landed || c.request == passed) {
			return true
		}
	}
	return false
}

// unrenewed says whether a leader tries to renew what it still has.
func (s *State) unrenewed() bool {
	for _, c := range s.all {
		if c.runs() && !c.asleep && c.left > 0 && s.lease.holder == c.id {
			return true
		}
	}
	return false
}
