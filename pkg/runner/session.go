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

// session is what all steps of a run share: the journal as this run knows it,
// and the right to write.
type session struct {
	o Options

	mu       sync.Mutex
	state    journal.State
	commits  int
	unsure   bool // a commit failed and may have landed all the same
	writable bool // the lock is ours
}

func (s *session) now() string { return s.o.Clock.Now().UTC().Format(time.RFC3339) }

// load reads the journal anew.
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

// journal is a copy of the whole journal as this run knows it.
func (s *session) journal() journal.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Clone()
}

// change commits the journal with one change. In a run that only looks the
// change is kept for this run and not written.
func (s *session) change(ctx context.Context, f func(*journal.State)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.writable {
		next := s.state.Clone()
		f(&next)
		s.state = next
		return nil
	}
	if err := s.reassure(ctx); err != nil {
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

// reassure finds out whether a commit that failed landed after all. s.mu is held.
func (s *session) reassure(ctx context.Context) error {
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

// note keeps one fact, and writes only what differs from what is there.
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

// prove makes sure that this run may write right now.
func (s *session) prove(ctx context.Context) error {
	if !s.writable {
		return &fault.Error{Reason: "WriteWithoutLock", Seen: "a step tried to write in a run that only looks"}
	}
	return s.o.Lock.Prove(ctx)
}

// held says, without a request, why this run may not speak of the cluster as its
// own any more: what it sees may be another run's work. nil while it may.
func (s *session) held() error {
	if !s.writable {
		return nil
	}
	return s.o.Lock.Lost()
}

// begin opens the run in the history. A run that was left open died: the lock
// is ours now.
func (s *session) begin(ctx context.Context, basis Basis) error {
	return s.change(ctx, func(st *journal.State) {
		st.Epoch, st.Goal = basis.Epoch, basis.Goal
		died(st)
		st.Runs = append(st.Runs, journal.Run{ID: s.o.RunID, Command: s.o.Command, Who: s.o.Who, Start: s.now(), Epoch: st.Epoch, Attempt: s.o.Attempt})
	})
}

// died says of a run that was left open what became of it: the lock is ours now.
func died(st *journal.State) {
	for i := range st.Runs {
		if st.Runs[i].Outcome == "" {
			st.Runs[i].Outcome = "died"
		}
	}
}

// ending is what a run came to besides its error.
type ending struct {
	step     journal.StepID   // where it stopped; "": at no step
	verified []journal.StepID // seen to their end
	reached  bool             // the goal
	guarded  bool             // it watched, and was after no goal
}

// end closes the run in the history. With the goal reached an epoch ends.
func (s *session) end(ctx context.Context, by ending, err error) error {
	return s.change(ctx, func(st *journal.State) {
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
				st.Brake = nil
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
