package guard

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const (
	// leaseGrace is how long the migration lease may lack a renewing holder
	// beyond the gap that a hand-over takes by construction.
	leaseGrace = 60 * time.Second
	// readyGrace is how long a switched machine may stay not Ready.
	readyGrace = 5 * time.Minute
	// handoverGap is the longest hand-over by construction: a 15 s lease, 2 s
	// renewals and polling every 2 to 4.4 s.
	handoverGap = 24 * time.Second
)

// ReasonCCMRestarts is that of a cloud controller manager that ended after it had led.
const ReasonCCMRestarts = "CCMRestarts"

// Guard judges every reading while a change rolls out. Rancher goes on by
// itself, machine after machine; the guard is what notices that the last one
// went wrong before the next one starts. It keeps only what it saw, by its own
// monotonic clock, and takes what was before that from Signals.Past.
type Guard struct {
	leaseMark     string
	leaseMoved    time.Time
	notReadySince map[string]time.Time
	ccmRestarts   map[string]int32
	handedOver    bool
}

// Signals are what the guard judges in one reading.
type Signals struct {
	At time.Time
	// Gap is the longest hand-over by construction, from the lease durations in
	// force; handoverGap if zero.
	Gap time.Duration
	// Unseen: the reading before this one failed. What did not move meanwhile could
	// not be seen moving, or had no API server to move by.
	Unseen bool
	// Outage: a reading failed, or stood still, less than BackOff ago.
	Outage bool
	// Renames are continuity findings that mean a second name for one machine.
	Renames []Rename
	// Starving are control planes whose KCM is external and still has the flag.
	Starving []string
	// LeaseMark changes with every renewal of the migration lease; LeaseNeeded
	// is false where no holder is expected (before the flag is on anywhere).
	LeaseMark   string
	LeaseHolder string
	LeaseNeeded bool
	// CCMHolds says that a CCM holds the migration lease.
	CCMHolds bool
	// CCMRestarts counts container restarts by pod name.
	CCMRestarts map[string]int32
	// SwitchedNotReady are machines that already run the new configuration and
	// whose Node is not Ready.
	SwitchedNotReady []string
	// Past is the zero value for a run, which begins its clocks with its first reading.
	Past Past
}

// Rename is a machine that appears under more than one Node name.
type Rename struct{ Machine, Old, New, Why string }

// Judge returns the first reason to pull the brake, nil if there is none.
func (g *Guard) Judge(s Signals) error {
	if len(s.Renames) > 0 {
		r := s.Renames[0]
		if r.Old == r.New {
			return &fault.Error{Class: fault.Check, Reason: "NodeReplaced", Object: "Node " + r.Old, Seen: r.Why,
				Wanted: "the Node that Machine " + r.Machine + " had",
				Fix:    "find out what deleted it, and see that the pods it ran are back; then go on as after every brake: a new run takes the Node as it is now"}
		}
		return braked("NodeRenamed", "Machine "+r.Machine,
			fmt.Sprintf("registered a second Node: %s beside %s (%s)", r.New, r.Old, r.Why), "the one name it had")
	}
	if len(s.Starving) > 0 {
		return braked("StarvingLease", "kube-controller-manager of "+s.Starving[0],
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
	g.leaseMoved = earlier(g.leaseMoved, s.At.Add(-s.Past.LeaseStill))
	gap := s.Gap
	if gap == 0 {
		gap = handoverGap
	}
	if still := s.At.Sub(g.leaseMoved); still > gap+leaseGrace {
		return braked("LeaseNotRenewed", "Lease kube-system/cloud-provider-extraction-migration",
			fmt.Sprintf("holder %q has not renewed it for %s: service, route and cloud-node-lifecycle controllers run nowhere", s.LeaseHolder, still.Round(time.Second)),
			fmt.Sprintf("a renewing holder within %s", gap+leaseGrace))
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
			return braked(ReasonCCMRestarts, "Pod kube-system/"+pod,
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
			first = earlier(first, s.At.Add(-s.Past.NotReady[machine]))
		}
		since[machine] = first
	}
	g.notReadySince = since
	for machine, first := range since {
		if down := s.At.Sub(first); down > readyGrace {
			return braked("SwitchedNotReady", "Machine "+machine,
				fmt.Sprintf("runs the new configuration and is not Ready for %s", down.Round(time.Second)), "Ready within "+readyGrace.String())
		}
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func braked(reason, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted}
}
