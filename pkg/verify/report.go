package verify

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Result holds the result of one check.
type Result struct {
	Meta
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"` // for Skip and Unknown
	Findings []Finding `json:"findings,omitempty"`
	// OtherPosition reports whether the check was skipped because it applies at other positions
	// only.
	OtherPosition bool `json:"-"`
}

// Refusal is a request about checks that the run refused.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Report holds all results, in the order of the checks.
type Report struct {
	Position position.Position `json:"position"`
	Results  []Result          `json:"checks"`
	Counts   map[Status]int    `json:"counts"`
	// Partial reports whether Options.Only left checks out. A partial report is no preflight.
	Partial bool      `json:"partial,omitempty"`
	Refused []Refusal `json:"refused,omitempty"`
}

func (r *Report) add(res Result) {
	r.Results = append(r.Results, res)
	r.Counts[res.Status]++
}

// With returns the results of one status, urgent ones first.
func (r Report) With(s Status) []Result {
	var urgent, out []Result
	for _, res := range r.Results {
		switch {
		case res.Status != s:
		case res.Urgent:
			urgent = append(urgent, res)
		default:
			out = append(out, res)
		}
	}
	return append(urgent, out...)
}

// Elsewhere reports whether res is a skip only because its check applies at other positions.
func (r Report) Elsewhere(res Result) bool { return res.OtherPosition }

// Err returns nil if nothing blocks. Otherwise it returns a *fault.Error of class Usage (a
// request was refused), Check (a check failed) or CouldNotLook (evidence is missing), in this
// order. Warnings never cause an error.
func (r Report) Err() error {
	if len(r.Refused) > 0 {
		f := r.Refused[0]
		return &fault.Error{Class: fault.Usage, Reason: "CheckSelectionRefused", Object: f.ID, Seen: f.Reason, Wanted: "the ID of a check or a category; to leave out, one that may be left out, with a reason"}
	}
	if failed := r.With(Fail); len(failed) > 0 {
		return r.blocked(failed, Fail, fault.Check, "ChecksFailed", "failed")
	}
	if unknown := r.With(Unknown); len(unknown) > 0 {
		return r.blocked(unknown, Unknown, fault.CouldNotLook, "ChecksUnknown", "could not look")
	}
	return nil
}

// FixUnknown is the remedy of an Unknown check. The check's own remedy fits its finding: "remove
// the second one" does harm if there may be only one.
const FixUnknown = "make readable what could not be looked at, then run the same command again; " +
	"awsmigrate verify --access, for the same cluster, names missing rights"

func (r Report) blocked(results []Result, s Status, class fault.Class, reason, verb string) error {
	ids := make([]string, len(results))
	for i, res := range results {
		ids[i] = res.ID
	}
	first := results[0]
	fix := first.Fix
	if s == Unknown {
		fix = FixUnknown
	}
	e := &fault.Error{
		Class: class, Reason: reason, Object: first.ID, Wanted: first.Title, Fix: fix, Checks: ids,
	}
	for _, f := range first.Findings {
		if f.Status != s {
			continue
		}
		if f.Object != "" {
			e.Object += " " + f.Object
		}
		if detail := f.Seen + f.Reason; detail != "" {
			e.Seen = detail
		}
		if f.Wanted != "" {
			e.Wanted = f.Wanted
		}
		if f.Fix != "" {
			e.Fix = f.Fix
		}
		break
	}
	if len(ids) > 1 || e.Seen == "" {
		e.Seen = strings.TrimPrefix(fmt.Sprintf("%s; %d of %d checks %s: %s", e.Seen, len(ids), len(r.Results), verb, strings.Join(ids, ", ")), "; ")
	}
	return e
}

// Metas returns the descriptions of checks, for documents and completion.
func Metas[T any](checks ...Check[T]) []Meta {
	out := make([]Meta, len(checks))
	for i, c := range checks {
		out[i] = c.Meta
	}
	return out
}

func worst(fs []Finding) Status {
	if len(fs) == 0 {
		return OK
	}
	w := fs[0].Status
	for _, f := range fs[1:] {
		w = graver(w, f.Status)
	}
	return w
}

func graver(a, b Status) Status {
	if weight(b) > weight(a) {
		return b
	}
	return a
}

func weight(s Status) int {
	switch s {
	case Skip:
		return 0
	case OK:
		return 1
	case Warn:
		return 2
	case Unknown, Pending:
		return 3
	case Fail:
		return 4
	}
	return 3 // an undefined status is never OK
}
