//go:build realkubelet

package realkubelet_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

// stage is one scenario: a component, the actions on it, and the measurements.
type stage struct {
	*testing.T
	*realkubelet.Machine
	c    realkubelet.Component
	a    realkubelet.Process // the container whose end is measured
	rows *[]realkubelet.Row
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// startStatic starts the scenario's component as a static pod.
func (s *stage) startStatic() {
	s.Helper()
	s.must(s.Apply(s.c))
	s.awaitFirst()
}

// startBare starts the component as a pod of the API.
func (s *stage) startBare() {
	s.Helper()
	s.c.Program = wellknown.CCM
	s.must(s.Create(s.Context(), s.c))
	s.awaitFirst()
}

func (s *stage) awaitFirst() {
	s.Helper()
	s.Cleanup(func() { s.requireSound() })
	s.a = s.awaitNext()
	s.requireReady(s.a)
}

// edit writes the manifest with another argument.
func (s *stage) edit() {
	s.Helper()
	s.c.Provider = "external"
	s.must(s.Apply(s.c))
}

func (s *stage) awaitNext(before ...realkubelet.Process) realkubelet.Process {
	s.Helper()
	var known []string
	for _, p := range before {
		known = append(known, p.Container)
	}
	p, err := s.Next(s.Context(), s.c, known...)
	s.must(err)
	return p
}

func (s *stage) requireReady(p realkubelet.Process) {
	s.Helper()
	s.must(s.Ready(s.Context(), s.c, p.Container))
}

func (s *stage) awaitEnd(p realkubelet.Process) realkubelet.Process {
	s.Helper()
	p, err := s.Ended(s.Context(), p.Container)
	s.must(err)
	return p
}

func (s *stage) kill(p realkubelet.Process, signal syscall.Signal) {
	s.Helper()
	s.must(realkubelet.Kill(p.PID, signal))
}

func (s *stage) pass(d time.Duration) {
	s.Helper()
	select {
	case <-s.Context().Done():
		s.Fatal(s.Context().Err())
	case <-time.After(d):
	}
}

func (s *stage) story() realkubelet.Story { return s.Story(s.c) }

// clear removes the component and waits for its end, so that the end is recorded as well.
func (s *stage) clear() {
	s.Helper()
	s.must(s.Clear(s.Context(), s.c))
}

// row records the measurements since from, in seconds relative to zero.
func (s *stage) row(from, zero time.Time, format string, args ...any) {
	story := s.story()
	row := realkubelet.Row{What: fmt.Sprintf(format, args...), Shown: story.States(from, zero), Ran: story.Ran(zero)}
	*s.rows = append(*s.rows, row)
	s.Logf("%s\n  shown: %s\n  ran:   %s", row.What, row.Shown, row.Ran)
}

// requireEndShown requires that the end of a process was shown.
func (s *stage) requireEndShown(p realkubelet.Process) {
	s.Helper()
	if _, shown := s.story().EndShown(p.Container); !shown {
		s.Errorf("the end of container %s was never shown as terminated with its ID", p.Container)
	}
}

// requireEndNotShown requires that the end of a process was never shown.
func (s *stage) requireEndNotShown(p realkubelet.Process) {
	s.Helper()
	if at, shown := s.story().EndShown(p.Container); shown {
		s.Errorf("container %s was shown terminated with its ID at %s, which this scenario excludes", p.Container, at)
	}
}

// requireSound holds in every scenario. The product's rule never called a running process gone,
// and the kernel's report agrees with the processes' own beats.
func (s *stage) requireSound() {
	for _, wrong := range s.story().Unsound() {
		s.Errorf("record.Container.Ended is wrong: %s", wrong)
	}
	for _, p := range s.story().Processes {
		beats, err := realkubelet.Beats(p)
		if err != nil {
			s.Error(err)
			continue
		}
		if last := beats[len(beats)-1]; !p.Ended.IsZero() && last.After(p.Ended) {
			s.Errorf("process %d wrote that it runs %s after its end", p.PID, last.Sub(p.Ended))
		}
	}
}
