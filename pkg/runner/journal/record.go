package journal

import (
	"bytes"
	"encoding/json"
)

// Record is the journal as a procedure may read it: what was intended, what
// would undo it, and the fingerprint. It holds no verdict about the cluster.
type Record struct {
	// Intents are all committed intents, oldest first.
	Intents []Intent `json:"intents,omitempty"`
	// Notes are small facts of a procedure that no cluster shows, by key
	// (e.g. "fingerprint", "user-cordons").
	Notes map[string]json.RawMessage `json:"notes,omitempty"`
	// LeftOpen says that no run has seen the step of the last intent to its end: the
	// run that announced it still works, died, or was stopped in that step.
	LeftOpen bool `json:"-"`
	// AskedBrake is the run whose brake somebody asked for who watched it, and behind which
	// no run has come to its end; "": there is none, or it was pulled for what was seen.
	AskedBrake string `json:"-"`
	// Unread is why the journal could not be read, so that the rest of the record
	// says nothing; nil: it was. Only commands that look go on without it.
	Unread error `json:"-"`
	// Object names the object that holds the journal, or is empty.
	Object string `json:"-"`
}

// Intent is committed before the first side effect it announces.
type Intent struct {
	Step    StepID          `json:"step"`
	What    string          `json:"what"`              // for people: "patch Cluster fleet-default/demo"
	Object  string          `json:"object"`            // the same object naming as in Change
	Inverse json.RawMessage `json:"inverse,omitempty"` // what undoes it, never whole values, never a secret
	Token   string          `json:"token,omitempty"`   // what recognises the effect, e.g. a generation or a hash
	Time    string          `json:"time"`              // RFC 3339, set by the engine
	Run     string          `json:"run"`               // id of the run, set by the engine
	Epoch   int             `json:"epoch,omitempty"`   // set by the engine
}

// NoteInto decodes the fact under key into v; false if there is none.
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

// SameJSON says whether a and b differ in nothing but blanks.
func SameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
