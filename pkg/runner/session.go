package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// session is the state that all steps of a run share: its copy of the journal and its right to
// write.
type session struct {
	o Options

	mu       sync.Mutex
	state    journal.State
	commits  int
	unsure   bool // a commit failed and may have landed
	writable bool // this run holds the lock
}

func (s *session) now() string { return s.o.Clock.Now().UTC().Format(time.RFC3339) }

// load reads the journal again.
func (s *session) load(ctx context.Context) error {
	if s.o.Journal == nil {
		return nil
	}
	st, err := s.o.Journal.Load(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.unsure = st, false
	return nil
}

func (s *session) record() journal.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Record()
}

// journal returns a copy of the whole journal as this run knows it.
func (s *session) journal() journal.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Clone()
}

// change applies f to the journal and commits it. In a run that only reads, the change stays in
// memory.
func (s *session) change(ctx context.Context, f func(*journal.State)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.writable {
		next := s.state.Clone()
		f(&next)
		s.state = next
		return nil
	}
	if err := s.resolveUnsure(ctx); err != nil {
		return err
	}
	next := s.state.Clone()
	f(&next)
	s.commits++
	next.Commit = fmt.Sprintf("%s/%d", s.o.RunID, s.commits)
	if err := s.o.Journal.Commit(ctx, &next); err != nil {
		s.unsure = true
		return err
	}
	s.state = next
	return nil
}

// resolveUnsure finds out whether a failed commit landed. The caller holds s.mu.
func (s *session) resolveUnsure(ctx context.Context) error {
	if !s.unsure {
		return nil
	}
	now, err := s.o.Journal.Load(ctx)
	if err != nil {
		return err
	}
	if now.Version != s.state.Version && !strings.HasPrefix(now.Commit, s.o.RunID+"/") {
		return journal.Moved("journal", now, nil)
	}
	s.state, s.unsure = now, false
	return nil
}

// note stores one fact, unless the journal already holds an equal one.
func (s *session) note(ctx context.Context, key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("note %q: %w", key, err)
	}
	if old, ok := s.record().Notes[key]; ok && journal.SameJSON(old, raw) {
		return nil
	}
	return s.change(ctx, func(st *journal.State) {
		if st.Notes == nil {
			st.Notes = map[string]json.RawMessage{}
		}
		st.Notes[key] = raw
	})
}

// prove returns an error if this run may not write now.
func (s *session) prove(ctx context.Context) error {
	if !s.writable {
		return &fault.Error{Reason: "WriteWithoutLock", Seen: "a step tried to write in a run that only looks"}
	}
	return s.o.Lock.Prove(ctx)
}

// lockLost returns, without a request, the reason why this run may not use its observations, or nil.
// Without the lock they may show another run's work.
func (s *session) lockLost() error {
	if !s.writable {
		return nil
	}
	return s.o.Lock.Lost()
}

// begin adds the run to the history. It marks an unfinished earlier run as dead, because this run
// holds the lock.
func (s *session) begin(ctx context.Context, basis Basis, announce func(*journal.State)) error {
	return s.change(ctx, func(st *journal.State) {
		announce(st)
		st.Epoch, st.Goal = basis.Epoch, basis.Goal
		markDead(st)
		st.Runs = append(st.Runs, journal.Run{ID: s.o.RunID, Command: s.o.Command, Who: s.o.Who, Start: s.now(), Epoch: st.Epoch, Attempt: s.o.Attempt})
	})
}

// markDead marks unfinished runs as dead. The caller holds the lock.
func markDead(st *journal.State) {
	for i := range st.Runs {
		if st.Runs[i].Outcome == "" {
			st.Runs[i].Outcome = "died"
		}
	}
}

// runEnd describes how a run ended, besides its error.
type runEnd struct {
	step     journal.StepID   // where it stopped, or empty
	verified []journal.StepID // steps seen completed
	reached  bool             // the goal was reached
	guarded  bool             // it only watched, without a goal
	announce func(*journal.State)
}

// end closes the run in the history. If the goal is reached, the epoch ends.
func (s *session) end(ctx context.Context, by runEnd, err error) error {
	return s.change(ctx, func(st *journal.State) {
		by.announce(st)
		for i := range st.Runs {
			if st.Runs[i].ID != s.o.RunID || st.Runs[i].End != "" {
				continue
			}
			run := &st.Runs[i]
			run.End, run.Outcome, run.Verified = s.now(), "done", by.verified
			if err == nil && by.guarded {
				run.Outcome = "guarded"
				continue
			}
			if err == nil {
				st.Pause = nil
				if by.reached {
					st.Epoch, st.Goal = st.Epoch+1, ""
				}
				continue
			}
			run.Outcome, run.Step = "stopped", by.step
			if isStop(err) {
				run.Outcome = "interrupted"
			}
			if e, ok := fault.As(err); ok {
				run.Reason = e.Reason
			}
		}
	})
}
