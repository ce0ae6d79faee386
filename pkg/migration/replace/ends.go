package replace

import (
	"maps"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Ends holds, by the UID of each pod that a run had to replace, whether a kubelet has shown the
// end of its container.
type Ends map[string]bool

// Add returns the ends with pods that are still to be replaced.
func (e Ends) Add(left []downstream.Pod) Ends {
	next := Ends{}
	maps.Copy(next, e)
	for _, p := range left {
		if _, known := next[p.UID]; !known {
			next[p.UID] = false
		}
	}
	return next
}

// Note returns the ends after a pod was replaced.
func (e Ends) Note(p downstream.Pod, shown bool) Ends {
	next := e.Add(nil)
	next[p.UID] = next[p.UID] || shown
	return next
}

// AllShown reports whether a kubelet has shown all of the ends. A run that replaced no pod has
// seen none.
func (e Ends) AllShown() bool {
	for _, shown := range e {
		if !shown {
			return false
		}
	}
	return len(e) > 0
}
