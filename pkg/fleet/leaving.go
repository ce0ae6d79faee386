package fleet

import "fmt"

// Left is what is left behind of one cluster by whoever takes its controller away.
type Left struct {
	Cluster string // for people
	// Step was begun and not seen to its end, and others still carry it out; "": none.
	Step string
	// Braked is what the brake has stopped, and the cluster is still paused for it; "": nothing.
	Braked string
	// Unread is why the cluster could not be looked at; "": it was.
	Unread string
	// Open: the journal says that a run was not seen to its end, or cannot say it.
	Open bool
}

// Holds says why no controller may leave this cluster: what rolls would be watched by
// nobody, and nobody would brake. "": it may. A cluster that does not answer holds nobody
// whose last run came to its end.
func (l Left) Holds() string {
	switch {
	case l.Unread != "" && l.Open:
		return "a run of it was not seen to its end, and it could not be looked at: " + l.Unread
	case l.Step != "":
		return fmt.Sprintf("step %s is being rolled out: wait for its end, or undo", l.Step)
	}
	return ""
}

// Stays says what somebody has to come back for, though nothing rolls; "": nothing.
func (l Left) Stays() string {
	switch {
	case l.Holds() != "":
		return ""
	case l.Braked != "":
		return l.Braked
	case l.Unread != "":
		return "could not be looked at; its last run came to its end: " + l.Unread
	}
	return ""
}
