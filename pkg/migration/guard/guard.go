package guard

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const (
	// leaseTimeout limits the time without a renewal of the migration lease, in addition to
	// the gap of a normal hand-over.
	leaseTimeout = 60 * time.Second
	// readyTimeout limits the time that a switched machine may stay not Ready.
	readyTimeout = 5 * time.Minute
	// defaultHandoverGap is the longest hand-over with default durations: a 15 s lease, 2 s
	// renewals and polling every 2 to 4.4 s.
	defaultHandoverGap = 24 * time.Second
)

// ReasonCCMRestarts marks a cloud controller manager that restarted after it had led.
const ReasonCCMRestarts = "CCMRestarts"

// Guard judges every reading during a rollout. Rancher continues, machine after machine,
// without action; the guard must detect a failed machine before Rancher starts the next one.
// It remembers only its own observations, by the run's clock. Signals.Past adds the time
// before them.
type Guard struct {
	leaseMark     string
	leaseMoved    time.Time
	notReadySince map[string]time.Time
	ccmRestarts   map[string]int32
	handedOver    bool
}

// Signals holds the facts of one reading that the guard judges.
type Signals struct {
	At time.Time
	// Gap is the longest normal hand-over with the lease durations in force. If it is zero,
	// defaultHandoverGap applies.
	Gap time.Duration
	// Unseen reports whether the previous reading failed. A missing change then proves nothing:
	// it was not visible, or had no API server.
	Unseen bool
	// Outage reports whether a reading failed or hung less than BackOff ago.
	Outage bool
	// Renames holds the machines with a second or a replaced Node.
	Renames []Rename
	// Starving holds the control planes whose KCM is external and still has the flag.
	Starving []string
	// LeaseMark changes with every renewal of the migration lease. LeaseNeeded reports whether
	// a holder is expected; none is before the flag is set.
	LeaseMark   string
	LeaseHolder string
	LeaseNeeded bool
	// CCMHolds reports whether a CCM holds and renews the migration lease.
	CCMHolds bool
	// CCMRestarts counts container restarts by pod name.
	CCMRestarts map[string]int32
	// SwitchedNotReady holds the machines that run the new configuration and whose Node is not
	// Ready.
	SwitchedNotReady []string
	// Past is zero for a run, whose clocks start with its first reading.
	Past Past
}

// Rename describes a machine with a second Node name, or with a new Node of the same name.
type Rename struct{ Machine, Old, New, Why string }

// Judge returns the first reason to pause the rollout, or nil.
func (g *Guard) Judge(s Signals) error {
	if len(s.Renames) > 0 {
		r := s.Renames[0]
		if r.Old == r.New {
			return &fault.Error{Class: fault.Check, Reason: "NodeReplaced", Object: "Node " + r.Old, Seen: r.Why,
				Wanted: "the Node that Machine " + r.Machine + " had",
				Fix:    "find out what deleted it, and check that its pods run again; then continue as after any pause: the next run takes the Node as it is now"}
		}
		return checkFault("NodeRenamed", "Machine "+r.Machine,
			fmt.Sprintf("registered a second Node: %s, next to %s (%s)", r.New, r.Old, r.Why), "the one name it had")
	}
	if len(s.Starving) > 0 {
		return checkFault("StarvingLease", "kube-controller-manager of "+s.Starving[0],
			"runs external and still has enable-leader-migration: it can hold the migration lease and run none of its controllers", "no flag on an external kube-controller-manager")
	}
	if err := g.judgeLease(s); err != nil {
		return err
	}
	if err := g.judgeCCM(s); err != nil {
		return err
	}
	return g.judgeReady(s)
}

func (g *Guard) judgeLease(s Signals) error {
	if !s.LeaseNeeded || s.Unseen || s.LeaseMark != g.leaseMark || g.leaseMoved.IsZero() {
		g.leaseMark, g.leaseMoved = s.LeaseMark, s.At
	}
	if !s.LeaseNeeded || s.Unseen {
		return nil
	}
	g.leaseMoved = minTime(g.leaseMoved, s.At.Add(-s.Past.LeaseStill))
	gap := s.Gap
	if gap == 0 {
		gap = defaultHandoverGap
	}
	if still := s.At.Sub(g.leaseMoved); still > gap+leaseTimeout {
		return checkFault("LeaseNotRenewed", "Lease kube-system/cloud-provider-extraction-migration",
			fmt.Sprintf("holder %q has not renewed it for %s: service, route and cloud-node-lifecycle controllers run nowhere", s.LeaseHolder, still.Round(time.Second)),
			fmt.Sprintf("a renewing holder within %s", gap+leaseTimeout))
	}
	return nil
}

func (g *Guard) judgeCCM(s Signals) error {
	before, wasHandedOver := g.ccmRestarts, g.handedOver
	if before == nil && s.Past.CCMRestarts != nil {
		before, wasHandedOver = s.Past.CCMRestarts, true
	}
	g.ccmRestarts = s.CCMRestarts
	g.handedOver = wasHandedOver || s.CCMHolds
	if !wasHandedOver || before == nil || s.Outage {
		return nil
	}
	for pod, restarts := range s.CCMRestarts {
		if old, known := before[pod]; known && restarts > old {
			return checkFault(ReasonCCMRestarts, "Pod kube-system/"+pod,
				fmt.Sprintf("restarted after the hand-over, from %d restarts to %d", old, restarts), "a cloud controller manager that keeps running")
		}
	}
	return nil
}

func (g *Guard) judgeReady(s Signals) error {
	since := make(map[string]time.Time, len(s.SwitchedNotReady))
	for _, machine := range s.SwitchedNotReady {
		first, known := g.notReadySince[machine]
		if !known || s.Unseen {
			first = s.At
		}
		if !s.Unseen {
			first = minTime(first, s.At.Add(-s.Past.NotReady[machine]))
		}
		since[machine] = first
	}
	g.notReadySince = since
	for machine, first := range since {
		if down := s.At.Sub(first); down > readyTimeout {
			return checkFault("SwitchedNotReady", "Machine "+machine,
				fmt.Sprintf("runs the new configuration and is not Ready for %s", down.Round(time.Second)), "Ready within "+readyTimeout.String())
		}
	}
	return nil
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func checkFault(reason, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted}
}
