package runner

import "time"

// emit sends an event, in order and never after RunFinished.
func (r *run[S]) emit(e Event) {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	if r.ended {
		return
	}
	r.ended = e.Type == RunFinished
	if e.Time.IsZero() {
		e.Time = r.o.Clock.Now()
	}
	e.Seconds = e.Elapsed.Seconds()
	r.o.Sink.Emit(e)
}

func (r *run[S]) started() {
	e := Event{Time: r.begun, Type: RunStarted, Position: r.seen.Position, Message: r.o.RunID}
	for _, info := range r.steps {
		e.Steps = append(e.Steps, info.ID)
	}
	r.emit(e)
}

func (r *run[S]) elapsed() time.Duration { return r.o.Clock.Since(r.begun) }

func (r *run[S]) interrupting() {
	r.emit(Event{Type: Interrupting, Message: "finishing the change under way, then giving back the lock"})
}

func (r *run[S]) pulling() {
	r.emit(Event{Type: Interrupting, Message: "pulling the brake, then giving back the lock"})
}

func (r *run[S]) hangingUp() {
	r.emit(Event{Type: HungUp, Message: "nobody watches any more: what was begun is watched to its end, and no further step begins"})
}

// outside shows a wait of the journal, the lock or a retried write, which have
// no step's verdict to show.
func (r *run[S]) outside(waitingFor, seen string, until time.Time) {
	now := r.o.Clock.Now()
	wait := &Wait{For: waitingFor, Seen: seen, Until: until}
	r.emitting.Lock()
	due := r.outer.due(wait, now)
	r.unread = now
	wait.Since, wait.LastProgress = r.outer.since, r.outer.since
	r.emitting.Unlock()
	if due || r.o.EveryReading {
		r.emit(Event{Type: StepWaiting, Waiting: wait, Elapsed: now.Sub(wait.Since)})
	}
}

// couldNotRead notes that an API gave no answer.
func (r *run[S]) couldNotRead(at time.Time) {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	r.unread = at
}

// shownWait is what the views last saw of a wait.
type shownWait struct {
	what  string // waited for
	seen  string
	since time.Time // it is waited for
	at    time.Time // it was last shown
	once  bool      // it was shown once since it changed
}

// due says whether w is to be shown: it changed, was not shown for 30 s, or stayed for
// 5 s as it was when it was shown first. The last is for views that leave out lines
// which follow one another closely: what is seen now must not be among them.
func (s *shownWait) due(w *Wait, now time.Time) bool {
	same := s.what == w.For && s.seen == w.Seen
	if quiet := now.Sub(s.at); same && quiet < speakUp && (!s.once || quiet < stays) {
		return false
	}
	s.once = !same
	if s.what != w.For {
		s.since = now
	}
	s.what, s.seen, s.at = w.For, w.Seen, now
	return true
}
