package lock

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Lock keeps two runs from working on one cluster. It is no fence: between a
// proof and a write the lock can still be lost, so that every write carries a
// precondition of its own too.
type Lock interface {
	// Acquire takes the lock or fails with class Locked, naming the owner.
	Acquire(ctx context.Context) error
	// Prove succeeds only if the lock was just read as ours. While it cannot be
	// read it goes on trying; a lock that somebody else took is class Locked.
	Prove(ctx context.Context) error
	// Lost says without a request why the lock is not this run's any more (class
	// Locked), or why that is not known (class CouldNotLook: it was not renewed for
	// as long as it holds); nil while it is.
	Lost() error
	// Release gives the lock back if it is still ours.
	Release(ctx context.Context) error
}

// Owner is who holds a lock, for machines to compare and for people to find.
type Owner struct {
	User  string    `json:"user"`
	Host  string    `json:"host"` // or pod
	PID   int       `json:"pid"`
	Start time.Time `json:"start"` // of the process
	Run   string    `json:"run"`

	// Place and Tick tell whether the process still lives (see Processes). Zero
	// where that is not known: such an owner is watched, never proven dead.
	Place Place  `json:"place,omitzero"`
	Tick  uint64 `json:"tick,omitempty"` // of the process's start, clock ticks since boot
	// Pod lets the next process of a container take the lock at once (see Succeeds).
	Pod Pod `json:"pod,omitzero"`
}

// Identity is o in one line, as in a Lease's holderIdentity.
func (o Owner) Identity() string {
	o.Start = o.Start.UTC().Truncate(time.Second)
	b, err := json.Marshal(o)
	if err != nil { // only for a year beyond 9999
		return fmt.Sprintf("%s@%s/%d/%s", o.User, o.Host, o.PID, o.Run)
	}
	return string(b)
}

// parseOwner reads an Identity; false for what is none.
func parseOwner(identity string) (Owner, bool) {
	var o Owner
	err := json.Unmarshal([]byte(identity), &o)
	return o, err == nil && o.Run != ""
}

// String names o for people.
func (o Owner) String() string {
	return fmt.Sprintf("%s on %s, pid %d, run %s, started %s", o.User, o.Host, o.PID, o.Run, o.Start.UTC().Format(time.RFC3339))
}

func heldBy(object string, o Owner, more string) error {
	seen := "held by " + o.String()
	if more != "" {
		seen += ", " + more
	}
	return &fault.Error{
		Class: fault.Locked, Reason: "LockHeld", Object: object, Seen: seen,
		Wanted: "no other run on this cluster", Fix: "wait for that run to end, or stop it there",
	}
}
