package replace

import (
	"maps"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Ends holds, by the UID of each pod that a run replaces, whether a kubelet has shown the end of
// its container. It is nil in a run that did not begin the replacement: the ends of the pods
// before are unknown.
type Ends map[string]bool

// Begin returns the ends of a replacement that a run begins.
func Begin(left []downstream.Pod) Ends {
	e := Ends{}
	for _, p := range left {
		e[p.UID] = false
	}
	return e
}

// Note returns the ends after a pod was replaced.
func (e Ends) Note(p downstream.Pod, shown bool) Ends {
	next := maps.Clone(e)
	if next != nil {
		next[p.UID] = next[p.UID] || shown
	}
	return next
}

// AllShown reports whether a kubelet has shown all of the ends.
func (e Ends) AllShown() bool {
	for _, shown := range e {
		if !shown {
			return false
		}
	}
	return len(e) > 0
}
