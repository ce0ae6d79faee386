package watch

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// refused says whether an API server forbids what was asked: it will until somebody grants
// it. Credentials that expired are no such case, as others may take their place.
func refused(err error) bool { return apierrors.IsForbidden(err) }

// told tells once what is forbidden.
func (s *session) told(what string) {
	s.mu.Lock()
	before := s.refused[what]
	s.refused[what] = true
	s.mu.Unlock()
	if !before && s.recorder.Refused != nil {
		s.recorder.Refused(what)
	}
}

// refusals are how often something is asked for again and again that may be forbidden:
// with each answer that says so half as often, down to once in LongestRefused.
type refusals struct {
	pause time.Duration
	until time.Time
}

// over says whether it is time to ask.
func (r *refusals) over(now time.Time) bool { return !now.Before(r.until) }

// heard takes an answer in, for what is asked for every so often.
func (r *refusals) heard(err error, now time.Time, every time.Duration) {
	if !refused(err) {
		*r = refusals{}
		return
	}
	r.pause = min(max(2*r.pause, 2*every), LongestRefused)
	r.until = now.Add(r.pause)
}
