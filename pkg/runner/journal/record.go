package journal

import (
	"bytes"
	"encoding/json"
)

// Record is the part of the journal that a procedure may read: intents, inverses and notes. It
// holds nothing that can be read from the cluster.
type Record struct {
	// Intents lists all committed intents, oldest first.
	Intents []Intent `json:"intents,omitempty"`
	// Notes holds small facts of a procedure that the cluster does not show, by key (e.g.
	// "fingerprint", "user-cordons").
	Notes map[string]json.RawMessage `json:"notes,omitempty"`
	// LeftOpen reports whether the step of the last intent was never seen completed. Its run
	// still works, died, or was stopped in that step.
	LeftOpen bool `json:"-"`
	// RequestedPause is the run that paused the rollout on a person's request. It is empty if the run
	// paused for another reason, or if a later run has finished.
	RequestedPause string `json:"-"`
	// Unread is the error that prevented reading the journal, or nil. If it is set, the record is
	// empty; only commands that do not write continue.
	Unread error `json:"-"`
	// Object names the object that holds the journal, or is empty.
	Object string `json:"-"`
}

// Intent announces a side effect. It is committed before the effect.
type Intent struct {
	Step    StepID          `json:"step"`
	What    string          `json:"what"`              // for people: "patch Cluster fleet-default/demo"
	Object  string          `json:"object"`            // named as in Change
	Whole   bool            `json:"whole,omitempty"`   // covers all changes of the step, as a Helm release does
	Inverse json.RawMessage `json:"inverse,omitempty"` // undoes the effect; never whole values, never a secret
	Token   string          `json:"token,omitempty"`   // identifies the effect, e.g. a generation or a hash
	Time    string          `json:"time"`              // RFC 3339, set by the engine
	Run     string          `json:"run"`               // id of the run, set by the engine
	Epoch   int             `json:"epoch,omitempty"`   // set by the engine
}

// NoteInto decodes the note under key into v. It returns false if there is no such note.
func (r Record) NoteInto(key string, v any) (bool, error) {
	raw, ok := r.Notes[key]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, r.BrokenNote(key, err)
	}
	return true, nil
}

// SameJSON reports whether a and b differ only in whitespace.
func SameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
