package cluster

import (
	"sync"
	"time"
)

// The phases of a lab.
const (
	PhaseBooting = "booting"
	PhaseReady   = "ready"
	PhaseReset   = "resetting"
	PhaseFailed  = "failed"
)

// state is the state that the supervisor publishes.
type state struct {
	mu      sync.Mutex
	phase   string
	detail  string
	since   time.Time
	booted  time.Duration
	started time.Time
}

func (s *state) set(phase, detail string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started.IsZero() {
		s.started = now
	}
	if phase == PhaseReady && s.booted == 0 {
		s.booted = now.Sub(s.started)
	}
	if phase != s.phase {
		s.since = now
	}
	s.phase, s.detail = phase, detail
}

// setDetail adds a detail to the current phase.
func (s *state) setDetail(detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detail = detail
}

func (s *state) get() (phase, detail string, booted time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase, s.detail, s.booted
}
