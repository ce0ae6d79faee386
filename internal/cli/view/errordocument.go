package view

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// ErrorDocument is the document on stdout if a command fails with -o other than text.
type ErrorDocument struct {
	TypeMeta
	Code int `json:"code"` // the exit code
	FaultDocument
	Also    []FaultDocument `json:"also,omitempty"` // further errors, e.g. every other failed check
	Message string          `json:"message"`        // everything in one text, for people
	Resume  string          `json:"resume,omitempty"`
	Left    *runner.Left    `json:"left,omitempty"` // a rollout that was not watched to its end
}

// FaultDocument is one error as data.
type FaultDocument struct {
	Reason string `json:"reason,omitempty"` // stable, for machines
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen,omitempty"`
	Wanted string `json:"wanted,omitempty"`
	Fix    string `json:"fix,omitempty"`
	Cause  string `json:"cause,omitempty"`
}

// NewErrorDocument returns the document of an error and of all errors joined to it.
func NewErrorDocument(err error) ErrorDocument {
	doc := ErrorDocument{TypeMeta: KindOf("Error"), Code: ExitCode(err), Message: err.Error()}
	for i, one := range Flatten(err) {
		if i == 0 {
			doc.FaultDocument = NewFaultDocument(one)
			continue
		}
		doc.Also = append(doc.Also, NewFaultDocument(one))
	}
	return doc
}

// NewFaultDocument returns one error as data, without the errors joined to it.
func NewFaultDocument(err error) FaultDocument {
	f, ok := fault.As(err)
	if !ok {
		return FaultDocument{Seen: err.Error()}
	}
	doc := FaultDocument{Reason: f.Reason, Object: f.Object, Seen: f.Seen, Wanted: f.Wanted, Fix: f.Fix}
	if f.Err != nil {
		doc.Cause = f.Err.Error()
	}
	return doc
}

// Faults returns all errors in err as data.
func Faults(err error) []FaultDocument {
	var all []FaultDocument
	for _, one := range Flatten(err) {
		all = append(all, NewFaultDocument(one))
	}
	return all
}
