package runner

import (
	"slices"
	"time"
)

// Machine is one of those that a step changes, as one reading shows it.
type Machine struct {
	Name  string       `json:"name"`
	Group MachineGroup `json:"group"`
	State MachineState `json:"state"`
	// Doing is what is seen of one in hand, for people: "kubelet restarting".
	Doing string `json:"doing,omitempty"`
}

// MachineGroup is a kind of machines. Those of one group take about as long as one
// another in the same step.
type MachineGroup string

const (
	// ControlPlanes run a control plane, and perhaps other things beside.
	ControlPlanes MachineGroup = "control-plane"
	// Workers run none.
	Workers MachineGroup = "worker"
)

// MachineState enumerates Machine.
type MachineState string

const (
	// MachineWaits has nothing of the change, and nobody is at it.
	MachineWaits MachineState = "waiting"
	// MachineInHand is being changed.
	MachineInHand MachineState = "in-hand"
	// MachineDone has the change.
	MachineDone MachineState = "done"
	// MachineUnseen has it or not: nothing shows it at present.
	MachineUnseen MachineState = "unseen"
)

// Leader is the process that does for the cluster what no two may do at once, as far as
// a run has seen. The zero value: none is seen.
type Leader struct {
	Component string `json:"component"` // "kube-controller-manager"
	Host      string `json:"host"`
	ID        string `json:"-"` // another one after every start
	// Renewed is when this run saw, by its own clock, that its lease had been renewed.
	Renewed time.Time `json:"renewed"`
	// RenewedAfter is a moment behind which that renewal was made; zero: none is known.
	RenewedAfter time.Time `json:"-"`
	// Leads is when this run saw first that it leads: it does at least since then.
	Leads time.Time `json:"-"`
}

// seen is l, or nil where it is none.
func (l Leader) seen() *Leader {
	if l.ID == "" {
		return nil
	}
	return &l
}

// led is who was seen to lead in turn, and for how long nobody was. The zero value: nobody
// was yet.
type led struct {
	last   Leader
	pauses []time.Duration
}

// after is what is known once now leads; it leaves l as it was. A pause began behind a
// renewal by one leader and was over when the next was seen to lead: its length is an
// upper bound. One whose beginning nobody can bound is left out.
func (l led) after(now Leader) led {
	if now.ID == "" {
		return l
	}
	if from := l.last.RenewedAfter; l.last.ID != now.ID && !from.IsZero() && now.Leads.After(from) {
		l.pauses = append(slices.Clone(l.pauses), now.Leads.Sub(from))
	}
	l.last = now
	return l
}
