package election

// lease is the lease on the API server.
type lease struct {
	holder   Identity
	duration int8
}

// tool is a run that fences a holder: it judges, reads the lease, and writes it if the holder is
// still the judged one. A run that clears its fence reads and writes once more.
type tool struct {
	target Identity // the judged holder; Unheld until the run has judged
	read   lease
	holds  request
	fenced bool // the fence was written and must be cleared
	age    int8 // seconds since the fence was written, up to maxAge
	done   bool
}

// maxAge is the age from which a fence no longer changes.
const maxAge = 15

// State is the complete state at one moment. It is comparable.
type State struct {
	lease    lease
	all      [2]candidate
	tools    [2]tool
	foreign  bool // another writer has written
	restarts int8
	overlap  int8 // seconds of the current overlap
}

// write changes the lease and marks the other requests as outdated.
func (s *State) write(l lease) {
	s.lease = l
	for i := range s.all {
		c := &s.all[i]
		c.current = false
		switch c.request {
		case sent:
			c.request = late
		case landed:
			c.request = passed
		case none, late, passed: // unaffected by a further write
		}
	}
	for i := range s.tools {
		if s.tools[i].holds == sent {
			s.tools[i].holds = late
		}
	}
}

// land applies a candidate's write at the API server.
func (s *State) land(i int, t timing) {
	s.write(lease{s.all[i].id, t.duration})
	s.all[i].request = landed
	if s.all[i].mode == ended {
		s.all[i].request = none
	}
}

// tick lets one second pass for all processes.
func (s *State) tick(w World) {
	running := 0
	for i := range s.all {
		s.all[i].tick(w.Timings[i])
		if s.all[i].runs() {
			running++
		}
	}
	for i := range s.tools {
		if r := &s.tools[i]; r.fenced {
			r.age = min(r.age+1, maxAge)
		}
	}
	s.overlap++
	if running < len(s.all) {
		s.overlap = 0
	}
}

// isGone reports whether the process of an identity has ended.
func (s *State) isGone(id Identity) bool {
	for _, c := range s.all {
		if c.id == id && c.mode != ended {
			return false
		}
	}
	return true
}

// hasUnreadReply reports whether a running candidate has a reply to read.
func (s *State) hasUnreadReply() bool {
	for _, c := range s.all {
		if !c.frozen && c.mode != ended && (c.request == landed || c.request == passed) {
			return true
		}
	}
	return false
}

// hasUnrenewed reports whether a running leader has yet to renew a lease that it still holds.
func (s *State) hasUnrenewed() bool {
	for _, c := range s.all {
		if c.runs() && !c.asleep && c.left > 0 && s.lease.holder == c.id {
			return true
		}
	}
	return false
}
