// Package fault defines the errors of all packages: the object, its state, the
// wanted state, and the fix.
//
// It is a leaf. It knows nothing of Kubernetes, Rancher, AWS or exit codes: one table in
// internal/cli/view maps a Class to its exit code.
package fault

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Class is the kind of an error. The command line maps each class to an exit code; libraries
// only compare classes.
type Class int

const (
	// Unexpected is an error without a class. It is the zero value on purpose: an unclassified
	// error must not look like a classified one.
	Unexpected Class = iota
	// Usage is a wrong flag, file, cluster name or target.
	Usage
	// Check is a failed check, an unsupported cluster or a component's named fault.
	Check
	// Warnings means that only warnings were found and that the caller asked to count them.
	Warnings
	// Pending means that changes remain and that the caller asked for them.
	Pending
	// Gate is a point at which a person must act.
	Gate
	// Declined means that a person said no, or that no terminal could be asked.
	Declined
	// Locked means that another run owns the cluster.
	Locked
	// Stale means that an input changed after it was read or planned.
	Stale
	// CouldNotLook means that an answer is missing: unreachable, forbidden, unknown.
	CouldNotLook
	// NoProgress is a wait that ended without progress and without a known cause.
	NoProgress
	// Interrupted is a clean stop on request.
	Interrupted
	// HungUp is a clean stop after the terminal disconnected.
	HungUp
)

// Error is an error that a person can act on.
type Error struct {
	Class  Class
	Reason string // stable CamelCase word for machines, e.g. "LockHeld"
	Object string // the affected object, e.g. "Machine fleet-default/demo-cp-0"
	Seen   string
	Wanted string
	Fix    string // a command or an edit; empty if only waiting helps
	Err    error  // the cause, or nil
	// Checks holds the IDs of the checks that found the error, or is nil. Views offer their
	// explanations.
	Checks []string
	// Near reports whether Fix names what the user probably meant.
	Near bool
	// Transient reports whether the error may resolve without action, within a minute or two.
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

// headline returns the object and its state.
func (e *Error) headline() string {
	seen := cmp.Or(e.Seen, e.Reason, "failed")
	if e.Object == "" {
		return seen
	}
	return e.Object + ": " + seen
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// AsUsage wraps err as a usage error. It returns nil and errors with an *Error unchanged.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := As(err); ok {
		return err
	}
	return &Error{Class: Usage, Reason: "Usage", Seen: err.Error()}
}

// As returns the first *Error in err's chain.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Headline formats err in one line for people: the attempted operation, the object,
// and its state.
func Headline(err error) string {
	e, ok := As(err)
	if !ok {
		return err.Error()
	}
	return attempt(err) + e.headline()
}

// attempt returns the text that fmt.Errorf, with %w at the end, put before the first *Error in
// err's chain: what was attempted, on which object. It includes the separator, and is empty if
// the error has no such text.
func attempt(err error) string {
	e, ok := As(err)
	if !ok {
		return ""
	}
	attempt, ends := strings.CutSuffix(err.Error(), e.Error())
	if !ends {
		return ""
	}
	return attempt
}

// HasReason reports whether the first *Error in err's chain has one of these reasons.
func HasReason(err error, reasons ...string) bool {
	e, ok := As(err)
	return ok && slices.Contains(reasons, e.Reason)
}

// ClassOf returns the class of the first *Error in err's chain, or Unexpected.
func ClassOf(err error) Class {
	if e, ok := As(err); ok {
		return e.Class
	}
	return Unexpected
}

// ChecksOf returns the IDs of the checks of err and of all errors in its tree, sorted, without
// duplicates.
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
