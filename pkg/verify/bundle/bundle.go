// Package bundle keeps what an audit read in a file, without secrets, so that the
// same checks can judge it again where the cluster is out of reach.
//
// It is pure: it knows neither clusters nor files. What it lets through is a list
// (redact.go): of arguments those flags that some check judges, of AWS tags those
// that name a cluster. What the checks of a distribution's own side judge, that side
// writes itself, with a Redactor; of what it does not write, the bundle carries what
// the checks found.
package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// schema of the bundles that this version reads and writes.
const schema = 1

const (
	apiVersion = "awsmigrate.io/v1"
	kind       = "AuditBundle"
)

// Limits are the limits of a bundle's text. One of 5,000 Nodes has 9 MB and 280,000 values. One
// at the limits takes at most 1 GB to decode, garbage included, in a process that reads no
// other.
func Limits() bounded.Limits { return bounded.Limits{Bytes: 32 << 20, Values: 1 << 19} }

// Bundle is one reading of a cluster.
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
	// Side is what the side's own checks judge, without secrets, as the side wrote
	// it; null: only what they found is known.
	Side json.RawMessage `json:"side,omitempty"`
	// Own are the findings of those that are not made from Side.
	Own   []verify.Recorded `json:"own,omitempty"`
	Input evidence.Input    `json:"input"`
	// Unread is Input.Unread: why nobody knows whether there is a fingerprint.
	Unread string `json:"unread,omitempty"`
}

// Target is the cluster that was read.
type Target struct {
	Kind      string `json:"kind"` // "rke2", "rke", "kubernetes"
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid,omitempty"`
}

// Encode is a bundle without secrets, as JSON. Side was written with the same
// Redactor.
func Encode(b Bundle, r *Redactor) ([]byte, error) {
	b.APIVersion, b.Kind, b.Schema = apiVersion, kind, schema
	if b.Input.Unread != nil {
		b.Unread = b.Input.Unread.Error()
	}
	if !command(b.Next) {
		b.Next = "" // such as one with --rke-binary: nobody should paste a program's name from a file
	}
	text, err := json.MarshalIndent(redacted(r, b), "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the bundle: %w", err)
	}
	if err := Limits().CheckJSON(text); err != nil {
		return nil, fmt.Errorf("encode the bundle: it %w", err)
	}
	return append(text, '\n'), nil
}

// Decode reads what Encode wrote. object names the file in messages. A file of
// another kind, or of a schema that this version does not know, is refused.
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
	if object := impossible(b.Input); object != "" {
		return Bundle{}, refuse("holds a "+object+", which no API server has", nil)
	}
	if field := wrong(b); field != "" {
		return Bundle{}, refuse("has "+field+", which awsmigrate does not write", nil)
	}
	b.Own = unadvised(b.Own)
	return b, nil
}
