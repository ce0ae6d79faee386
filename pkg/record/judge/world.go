package judge

import (
	"cmp"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// mostEvents bounds how many Events a result keeps: those of leader elections and of load
// balancers are few, unless something is wrong.
const mostEvents = 1000

// World is what else was seen, for a report.
type World struct {
	Nodes []NodeChange `json:"nodes"`
	// Stretches are those in which a Node was cordoned, not Ready or silent.
	Stretches []NodeStretch    `json:"stretches,omitempty"`
	Machines  []record.Machine `json:"machines,omitempty"`
	Arguments []Arguments      `json:"arguments,omitempty"`
	Services  []ServiceChange  `json:"services"`
	Restarts  []Restart        `json:"restarts"`
	Events    []Told           `json:"events"`
	Dropped   int              `json:"droppedEvents,omitempty"` // more than are kept
}

// NodeChange is a Node as it was first and last seen.
type NodeChange struct {
	First record.Node `json:"first"`
	Last  record.Node `json:"last"`
}

// ServiceChange is a Service as it was first and last seen, and how often what its load
// balancer is reached by changed in between.
type ServiceChange struct {
	First   record.Service `json:"first"`
	Last    record.Service `json:"last"`
	Changes int            `json:"changes"`
}

// Restart is a container of a controller manager that began or ended.
type Restart struct {
	At      time.Time `json:"at"` // when it was received
	Program string    `json:"program"`
	Pod     string    `json:"pod"` // namespace/name
	Node    string    `json:"node,omitempty"`
	Ended   bool      `json:"ended,omitempty"`
	Exit    int32     `json:"exit,omitempty"`
}

// Told is an Event.
type Told struct {
	At    time.Time    `json:"at"` // when it was received
	Event record.Event `json:"event"`
}

// world gathers what is seen besides.
type world struct {
	nodes     map[string]*NodeChange
	stretches []NodeStretch
	open      map[string]int // of these, by what and Node
	services  map[string]*ServiceChange
	events    []Told
	dropped   int
}

func newWorld() world {
	return world{nodes: map[string]*NodeChange{}, open: map[string]int{}, services: map[string]*ServiceChange{}}
}

func (w *world) node(at time.Time, n record.Node) {
	w.conditions(at, n)
	known := w.nodes[n.UID]
	if known == nil {
		known = &NodeChange{First: n}
		w.nodes[n.UID] = known
	}
	if n.Gone {
		known.Last.Gone = true
		return
	}
	known.Last = n
}

func (w *world) service(_ time.Time, s record.Service) {
	known := w.services[s.UID]
	if known == nil {
		w.services[s.UID] = &ServiceChange{First: s, Last: s}
		return
	}
	if s.Gone {
		known.Last.Gone = true
		return
	}
	if !slices.Equal(known.Last.Ingress, s.Ingress) {
		known.Changes++
	}
	known.Last = s
}

func (w *world) event(at time.Time, e record.Event) {
	if len(w.events) == mostEvents {
		w.dropped++
		return
	}
	w.events = append(w.events, Told{At: at, Event: e})
}

func (w *world) result(j *Judge) World {
	out := World{Events: w.events, Dropped: w.dropped, Restarts: j.restarts(),
		Stretches: j.nodeStretches(), Machines: j.hosts.machineList(), Arguments: j.arguments()}
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

// restarts are the beginnings and ends of containers that were seen as they happened.
func (j *Judge) restarts() []Restart {
	var all []Restart
	for _, uid := range j.podOrder {
		p := j.pods[uid]
		for n, r := range p.runs {
			one := Restart{Program: p.now.Program, Pod: p.now.Namespace + "/" + p.now.Name, Node: p.now.Node}
			if !p.beginning || n > 0 {
				one.At = r.seen
				all = append(all, one)
			}
			if !r.reported.IsZero() && r.reported.After(r.seen) {
				one.At, one.Ended, one.Exit = r.reported, true, r.exit
				all = append(all, one)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Restart) int { return a.At.Compare(b.At) })
	return all
}
