package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Schema of the journal that this version reads and writes. A field that is
// added or changes its meaning makes a new one: decoding is strict, so that an
// older awsmigrate never writes back a journal of which it lost a part.
const Schema = "awsmigrate.io/journal/v1"

// Journal keeps what no cluster can tell between runs.
type Journal interface {
	// Load reads the journal; the zero State if there is none yet.
	// A journal of another cluster, of a newer schema or in a bad state is
	// refused with a *fault.Error that names the object.
	Load(ctx context.Context) (State, error)
	// Commit writes st if nobody wrote since st.Version, and advances
	// st.Version. It returns nil only once the write is known to have landed;
	// after an ambiguous error it looks whether st.Commit is what is stored.
	// A journal that somebody else wrote meanwhile is a fault of class Stale.
	Commit(ctx context.Context, st *State) error
}

// State is the whole content of a journal. Nothing in it is a verdict
// that the cluster can give, and nothing in it may be a secret.
type State struct {
	Schema string `json:"schema"`
	// Commit is unique for every commit, so that one whose answer was lost can
	// be recognised: "<run id>/<n>".
	Commit    string                     `json:"commit"`
	Target    Target                     `json:"target"`
	Runs      []Run                      `json:"runs,omitempty"` // oldest first
	Approvals []Approval                 `json:"approvals,omitempty"`
	Brake     *Brake                     `json:"brake,omitempty"` // pulled, and no run has finished since
	Intents   []Intent                   `json:"intents,omitempty"`
	Notes     map[string]json.RawMessage `json:"notes,omitempty"`
	// Epoch is how often a goal was reached or turned round; an approval serves one epoch.
	Epoch int `json:"epoch,omitempty"`
	// Goal is what the last run that wrote was after, until it is reached.
	Goal string `json:"goal,omitempty"`

	// Counted is the epoch as the cluster itself keeps it. It is not part of the content.
	Counted int `json:"-"`
	// Version is the precondition of the next commit: empty for a journal that
	// is not there yet. It is not part of the content.
	Version string `json:"-"`
}

// Run is one run in the history.
type Run struct {
	ID      string `json:"id"`
	Command string `json:"command,omitempty"`
	Who     string `json:"who,omitempty"`
	Start   string `json:"start"`             // RFC 3339
	End     string `json:"end,omitempty"`     // RFC 3339; empty while it runs, or if it died
	Outcome string `json:"outcome,omitempty"` // "done", "stopped", "interrupted", "died", "guarded"
	Step    StepID `json:"step,omitempty"`    // where it stopped
	Reason  string `json:"reason,omitempty"`  // why, as the stable word of a fault
	// Epoch is the one it ran in, and Verified are the steps that it saw to their end.
	Epoch    int      `json:"epoch,omitempty"`
	Verified []StepID `json:"verified,omitempty"`
	// Guard: it watched what another had begun, and was after no goal.
	Guard bool `json:"guard,omitempty"`
	// Attempt names what asked for it; "": a person's own command.
	Attempt string `json:"attempt,omitempty"`
}

// Approval is a person's yes.
type Approval struct {
	Run  string `json:"run"`
	Who  string `json:"who,omitempty"`
	Time string `json:"time"`           // RFC 3339
	Step StepID `json:"step,omitempty"` // the step without way back; empty: the plan
	Plan string `json:"plan,omitempty"` // the hash of the plan that was approved
}

// Brake says that the outside world was kept from going on.
type Brake struct {
	Run  string `json:"run"`
	Step StepID `json:"step"`
	Time string `json:"time"`           // RFC 3339
	Done string `json:"done,omitempty"` // what was done; empty if it did not succeed
}

// Record is the part of the journal that a procedure may read, as a copy.
func (s State) Record() Record {
	c := s.Clone()
	return Record{Intents: c.Intents, Notes: c.Notes, LeftOpen: s.leftOpen(), AskedBrake: s.askedBrake(), Object: s.Target.object()}
}

// brakeAsked is the reason by which the engine ends a run whose brake somebody asked for.
const brakeAsked = "BrakeAsked"

// askedBrake is Record.AskedBrake. A run that died behind its brake has no reason: then
// it may have been pulled for what was seen.
func (s State) askedBrake() string {
	if s.Brake == nil || !slices.ContainsFunc(s.Runs, func(r Run) bool { return r.ID == s.Brake.Run && r.Reason == brakeAsked }) {
		return ""
	}
	return s.Brake.Run
}

// EpochOf is the epoch in which a run for a goal acts: how often a goal was reached or
// turned round, by whoever counted more. One for another goal than the last, which was not
// reached, turns it round; so has somebody who put back what was done for it.
func (s State) EpochOf(goal string, putBack bool) int {
	epoch := max(s.Epoch, s.Counted)
	if s.Goal != "" && s.Goal != goal || putBack {
		epoch++
	}
	return epoch
}

// Restored says that the journal counts less than the cluster: it comes from a backup, or
// was deleted.
func (s State) Restored() bool { return s.Epoch < s.Counted }

// Verified says of a step of the current epoch whether a run saw it to its end: by the
// history, or because a step that comes after it in order was begun.
func (s State) Verified(step StepID, order []StepID) bool {
	later := order[slices.Index(order, step)+1:]
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return r.Epoch == s.Epoch && slices.Contains(r.Verified, step) }) ||
		slices.ContainsFunc(s.Intents, func(in Intent) bool { return in.Epoch == s.Epoch && slices.Contains(later, in.Step) })
}

// leftOpen says whether no run has seen the step of the last intent to its end.
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
		return false // it stopped later
	}
	return !slices.ContainsFunc(s.Runs[from:], func(r Run) bool { return r.Outcome == "done" || slices.Contains(r.Verified, last.Step) })
}

// Clone copies everything that a commit may change in place.
func (s State) Clone() State {
	s.Runs = slices.Clone(s.Runs)
	s.Approvals = slices.Clone(s.Approvals)
	s.Intents = slices.Clone(s.Intents)
	s.Notes = maps.Clone(s.Notes)
	if s.Brake != nil {
		b := *s.Brake
		s.Brake = &b
	}
	return s
}

// Moment is a time of a journal; zero: there is none, or it is none.
func Moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Name is the name of the ConfigMap for a cluster, and of the Lease.
func Name(cluster string) string { return fmt.Sprintf("awsmigrate-%s", cluster) }
