package judge

import (
	"cmp"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// maxStretches limits the stretches of a result.
const maxStretches = 5000

// World holds further observations, for a report.
type World struct {
	Nodes []NodeChange `json:"nodes"`
	// Stretches holds the times in which a Node was cordoned or not Ready, by their begin.
	Stretches []NodeStretch   `json:"stretches,omitempty"`
	Services  []ServiceChange `json:"services"`
}

// NodeChange holds a Node as first and last observed.
type NodeChange struct {
	First record.Node `json:"first"`
	Last  record.Node `json:"last"`
}

// NodeStretch is a time in which a Node was cordoned or not Ready.
type NodeStretch struct {
	Node string    `json:"node"`
	What Condition `json:"what"`
	// Before reports whether it was so at the first observation of the Node, before the record or
	// a run.
	Before bool      `json:"before,omitempty"`
	From   time.Time `json:"from"`        // time of receipt
	To     time.Time `json:"to,omitzero"` // zero if it lasts until the end of the record
}

// Condition is a lasting state of a Node.
type Condition string

// Conditions.
const (
	Cordoned Condition = "cordoned"
	NotReady Condition = "not Ready"
)

// ServiceChange holds a Service as first and last observed, and how often its load balancer's
// addresses changed.
type ServiceChange struct {
	First   record.Service `json:"first"`
	Last    record.Service `json:"last"`
	Changes int            `json:"changes"`
}

type world struct {
	nodes     map[string]*NodeChange
	stretches []NodeStretch
	open      map[string]int // open stretches, by condition and Node
	services  map[string]*ServiceChange
}

func newWorld() world {
	return world{nodes: map[string]*NodeChange{}, open: map[string]int{}, services: map[string]*ServiceChange{}}
}

func (w *world) node(at time.Time, n record.Node) {
	known := w.nodes[n.UID]
	first := known == nil
	w.condition(at, n, Cordoned, first, n.Unschedulable && !n.Gone)
	w.condition(at, n, NotReady, first, n.Ready != "" && n.Ready != "True" && !n.Gone)
	switch {
	case first:
		w.nodes[n.UID] = &NodeChange{First: n, Last: n}
	case n.Gone:
		known.Last.Gone = true
	default:
		known.Last = n
	}
}

func (w *world) condition(at time.Time, n record.Node, what Condition, before, is bool) {
	key := string(what) + "/" + n.Name
	open, was := w.open[key]
	switch {
	case is && !was && len(w.stretches) < maxStretches:
		w.open[key] = len(w.stretches)
		w.stretches = append(w.stretches, NodeStretch{Node: n.Name, What: what, Before: before, From: at})
	case !is && was:
		w.stretches[open].To = at
		delete(w.open, key)
	}
}

func (w *world) service(s record.Service) {
	known := w.services[s.UID]
	switch {
	case known == nil:
		w.services[s.UID] = &ServiceChange{First: s, Last: s}
		return
	case s.Gone:
		known.Last.Gone = true
		return
	case !slices.Equal(known.Last.Ingress, s.Ingress):
		known.Changes++
	}
	known.Last = s
}

func (w *world) result() World {
	out := World{Stretches: slices.Clone(w.stretches)}
	for _, n := range w.nodes {
		out.Nodes = append(out.Nodes, *n)
	}
	slices.SortFunc(out.Nodes, func(a, b NodeChange) int {
		return cmp.Or(cmp.Compare(a.First.Name, b.First.Name), cmp.Compare(a.First.UID, b.First.UID))
	})
	for _, s := range w.services {
		out.Services = append(out.Services, *s)
	}
	slices.SortFunc(out.Services, func(a, b ServiceChange) int {
		return cmp.Or(cmp.Compare(a.First.Namespace, b.First.Namespace), cmp.Compare(a.First.Name, b.First.Name), cmp.Compare(a.First.UID, b.First.UID))
	})
	return out
}
