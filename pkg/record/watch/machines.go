package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// machinesInterval is the time between two requests for the machines: a machine exists minutes
// before a controller manager on it leads.
const machinesInterval = 30 * time.Second

// machines requests the machines periodically, and records changes.
func (s *session) machines(ctx context.Context) {
	ticker := s.recorder.Clock.NewTicker(machinesInterval)
	defer ticker.Stop()
	known, said := map[string]record.Machine{}, false
	for {
		if err := s.learn(ctx, known); err != nil && ctx.Err() == nil && !said && s.recorder.Say != nil {
			s.recorder.Say(fmt.Sprintf("machines are not seen: %s; of a process whose host is named unlike its Node no end may be shown", short(err)))
			said = true
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
	}
}

// learn records new and changed machines.
func (s *session) learn(ctx context.Context, known map[string]record.Machine) error {
	ctx, cancel := context.WithTimeout(ctx, s.recorder.Timeout)
	defer cancel()
	all, err := s.recorder.Machines(ctx)
	if err != nil {
		return err
	}
	var changed []record.Entry
	for _, m := range all {
		if before, there := known[m.Name]; !there || before != m {
			known[m.Name] = m
			changed = append(changed, record.Entry{Machine: &m})
		}
	}
	s.put(changed...)
	return nil
}
