package runner

import "time"

// emit sends an event. Events arrive in order, and none after RunFinished.
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

func (r *run[S]) emitStarted() {
	e := Event{Time: r.begun, Type: RunStarted, Position: r.obs.Position, Message: r.o.RunID}
	for _, info := range r.steps {
		e.Steps = append(e.Steps, info.ID)
	}
	r.emit(e)
}

// elapsed returns the time of the run without that of a question.
func (r *run[S]) elapsed() time.Duration { return r.o.Clock.Since(r.begun) - r.asked }

func (r *run[S]) emitInterrupting() {
	r.emit(Event{Type: Interrupting, Message: "finishing the current change, then releasing the lock"})
}

func (r *run[S]) emitPausing() {
	r.emit(Event{Type: Interrupting, Message: "pausing the rollout, then releasing the lock"})
}

func (r *run[S]) emitHungUp() {
	r.emit(Event{Type: HungUp, Message: "terminal disconnected: the current step is watched to its end, and no further step begins"})
}

// emitOuterWait shows a wait of the journal, the lock or a retried write, which has no step's verdict.
func (r *run[S]) emitOuterWait(waitingFor, seen string, until time.Time) {
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

// noteFailedRead records the time of a failed read.
func (r *run[S]) noteFailedRead(at time.Time) {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	r.unread = at
}

// shownWait holds the wait that the views showed last.
type shownWait struct {
	what  string // WaitingFor of the verdict
	seen  string
	since time.Time // start of this wait
	at    time.Time // last time it was shown
	once  bool      // it has been shown once since it changed
}

// due reports whether w must be shown: it changed, it was last shown 30 s ago, or it is unchanged
// 5 s after it was first shown. The last case serves views that drop lines in quick succession;
// they must not miss the current state.
func (s *shownWait) due(w *Wait, now time.Time) bool {
	same := s.what == w.For && s.seen == w.Seen
	if quiet := now.Sub(s.at); same && quiet < repeatInterval && (!s.once || quiet < firstRepeatInterval) {
		return false
	}
	s.once = !same
	if s.what != w.For {
		s.since = now
	}
	s.what, s.seen, s.at = w.For, w.Seen, now
	return true
}
