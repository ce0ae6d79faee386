package verify

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Failure is what must be put right first.
func Failure(object, seen, wanted, fix string) Finding {
	return Finding{Status: Fail, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}

// Warning is what somebody should know.
func Warning(object, seen, wanted, fix string) Finding {
	return Finding{Status: Warn, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}

// Notice is what is as wanted, and worth a line.
func Notice(object, seen string) Finding {
	return Finding{Status: OK, Object: object, Seen: seen}
}

// Undecided is what could not be judged, for the reason given.
func Undecided(object, reason string) Finding {
	return Finding{Status: Unknown, Object: object, Reason: reason}
}

// Judge hands what was read to judge, or says that it could not be read. It is
// how a check keeps "could not look" apart from "is not there".
func Judge[T any](r Read[T], object string, judge func(T) []Finding) []Finding {
	if !r.OK() {
		return Unread(r, object)
	}
	return judge(r.Value)
}

// Unread is the finding for a reading that could not be had.
func Unread[T any](r Read[T], object string) []Finding {
	if !r.Looked {
		return []Finding{{Status: Unknown, Object: object, Reason: "nobody looked"}}
	}
	return []Finding{{Status: Unknown, Object: object, Reason: fmt.Sprintf("could not look: %v", r.Err)}}
}

// Skipped is the single finding of a check that does not apply.
func Skipped(reason string) []Finding { return []Finding{{Status: Skip, Reason: reason}} }

// FindingOf makes one finding of a fault, with its class deciding the status;
// none of no error.
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
