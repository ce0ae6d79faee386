package lock

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Lock prevents two runs from working on one cluster. It is no fence: the lock can be lost
// between a proof and a write, so every write also needs its own precondition.
type Lock interface {
	// Settle waits for the end of what a killed run left working, without taking the lock. It
	// reports whether it waited.
	Settle(ctx context.Context) (waited bool, err error)
	// Acquire takes the lock. If another run holds it, the error has class Locked and names the
	// owner.
	Acquire(ctx context.Context) error
	// Prove returns nil only if this run was just seen to hold the lock. It retries while the
	// lock cannot be read. The error has class Locked if another run took it.
	Prove(ctx context.Context) error
	// Lost returns, without a request, the reason why this run may not hold the lock, or nil. The
	// class is Locked if it was lost, and CouldNotLook if it was not renewed for its duration.
	Lost() error
	// Release frees the lock if this run still holds it.
	Release(ctx context.Context) error
}

// Owner identifies the holder of a lock, for programs and for people.
type Owner struct {
	User  string    `json:"user"`
	Host  string    `json:"host"` // or the pod's name
	PID   int       `json:"pid"`
	Start time.Time `json:"start"` // of the process, by its machine's clock
	Run   string    `json:"run"`

	// Place and Tick identify the process in a process table (see Processes). They are zero if
	// unknown; then the owner is watched, never proven dead.
	Place Place  `json:"place,omitzero"`
	Tick  uint64 `json:"tick,omitempty"` // start of the process, in clock ticks since boot
	// Pod lets the next process of the same container take the lock at once (see succeeds).
	Pod Pod `json:"pod,omitzero"`
}

// Identity returns o in one line, as a Lease's holderIdentity stores it.
func (o Owner) Identity() string {
	o.Start = o.Start.UTC().Truncate(time.Second)
	b, err := json.Marshal(o)
	if err != nil { // only for a year beyond 9999
		return fmt.Sprintf("%s@%s/%d/%s", o.User, o.Host, o.PID, o.Run)
	}
	return string(b)
}

// parseOwner parses an Identity; the second result is false if it is invalid.
func parseOwner(identity string) (Owner, bool) {
	var o Owner
	err := json.Unmarshal([]byte(identity), &o)
	return o, err == nil && o.Run != ""
}

// String describes o for people.
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
