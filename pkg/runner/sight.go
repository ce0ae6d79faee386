package runner

import (
	"slices"
	"time"
)

// Machine is a machine that a step changes, in one observation.
type Machine struct {
	Name  string       `json:"name"`
	Group MachineGroup `json:"group"`
	State MachineState `json:"state"`
	// Doing describes current work on the machine, for people: "kubelet restarting".
	Doing string `json:"doing,omitempty"`
}

// MachineGroup is a kind of machine. Machines of one group take about the same time in one step.
type MachineGroup string

const (
	// ControlPlanes run a control plane, and possibly other components.
	ControlPlanes MachineGroup = "control-plane"
	// Workers run no control plane.
	Workers MachineGroup = "worker"
)

// MachineState is the progress of a Machine.
type MachineState string

const (
	// MachineWaits means that the machine lacks the change and is not being changed.
	MachineWaits MachineState = "waiting"
	// MachineChanging means that the machine is being changed.
	MachineChanging MachineState = "in-hand"
	// MachineDone means that the machine has the change.
	MachineDone MachineState = "done"
	// MachineUnseen means that nothing shows at present whether the machine has the change.
	MachineUnseen MachineState = "unseen"
)

// Leader is the observed holder of a role that only one process may have at a time. The zero
// value means that none is observed.
type Leader struct {
	Component string `json:"component"` // "kube-controller-manager"
	Host      string `json:"host"`
	ID        string `json:"-"` // changes with every start
	// Renewed is the time, by this run's clock, at which it saw the renewed lease.
	Renewed time.Time `json:"renewed"`
	// RenewedAfter is a lower bound of the time of that renewal, or zero if unknown.
	RenewedAfter time.Time `json:"-"`
	// Leads is the time at which this run first saw it lead. It has led at least since then.
	Leads time.Time `json:"-"`
	// Starts limits the time from the beginning of its lead until it does its work.
	Starts time.Duration `json:"-"`
}

// orNil returns l, or nil if no leader is observed.
func (l Leader) orNil() *Leader {
	if l.ID == "" {
		return nil
	}
	return &l
}

// leadership holds the last observed leader, and the times without one.
type leadership struct {
	last   Leader
	pauses []time.Duration
}

// add returns l extended by the observation now; it does not change l. A pause begins after a
// renewal of one leader and ends once the next one, which is seen by then, has started its work. Its
// length is therefore an upper bound. A pause with an unknown beginning is omitted.
func (l leadership) add(now Leader) leadership {
	if now.ID == "" {
		return l
	}
	if from := l.last.RenewedAfter; l.last.ID != now.ID && !from.IsZero() && now.Leads.After(from) {
		l.pauses = append(slices.Clone(l.pauses), now.Leads.Sub(from)+now.Starts)
	}
	l.last = now
	return l
}
