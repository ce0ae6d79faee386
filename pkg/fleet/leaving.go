package fleet

import "fmt"

// Left describes what remains in one cluster when its controller is removed.
type Left struct {
	Cluster string // for people
	// Step was begun and not seen completed, and others still carry it out, or is empty.
	Step string
	// PausedRollout describes the paused rollout, while the cluster is still paused, or is
	// empty.
	PausedRollout string
	// Unread is the error that prevented reading the cluster, or empty.
	Unread string
	// Open reports whether the journal shows an unfinished run, or could not be read.
	Open bool
}

// Holds returns the reason why the controller must not leave this cluster, or "". A rollout would
// be neither watched nor paused. An unreachable cluster does not hold the controller if its last
// run finished.
func (l Left) Holds() string {
	switch {
	case l.Unread != "" && l.Open:
		return "a run of it was not seen to its end, and it could not be looked at: " + l.Unread
	case l.Step != "":
		return fmt.Sprintf("step %s is being rolled out: wait for its end, or undo", l.Step)
	}
	return ""
}

// Stays returns what a person must still do although nothing rolls out, or "".
func (l Left) Stays() string {
	switch {
	case l.Holds() != "":
		return ""
	case l.PausedRollout != "":
		return l.PausedRollout
	case l.Unread != "":
		return "could not be read; its last run has ended: " + l.Unread
	}
	return ""
}
