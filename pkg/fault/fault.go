// Package fault is the vocabulary in which every other package says what went
// wrong: on which object, what was seen, what was wanted and what to do.
//
// It is a leaf. It knows nothing of Kubernetes, Rancher or AWS, and nothing of
// exit codes: internal/cli/view maps a Class to one, in one table.
package fault

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Class says what kind of ending an error is. The command line gives each one
// an exit code; libraries only compare them.
type Class int

const (
	// Unexpected is what nobody foresaw. It is the zero value on purpose: an
	// error that nobody classified must not look like one somebody did.
	Unexpected Class = iota
	// Usage is a wrong flag, file, cluster name or target.
	Usage
	// Check is a failed check, an unsupported cluster or a component's named fault.
	Check
	// Warnings is warnings only, where the caller asked for those to count.
	Warnings
	// Pending is changes that are still to be made, where the caller asked.
	Pending
	// Gate is a point at which a person must act.
	Gate
	// Declined is a person's no, or no terminal to ask on.
	Declined
	// Locked is another run that owns the cluster.
	Locked
	// Stale is an input that moved since it was read or planned.
	Stale
	// CouldNotLook is an answer that could not be had: unreachable, forbidden, unknown.
	CouldNotLook
	// NoProgress is a wait in which nothing moved and no cause was found.
	NoProgress
	// Interrupted is a clean stop on request.
	Interrupted
	// HungUp is a clean stop because nobody watches any more: the terminal is gone.
	HungUp
)

// Error is an error a person can act on.
type Error struct {
	Class  Class
	Reason string // stable CamelCase word for machines, e.g. "LockHeld"
	Object string // what it is about, e.g. "Machine fleet-default/demo-cp-0"
	Seen   string
	Wanted string
	Fix    string // a command or an edit; empty when there is nothing to do but wait
	Err    error  // the cause, if there is one
	// Checks are the IDs of the checks that found it, for views to offer their
	// explanation; nil: no check did.
	Checks []string
	// Transient: it may pass by itself, within a minute or two.
	Transient bool
}

// Error implements error on one line: object, seen, wanted, fix, cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.headline())
	if e.Wanted != "" {
		b.WriteString("; wanted ")
		b.WriteString(e.Wanted)
	}
	if e.Fix != "" {
		b.WriteString("; ")
		b.WriteString(e.Fix)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// headline is what was seen of which object.
func (e *Error) headline() string {
	seen := cmp.Or(e.Seen, e.Reason, "failed")
	if e.Object == "" {
		return seen
	}
	return e.Object + ": " + seen
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsUsage makes a usage error of what a flag or its parser said; nil stays nil, and a
// fault what it is.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := As(err); ok {
		return err
	}
	return &Error{Class: Usage, Reason: "Usage", Seen: err.Error()}
}

// As finds the first *Error in err's chain.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Headline is an error in one line for people: what was attempted, and what was seen of which
// object.
func Headline(err error) string {
	e, ok := As(err)
	if !ok {
		return err.Error()
	}
	return around(err) + e.headline()
}

// around is what was wrapped around the first *Error in err's chain by fmt.Errorf with %w at
// the end: what was attempted, on which object. It ends in what parts it from the rest; "":
// nothing, or not in that form.
func around(err error) string {
	e, ok := As(err)
	if !ok {
		return ""
	}
	around, ends := strings.CutSuffix(err.Error(), e.Error())
	if !ends {
		return ""
	}
	return around
}

// HasReason says whether the first *Error in err's chain has one of these reasons.
func HasReason(err error, reasons ...string) bool {
	e, ok := As(err)
	return ok && slices.Contains(reasons, e.Reason)
}

// ClassOf is the class of the first *Error in the chain, Unexpected without one.
func ClassOf(err error) Class {
	if e, ok := As(err); ok {
		return e.Class
	}
	return Unexpected
}

// ChecksOf are the IDs of the checks that err and everything below it is of, sorted,
// each once.
func ChecksOf(err error) []string {
	var ids []string
	collectChecks(err, &ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func collectChecks(err error, into *[]string) {
	if e, is := err.(*Error); is { //nolint:errorlint // the tree is walked node by node on purpose
		*into = append(*into, e.Checks...)
	}
	switch e := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			collectChecks(inner, into)
		}
	case interface{ Unwrap() error }:
		collectChecks(e.Unwrap(), into)
	}
}
