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
	// maxStored is the largest size of a journal in one object, in bytes. The API server accepts
	// 1 MiB of data in a ConfigMap (k8s.io/kubernetes pkg/apis/core/validation,
	// ValidateConfigMap); the rest is for keys and for data of other writers.
	maxStored = 1<<20 - 16<<10
	// maxPlain is the largest size that is stored uncompressed, readable with kubectl.
	maxPlain     = 256 << 10
	maxRuns      = 50 // finished runs kept in the history
	maxApprovals = 50

	schemaFamily = "awsmigrate.io/journal/"
)

// textLimits returns the limits of a journal's text. The largest valid journal has 50 runs, 1,000
// intents and the fingerprint of 5,000 Nodes: 1.3 MB and 30,000 values. Decoding a text at the
// limits takes at most 80 MB, including garbage.
func textLimits() bounded.Limits { return bounded.Limits{Bytes: 4 << 20, Values: 1 << 16} }

// storedJournal holds a journal as an object stores it: either text or packed is set.
type storedJournal struct {
	text   string
	packed []byte
	sum    string // SHA-256 of the text, hex
}

// encode compacts the history of st and returns its stored form. It returns an error if st is too
// large or contains a private key.
func encode(st State, object string) (storedJournal, error) {
	st.Schema = Schema
	for _, keep := range []int{maxRuns, 5} {
		compact(&st, keep)
		text, err := json.MarshalIndent(st, "", " ")
		if err != nil {
			return storedJournal{}, fmt.Errorf("%s: encode the journal: %w", object, err)
		}
		if err := refuseKeys(text, object); err != nil {
			return storedJournal{}, err
		}
		if textLimits().CheckJSON(text) != nil {
			continue
		}
		out := storedJournal{sum: sumOf(string(text))}
		if len(text) <= maxPlain {
			out.text = string(text)
			return out, nil
		}
		if out.packed, err = pack(text); err != nil {
			return storedJournal{}, fmt.Errorf("%s: compress the journal: %w", object, err)
		}
		if len(out.packed) <= maxStored {
			return out, nil
		}
	}
	return storedJournal{}, &fault.Error{
		Class: fault.Check, Reason: "JournalTooLarge", Object: object,
		Seen:   "the journal does not fit into one object, even compressed and without history",
		Wanted: fmt.Sprintf("at most %s, and %d bytes compressed", textLimits(), maxStored),
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// compact drops the oldest history. It keeps all intents, which undo needs, and all notes, which
// include the fingerprint.
func compact(st *State, keep int) {
	if n := len(st.Runs) - keep; n > 0 {
		st.Runs = st.Runs[n:]
	}
	if n := len(st.Approvals) - min(keep, maxApprovals); n > 0 {
		st.Approvals = st.Approvals[n:]
	}
}

// refuseKeys returns an error if text contains a private key. It is the last protection against a
// step that puts a secret into a note.
func refuseKeys(text []byte, object string) error {
	if bytes.Contains(text, []byte("PRIVATE KEY-----")) {
		return &fault.Error{Reason: "SecretInJournal", Object: object, Seen: "a private key was about to be written to the journal"}
	}
	return nil
}

// decode returns the state in a stored journal, or an error that names the defect.
func decode(in storedJournal, object string) (State, error) {
	text := []byte(in.text)
	if len(in.packed) > 0 {
		var err error
		if text, err = textLimits().Gunzip(in.packed); err != nil {
			return State{}, unpackFault(object, err)
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return State{}, brokenFault(object, "holds no journal", nil)
	}
	if err := textLimits().CheckJSON(text); err != nil {
		return State{}, tooLargeFault(object, err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return State{}, brokenFault(object, "the journal is truncated or no JSON", err)
	}
	if head.Schema != Schema {
		return State{}, schemaFault(head.Schema, object)
	}
	if in.sum != sumOf(string(text)) {
		return State{}, brokenFault(object, "the journal was changed by something other than awsmigrate", nil)
	}
	var st State
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&st); err != nil {
		return State{}, brokenFault(object, "the journal does not follow its schema "+Schema, err)
	}
	return st, nil
}

const (
	reasonSchema = "JournalSchema"
	reasonBroken = "JournalBroken"
)

func schemaFault(schema, object string) error {
	e := &fault.Error{
		Class: fault.Stale, Reason: reasonSchema, Object: object,
		Seen:   fmt.Sprintf("the journal has schema %q", schema),
		Wanted: Schema,
		Fix:    "go on with the version of awsmigrate that wrote it, or a newer one",
	}
	if !strings.HasPrefix(schema, schemaFamily) {
		return notJournalFault(object, e.Seen)
	}
	return e
}

// notJournalFault returns the error for an object with a journal's name that holds something else.
// Another program or person may need its content.
func notJournalFault(object, seen string) error {
	return &fault.Error{
		Class: fault.Usage, Reason: "NoJournal", Object: object, Seen: seen, Wanted: "a journal of awsmigrate",
		Fix: "find the owner of this object, and move its content to another name",
	}
}

func unpackFault(object string, err error) error {
	if bounded.Exceeded(err) {
		return tooLargeFault(object, err)
	}
	return brokenFault(object, "the compressed journal cannot be unpacked", err)
}

// tooLargeFault returns the error for a journal beyond the limits, which awsmigrate never writes.
func tooLargeFault(object string, err error) error {
	e := brokenFault(object, "the journal "+err.Error(), nil)
	e.Wanted = fmt.Sprintf("at most %s: a journal of awsmigrate has no more", textLimits())
	return e
}

func brokenFault(object, seen string, err error) *fault.Error {
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
