package yamltext

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Causes of refusals. Behind Reader.Reasons they are the reasons of the faults, which
// are stable.
const (
	causeEmpty            = "Empty"
	causeNotYAML          = "NotYAML"
	causeTabs             = "Tabs"
	causeTemplate         = "Template"
	causeSeveralDocuments = "SeveralDocuments"
	causeDuplicateKey     = "DuplicateKey"
	causeAlias            = "Alias"
	causeMergeKey         = "MergeKey"
	causeWrongKind        = "WrongKind"
	causeMultiLine        = "MultiLineScalar"
	causeForm             = "UnusualForm"
	causeNotProven        = "EditNotProven"
	causeUndo             = "Undo"
)

// refusal is why a text is left alone, before its name is known.
type refusal struct {
	cause  string
	line   int // 1-based; 0 when it is about the whole text
	seen   string
	wanted string
	fix    string
	err    error
}

// in is the refusal of the text with that name.
func (r *refusal) in(name string, reader Reader) *fault.Error {
	object := name
	if r.line > 0 {
		object = fmt.Sprintf("%s:%d", name, r.line)
	}
	return &fault.Error{
		Class: fault.Usage, Reason: reader.Reasons + r.cause, Object: object,
		Seen: r.seen, Wanted: r.wanted, Fix: r.fix, Err: r.err,
	}
}

// refused is the refusal of this text.
func (d *Document) refused(r *refusal) *fault.Error { return r.in(d.name, d.reader) }
