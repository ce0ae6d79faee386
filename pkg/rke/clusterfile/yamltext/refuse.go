package yamltext

import (
	"cmp"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Causes of refusals. Prefixed by Reader.Reasons they are the stable reasons of the errors.
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

// refusal describes why a text is not edited, before its name is known.
type refusal struct {
	cause  string
	line   int // starting at 1; 0 if it concerns the whole text
	seen   string
	wanted string
	fix    string
	err    error
}

// in returns the error for the text with that name.
func (r *refusal) in(name string, reader Reader) *fault.Error {
	object := name
	if r.line > 0 {
		object = fmt.Sprintf("%s:%d", name, r.line)
	}
	return &fault.Error{
		Class: fault.Usage, Reason: reader.Reasons + r.cause, Object: object,
		Seen: r.seen, Wanted: r.wanted, Fix: cmp.Or(r.fix, "correct "+object+", then run the same command again"), Err: r.err,
	}
}

// refused returns the error for this text.
func (d *Document) refused(r *refusal) *fault.Error { return r.in(d.name, d.reader) }
