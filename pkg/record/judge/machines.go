package judge

import (
	"cmp"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// mostStretches bounds how many a result keeps: two for each Node that restarts, of more
// Nodes than a cluster has that anybody looks at one by one.
const mostStretches = 5000

// NodeStretch is a stretch in which a Node was not as it should be.
type NodeStretch struct {
	Node         string    `json:"node"`
	ControlPlane bool      `json:"controlPlane,omitempty"`
	What         Condition `json:"what"`
	From         time.Time `json:"from"`        // when it was received
	To           time.Time `json:"to,omitzero"` // zero: it lasts when the record ends
}

// Condition is what a Node is in for a while.
type Condition string

// Conditions.
const (
	Cordoned Condition = "cordoned"
	NotReady Condition = "not Ready"
	// Silent: no renewal of its lease was seen for longer than a kubelet lets pass that reaches
	// an API server. That one was asked in vain shows in what was not watched.
	Silent Condition = "no renewal seen"
)

// conditions notes what a Node is in, and what it is in no more.
func (w *world) conditions(at time.Time, n record.Node) {
	w.condition(at, n, Cordoned, n.Unschedulable && !n.Gone)
	w.condition(at, n, NotReady, n.Ready != "" && n.Ready != "True" && !n.Gone)
}

func (w *world) condition(at time.Time, n record.Node, what Condition, is bool) {
	key := string(what) + "/" + n.Name
	open, was := w.open[key]
	switch {
	case is && !was && len(w.stretches) < mostStretches:
		w.open[key] = len(w.stretches)
		w.stretches = append(w.stretches, NodeStretch{Node: n.Name, ControlPlane: n.ControlPlane, What: what, From: at})
	case !is && was:
		w.stretches[open].To = at
		delete(w.open, key)
	}
}

// nodeStretches are all of them, in the order in which they began.
func (j *Judge) nodeStretches() []NodeStretch {
	all := slices.Clone(j.world.stretches)
	for node, k := range j.kubelets {
		for n := 1; n < len(k.touch); n++ {
			all = append(all, NodeStretch{Node: node, ControlPlane: j.hosts.nodes[node].ControlPlane, What: Silent, From: k.touch[n-1].to, To: k.touch[n].from})
		}
	}
	slices.SortFunc(all, func(a, b NodeStretch) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Node, b.Node), cmp.Compare(a.What, b.What))
	})
	return all[:min(len(all), mostStretches)]
}

// machineList are the machines as they were last seen, by name.
func (h hosts) machineList() []record.Machine {
	var all []record.Machine
	for _, m := range h.machines {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b record.Machine) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Arguments are those of a program on one Node that a record keeps, as they were first and
// last seen. Nothing says that a process has those of its pod (Frozen).
type Arguments struct {
	Node    string   `json:"node"`
	Program string   `json:"program"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Image   Images   `json:"image"`
	Frozen  string   `json:"frozen,omitempty"`
}

// Images are the first and the last.
type Images struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// arguments are those of each program on each Node.
func (j *Judge) arguments() []Arguments {
	var all []Arguments
	for _, uid := range j.podOrder {
		p := j.pods[uid].now
		if p.Node == "" {
			continue
		}
		i := slices.IndexFunc(all, func(a Arguments) bool { return a.Node == p.Node && a.Program == p.Program })
		if i < 0 {
			i = len(all)
			all = append(all, Arguments{Node: p.Node, Program: p.Program, Before: p.Flags, Image: Images{Before: p.Image}})
		}
		all[i].After, all[i].Image.After, all[i].Frozen = p.Flags, p.Image, p.Frozen
	}
	slices.SortStableFunc(all, func(a, b Arguments) int {
		return cmp.Or(cmp.Compare(b.Program, a.Program), cmp.Compare(a.Node, b.Node))
	})
	return all
}
