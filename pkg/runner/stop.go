package runner

import "sync"

// stopper turns the first interrupt, which is a value or a closed channel, into a closed channel
// for many readers.
type stopper struct {
	in   <-chan struct{}
	ch   chan struct{}
	once sync.Once
	tell func()
}

func newStopper(in <-chan struct{}, tell func()) *stopper {
	return &stopper{in: in, ch: make(chan struct{}), tell: tell}
}

// watch waits for the interrupt until done is closed.
func (s *stopper) watch(done <-chan struct{}) {
	select {
	case <-s.in:
		s.fire()
	case <-done:
	}
}

func (s *stopper) fire() {
	s.once.Do(func() {
		close(s.ch)
		s.tell()
	})
}

// requested reports whether a clean stop was requested. It does not depend on watch having
// noticed it.
func (s *stopper) requested() bool {
	select {
	case <-s.ch:
		return true
	default:
	}
	select {
	case <-s.in:
		s.fire()
		return true
	default:
		return false
	}
}
