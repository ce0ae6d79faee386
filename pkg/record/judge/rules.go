package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Controllers that move from kube-controller-manager to the cloud controller manager,
// by the names that kube-controller-manager 1.26 gives them.
const (
	Service   = "service"
	Route     = "route"
	Lifecycle = "cloud-node-lifecycle"
)

// Controllers lists them, in the order of a report.
func Controllers() []string { return []string{Service, Route, Lifecycle} }

const (
	// startWithin is how long controllers take from the acquisition of their lease until
	// they run, at most: measured were 0.02 s in a cloud controller manager and 0.17 s in
	// a kube-controller-manager, with warm informers, on a machine with 20 times the load
	// that it has processors for.
	startWithin = time.Second
	// oneByOne is how long they take under the main lease of kube-controller-manager, where
	// all of its controllers are started one after another, in an order of chance: whatever
	// follows nodeipam waits with it for 10 s, as it does before it lists Nodes
	// (kubernetes/kubernetes:pkg/controller/nodeipam/ipam/cidr_allocator.go@v1.26.13, line 148).
	// Seen on a machine with ten times the load that it has processors for: 12.5 s.
	oneByOne = 15 * time.Second
	// exitWithin is how long a process takes from the end of its renewing to its exit.
	exitWithin = time.Second
	// slack is added to both sides of what is known of another machine's clock: for what
	// NTP slews, and for the way of a write between the stamp in it and its commit.
	slack = 250 * time.Millisecond
	// near is how far from a moment another clock is still taken to run as it did then.
	near = 5 * time.Minute
	// second is the resolution of a kubelet's times.
	second = time.Second
	// settle is by when a kubelet that reaches its API server has shown a pod that it started,
	// and ended the processes of the one before. Measured on a real kubelet: 36 s until it
	// shows one, and 26 s of both side by side.
	settle = 45 * time.Second
)

// runsBy is by when the controllers of a process ran that it runs under its main lease: in
// time from its acquisition, or from when it was first seen to have held it for a while, by
// its holder's clock.
func (p *process) runsBy(acquired Bound, main *tenure) time.Time {
	if p.program == wellknown.CCM {
		return acquired.Latest.Add(startWithin)
	}
	return earlier(acquired.Latest.Add(oneByOne), main.first.received.Add(max(startWithin, oneByOne-main.heldFor())))
}

// heldFor is how long a lease had been held when it was first seen, by its holder's clock.
func (t *tenure) heldFor() time.Duration {
	if t.acquired.IsZero() {
		return 0
	}
	return max(0, t.first.stamp.Sub(t.acquired))
}

// timing is what a process elects its leader by.
type timing struct{ deadline, retry time.Duration }

// defaults are those of k8s.io/component-base/config.
func defaults() timing {
	return timing{deadline: component.DefaultRenewDeadline, retry: component.DefaultRetryPeriod}
}

// longest is the longer of both, each.
func (t timing) longest(o timing) timing {
	return timing{deadline: max(t.deadline, o.deadline), retry: max(t.retry, o.retry)}
}

// gone is how long after its last write a process has ended by itself, if it could not
// write again: one retry period until it tries, its renew deadline of trying
// (k8s.io/client-go/tools/leaderelection/leaderelection.go@v0.26.13, renew), and its exit.
func (t timing) gone() time.Duration { return t.retry + t.deadline + exitWithin }
