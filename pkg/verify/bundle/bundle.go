// Package bundle stores the readings of an audit in a file, without secrets. The same checks can
// judge them later without access to the cluster.
//
// It makes no requests and opens no files. An allowlist (redact.go) decides what is kept: of
// arguments the flags that checks use, of AWS tags those that name a cluster. The backend of a
// distribution writes the input of its own checks with a Redactor. For what it does not write, the
// bundle contains the findings.
package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// schema is the schema of the bundles that this version reads and writes.
const schema = 1

const (
	apiVersion = "awsmigrate.io/v1"
	kind       = "AuditBundle"
)

// Limits returns the limits of a bundle's text. A bundle with 5,000 Nodes has 9 MB and 280,000
// values. One at the limits takes at most 1 GB to decode, garbage included, if the process reads
// only one.
func Limits() bounded.Limits { return bounded.Limits{Bytes: 32 << 20, Values: 1 << 19} }

// Bundle holds one reading of a cluster.
type Bundle struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Schema     int    `json:"schema"`
	// Producer is the build of awsmigrate that read the cluster.
	Producer build.Stamp `json:"producer,omitzero"`
	At       time.Time   `json:"at"` // when it was read
	Target   Target      `json:"target"`
	Header   []string    `json:"header"`
	Next     string      `json:"next,omitempty"`
	// Side holds the input of the backend's own checks, without secrets, as the backend wrote it.
	// It is null if only their findings are known.
	Side json.RawMessage `json:"side,omitempty"`
	// Own holds the findings of the checks whose input is not in Side.
	Own   []verify.Recorded `json:"own,omitempty"`
	Input evidence.Input    `json:"input"`
	// Unread is the text of Input.Unread: why it is not known whether there is a fingerprint.
	Unread string `json:"unread,omitempty"`
}

// Target identifies the cluster.
type Target struct {
	Kind      string `json:"kind"` // "rke2", "rke", "kubernetes"
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid,omitempty"`
}

// Encode returns a bundle as JSON, without secrets. The same Redactor must have written Side.
func Encode(b Bundle, r *Redactor) ([]byte, error) {
	b.APIVersion, b.Kind, b.Schema = apiVersion, kind, schema
	if b.Input.Unread != nil {
		b.Unread = b.Input.Unread.Error()
	}
	if !isNextCommand(b.Next) {
		b.Next = "" // for instance one with --rke-binary: a program name from a file must not be offered for pasting
	}
	text, err := json.MarshalIndent(redact(r, b), "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the bundle: %w", err)
	}
	if err := Limits().CheckJSON(text); err != nil {
		return nil, fmt.Errorf("encode the bundle: it %w", err)
	}
	return append(text, '\n'), nil
}

// Decode reads the output of Encode. object names the file in messages. Decode returns an error for
// another kind and for an unknown schema.
func Decode(object string, text []byte) (Bundle, error) {
	refuse := func(seen string, err error) error {
		return &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: object, Seen: seen,
			Wanted: fmt.Sprintf("a bundle of schema %d that verify --dump has saved", schema), Err: err}
	}
	var head struct {
		APIVersion, Kind string
		Schema           int
	}
	if err := Limits().CheckJSON(text); err != nil {
		return Bundle{}, &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: object, Seen: err.Error(), Wanted: "a bundle of at most " + Limits().String()}
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Bundle{}, refuse("is not JSON", err)
	}
	if head.APIVersion != apiVersion || head.Kind != kind {
		return Bundle{}, refuse(fmt.Sprintf("is %q of %q", head.Kind, head.APIVersion), nil)
	}
	if head.Schema != schema {
		return Bundle{}, refuse(fmt.Sprintf("has schema %d", head.Schema), nil)
	}
	var b Bundle
	if err := json.Unmarshal(text, &b); err != nil {
		return Bundle{}, refuse("cannot be read", err)
	}
	if b.Unread != "" {
		b.Input.Unread = errors.New(b.Unread)
	}
	if object := findImpossible(b.Input); object != "" {
		return Bundle{}, refuse("holds a "+object+", which no API server has", nil)
	}
	if field := findForeign(b); field != "" {
		return Bundle{}, refuse("has "+field+", which awsmigrate does not write", nil)
	}
	b.Own = dropAdvice(b.Own)
	return b, nil
}
