package watch

import apierrors "k8s.io/apimachinery/pkg/api/errors"

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
