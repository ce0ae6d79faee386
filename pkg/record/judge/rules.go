package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Controllers that move from kube-controller-manager to the cloud controller manager, by their
// names in kube-controller-manager 1.26.
const (
	Service   = "service"
	Route     = "route"
	Lifecycle = "cloud-node-lifecycle"
)

// Controllers returns them, in the order of a report.
func Controllers() []string { return []string{Service, Route, Lifecycle} }

const (
	maxStartTime       = lease.StartTime
	maxSerialStartTime = lease.SerialStartTime
	// maxExitTime limits the time from the end of a process's renewals to its exit.
	maxExitTime = time.Second
	// clockSlack widens both bounds of another machine's clock: for NTP's slewing, and for the
	// usual time between a write's stamp and its commit. A slow API server takes longer for some
	// writes: 2.2 s were measured on a machine with a load of five times its processors.
	clockSlack = 250 * time.Millisecond
	// near is the time around an observation in which another clock counts as unchanged.
	near = 5 * time.Minute
	// second is the resolution of a kubelet's times.
	second = time.Second
	// settleTimeout limits the time until a kubelet that reaches its API server has reported a pod
	// that it started, and stopped the previous processes. Measured on a real kubelet: 36 s until
	// the report, and 26 s with both running.
	settleTimeout = 45 * time.Second
)

// runsBy returns when the controllers under a process's main lease ran: counted from the
// acquisition, or from an observed holding time by its holder's clock.
func (p *process) runsBy(acquired Bound, main *tenure) time.Time {
	if p.program == wellknown.CCM {
		return acquired.Latest.Add(maxStartTime)
	}
	return earlier(acquired.Latest.Add(maxSerialStartTime), main.first.received.Add(max(maxStartTime, maxSerialStartTime-main.holdTime())))
}

// holdTime returns how long a lease had been held when it was first observed, by its holder's
// clock.
func (t *tenure) holdTime() time.Duration {
	if t.acquired.IsZero() {
		return 0
	}
	return max(0, t.first.stamp.Sub(t.acquired))
}

// timing holds the durations of a leader election.
type timing struct{ deadline, retry time.Duration }

// defaults returns the defaults of k8s.io/component-base/config.
func defaults() timing {
	return timing{deadline: component.DefaultRenewDeadline, retry: component.DefaultRetryPeriod}
}

// longest returns the longer duration of each.
func (t timing) longest(o timing) timing {
	return timing{deadline: max(t.deadline, o.deadline), retry: max(t.retry, o.retry)}
}

// gone returns how long after its last write a process has exited if it could not write again:
// one retry period until it tries, its renew deadline of trying
// (k8s.io/client-go/tools/leaderelection/leaderelection.go@v0.26.13, renew), and its exit.
func (t timing) gone() time.Duration { return t.retry + t.deadline + maxExitTime }
