package journal

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const (
	// maxStored is what we put into one object: the API server takes 1 MiB of
	// data in a ConfigMap (k8s.io/kubernetes pkg/apis/core/validation,
	// ValidateConfigMap); the rest is for keys and for what others add.
	maxStored = 1<<20 - 16<<10
	// maxPlain is how large a journal is kept readable with kubectl.
	maxPlain      = 256 << 10
	keepRuns      = 50 // finished runs kept in the history
	keepApprovals = 50

	schemaFamily = "awsmigrate.io/journal/"
)

// readable are the limits of a journal's text. The largest honest one, with 50 runs, 1,000
// intents and the fingerprint of 5,000 Nodes, has 1.3 MB and 30,000 values. One at the
// limits takes at most 80 MB to decode, garbage included.
func readable() bounded.Limits { return bounded.Limits{Bytes: 4 << 20, Values: 1 << 16} }

// stored is a journal as it lies in an object: one of text and packed is set.
type stored struct {
	text   string
	packed []byte
	sum    string // SHA-256 of the text, hex
}

// encode compacts the history of st and turns it into what is stored. It
// refuses what would not fit and what must never be stored.
func encode(st State, object string) (stored, error) {
	st.Schema = Schema
	for _, keep := range []int{keepRuns, 5} {
		compact(&st, keep)
		text, err := json.MarshalIndent(st, "", " ")
		if err != nil {
			return stored{}, fmt.Errorf("%s: encode the journal: %w", object, err)
		}
		if err := refuseKeys(text, object); err != nil {
			return stored{}, err
		}
		if readable().CheckJSON(text) != nil {
			continue
		}
		out := stored{sum: sumOf(string(text))}
		if len(text) <= maxPlain {
			out.text = string(text)
			return out, nil
		}
		if out.packed, err = pack(text); err != nil {
			return stored{}, fmt.Errorf("%s: compress the journal: %w", object, err)
		}
		if len(out.packed) <= maxStored {
			return out, nil
		}
	}
	return stored{}, &fault.Error{
		Class: fault.Check, Reason: "JournalTooLarge", Object: object,
		Seen:   "the journal does not fit into one object, even compressed and without history",
		Wanted: fmt.Sprintf("at most %s, and %d bytes compressed", readable(), maxStored),
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// compact drops the oldest history. Intents and notes are never dropped: undo
// needs the first, the fingerprint is among the second.
func compact(st *State, keep int) {
	if n := len(st.Runs) - keep; n > 0 {
		st.Runs = st.Runs[n:]
	}
	if n := len(st.Approvals) - min(keep, keepApprovals); n > 0 {
		st.Approvals = st.Approvals[n:]
	}
}

// refuseKeys is the last fence against a secret that a step put into a note.
func refuseKeys(text []byte, object string) error {
	if bytes.Contains(text, []byte("PRIVATE KEY-----")) {
		return &fault.Error{Reason: "SecretInJournal", Object: object, Seen: "a private key was about to be written to the journal"}
	}
	return nil
}

// decode turns what is stored into a state, or says what is wrong with it.
func decode(in stored, object string) (State, error) {
	text := []byte(in.text)
	if len(in.packed) > 0 {
		var err error
		if text, err = readable().Gunzip(in.packed); err != nil {
			return State{}, unpackable(object, err)
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return State{}, broken(object, "holds no journal", nil)
	}
	if err := readable().CheckJSON(text); err != nil {
		return State{}, tooLarge(object, err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return State{}, broken(object, "the journal is truncated or no JSON", err)
	}
	if head.Schema != Schema {
		return State{}, foreignSchema(head.Schema, object)
	}
	if in.sum != sumOf(string(text)) {
		return State{}, broken(object, "the journal was changed by something other than awsmigrate", nil)
	}
	var st State
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&st); err != nil {
		return State{}, broken(object, "the journal does not follow its schema "+Schema, err)
	}
	return st, nil
}

const (
	reasonSchema = "JournalSchema"
	reasonBroken = "JournalBroken"
)

func foreignSchema(schema, object string) error {
	e := &fault.Error{
		Class: fault.Stale, Reason: reasonSchema, Object: object,
		Seen:   fmt.Sprintf("the journal has schema %q", schema),
		Wanted: Schema,
		Fix:    "go on with the version of awsmigrate that wrote it, or a newer one",
	}
	if !strings.HasPrefix(schema, schemaFamily) {
		return notAJournal(object, e.Seen)
	}
	return e
}

// notAJournal returns the error for an object that another program or person keeps under a
// journal's name. It may hold what they need.
func notAJournal(object, seen string) error {
	return &fault.Error{
		Class: fault.Usage, Reason: "NoJournal", Object: object, Seen: seen, Wanted: "a journal of awsmigrate",
		Fix: "find out who keeps this object, and move what it holds to another name",
	}
}

func unpackable(object string, err error) error {
	if bounded.Exceeded(err) {
		return tooLarge(object, err)
	}
	return broken(object, "the compressed journal cannot be unpacked", err)
}

// tooLarge returns the error for a journal that no awsmigrate wrote.
func tooLarge(object string, err error) error {
	e := broken(object, "the journal "+err.Error(), nil)
	e.Wanted = fmt.Sprintf("at most %s: a journal of awsmigrate has no more", readable())
	return e
}

func broken(object, seen string, err error) *fault.Error {
	return &fault.Error{
		Class: fault.Stale, Reason: reasonBroken, Object: object, Seen: seen,
		Fix: "put the object back from a backup; without it a run can go on (delete the object), but the fingerprint and the inverse edits are lost",
		Err: err,
	}
}

func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
