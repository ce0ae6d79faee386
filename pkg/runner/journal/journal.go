package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Schema is the schema of the journal that this version reads and writes. A field that is added
// or changes its meaning needs a new schema. Decoding is strict, so that an older awsmigrate
// never writes back a journal after losing a part of it.
const Schema = "awsmigrate.io/journal/v1"

// Journal stores what the cluster cannot show between runs.
type Journal interface {
	// Load reads the journal and returns the zero State if it does not exist yet. It returns a
	// *fault.Error that names the object if the journal is damaged, or belongs to another cluster
	// or a newer schema.
	Load(ctx context.Context) (State, error)
	// Commit writes st if the journal is still at st.Version, and updates st.Version. It returns
	// nil only if the write is known to have landed; after an ambiguous error it compares
	// st.Commit with the stored one. It returns a fault of class Stale if another writer changed
	// the journal meanwhile.
	Commit(ctx context.Context, st *State) error
}

// State is the whole content of a journal. It holds no secret and nothing that can be read from
// the cluster.
type State struct {
	Schema string `json:"schema"`
	// Commit is unique for every commit, so that a commit whose response was lost can be
	// recognised: "<run id>/<n>".
	Commit    string                     `json:"commit"`
	Target    Target                     `json:"target"`
	Runs      []Run                      `json:"runs,omitempty"` // oldest first
	Approvals []Approval                 `json:"approvals,omitempty"`
	Pause     *Pause                     `json:"brake,omitempty"` // the rollout is paused, and no run has finished since
	Intents   []Intent                   `json:"intents,omitempty"`
	Notes     map[string]json.RawMessage `json:"notes,omitempty"`
	// Epoch counts how often a goal was reached or reversed; an approval is valid for one epoch.
	Epoch int `json:"epoch,omitempty"`
	// Goal is the goal of the last run that wrote, or empty once it is reached.
	Goal string `json:"goal,omitempty"`

	// Counted is the epoch that the cluster itself stores. It is not part of the content.
	Counted int `json:"-"`
	// Version is the precondition of the next commit, or empty if the journal does not exist yet.
	// It is not part of the content.
	Version string `json:"-"`
}

// Run describes one run in the history.
type Run struct {
	ID      string `json:"id"`
	Command string `json:"command,omitempty"`
	Who     string `json:"who,omitempty"`
	Start   string `json:"start"`             // RFC 3339
	End     string `json:"end,omitempty"`     // RFC 3339; empty while it runs, or if it died
	Outcome string `json:"outcome,omitempty"` // "done", "stopped", "interrupted", "died", "guarded"
	Step    StepID `json:"step,omitempty"`    // where it stopped
	Reason  string `json:"reason,omitempty"`  // the Reason of the fault that ended it
	// Epoch is the epoch of the run; Verified lists the steps that it saw completed.
	Epoch    int      `json:"epoch,omitempty"`
	Verified []StepID `json:"verified,omitempty"`
	// Guard reports whether the run only watched what another run had started, without a goal.
	Guard bool `json:"guard,omitempty"`
	// Attempt identifies the automatic request for the run, or is empty if a person typed the
	// command.
	Attempt string `json:"attempt,omitempty"`
}

// Approval records that a person approved something.
type Approval struct {
	Run  string `json:"run"`
	Who  string `json:"who,omitempty"`
	Time string `json:"time"`           // RFC 3339
	Step StepID `json:"step,omitempty"` // the irreversible step; empty if the plan was approved
	Plan string `json:"plan,omitempty"` // the hash of the plan that was approved
}

// Pause records that a run paused the rollout.
type Pause struct {
	Run  string `json:"run"`
	Step StepID `json:"step"`
	Time string `json:"time"`           // RFC 3339
	Done string `json:"done,omitempty"` // the action; empty if the pause failed
}

// Record returns a copy of the part of the journal that a procedure may read.
func (s State) Record() Record {
	c := s.Clone()
	return Record{Intents: c.Intents, Notes: c.Notes, LeftOpen: s.leftOpen(), RequestedPause: s.requestedPause(), Object: s.Target.object()}
}

// pauseRequested is the reason of a run that ended because a person asked it to pause the rollout.
const pauseRequested = "BrakeAsked"

// requestedPause returns Record.RequestedPause. If the run died after the pause it has no reason: the run
// may have paused because of what it saw.
func (s State) requestedPause() string {
	if s.Pause == nil || !slices.ContainsFunc(s.Runs, func(r Run) bool { return r.ID == s.Pause.Run && r.Reason == pauseRequested }) {
		return ""
	}
	return s.Pause.Run
}

// EpochOf returns the epoch in which a run towards goal acts, from the larger of the two counts.
// The epoch grows by one if the run reverses an unfinished goal, or if putBack reports that
// finished work was reverted.
func (s State) EpochOf(goal string, putBack bool) int {
	epoch := max(s.Epoch, s.Counted)
	if s.Goal != "" && s.Goal != goal || putBack {
		epoch++
	}
	return epoch
}

// Restored reports whether the journal counts less than the cluster: it was deleted, or restored
// from a backup.
func (s State) Restored() bool { return s.Epoch < s.Counted }

// Verified reports whether a run saw a step of the current epoch completed. It did if the history
// says so, or if a later step in order was announced.
func (s State) Verified(step StepID, order []StepID) bool {
	later := order[slices.Index(order, step)+1:]
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return r.Epoch == s.Epoch && slices.Contains(r.Verified, step) }) ||
		slices.ContainsFunc(s.Intents, func(in Intent) bool { return in.Epoch == s.Epoch && slices.Contains(later, in.Step) })
}

// leftOpen reports whether the step of the last intent was never seen completed.
func (s State) leftOpen() bool {
	if len(s.Intents) == 0 {
		return false
	}
	last := s.Intents[len(s.Intents)-1]
	from := slices.IndexFunc(s.Runs, func(r Run) bool { return r.ID == last.Run })
	if from < 0 {
		return true
	}
	if by := s.Runs[from]; by.Step != "" && by.Step != last.Step {
		return false // the run stopped at a later step
	}
	return !slices.ContainsFunc(s.Runs[from:], func(r Run) bool { return r.Outcome == "done" || slices.Contains(r.Verified, last.Step) })
}

// Clone copies everything that a commit may change in place.
func (s State) Clone() State {
	s.Runs = slices.Clone(s.Runs)
	s.Approvals = slices.Clone(s.Approvals)
	s.Intents = slices.Clone(s.Intents)
	s.Notes = maps.Clone(s.Notes)
	if s.Pause != nil {
		b := *s.Pause
		s.Pause = &b
	}
	return s
}

// Moment parses a time of the journal. It returns the zero time if text is empty or invalid.
func Moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Name returns the name of a cluster's ConfigMap, and of its Lease.
func Name(cluster string) string { return fmt.Sprintf("awsmigrate-%s", cluster) }
