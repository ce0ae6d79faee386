package verify

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Failure returns a finding that must be fixed before the migration.
func Failure(object, seen, wanted, fix string) Finding {
	return Finding{Status: Fail, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}

// Warning returns a finding that the user should know.
func Warning(object, seen, wanted, fix string) Finding {
	return Finding{Status: Warn, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}

// Notice returns a finding that is OK, and worth a line.
func Notice(object, seen string) Finding {
	return Finding{Status: OK, Object: object, Seen: seen}
}

// Undecided returns an Unknown finding with its reason.
func Undecided(object, reason string) Finding {
	return Finding{Status: Unknown, Object: object, Reason: reason}
}

// Judge passes the value of r to judge, or returns an Unknown finding if it was not read. It
// keeps "could not be checked" apart from "does not exist".
func Judge[T any](r Read[T], object string, judge func(T) []Finding) []Finding {
	if !r.OK() {
		return Unread(r, object)
	}
	return judge(r.Value)
}

// Unread returns the finding for a reading without a value.
func Unread[T any](r Read[T], object string) []Finding {
	if !r.Looked {
		return []Finding{{Status: Unknown, Object: object, Reason: "not checked"}}
	}
	return []Finding{{Status: Unknown, Object: object, Reason: fmt.Sprintf("could not look: %v", r.Err)}}
}

// Skipped returns the only finding of a check that does not apply.
func Skipped(reason string) []Finding { return []Finding{{Status: Skip, Reason: reason}} }

// FindingOf returns one finding for err, with a status by its class, or nil if err is nil.
func FindingOf(err error) []Finding {
	if err == nil {
		return nil
	}
	f, ok := fault.As(err)
	if !ok {
		return []Finding{{Status: Fail, Seen: err.Error()}}
	}
	one := Finding{Status: Fail, Object: f.Object, Seen: f.Seen, Wanted: f.Wanted, Fix: f.Fix}
	if f.Err != nil {
		one.Seen += ": " + f.Err.Error()
	}
	if f.Class == fault.CouldNotLook {
		one.Status, one.Reason = Unknown, one.Seen
	}
	return []Finding{one}
}
