package component

import (
	"errors"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Defaults of k8s.io/component-base/config, the same from 1.22 on.
const (
	DefaultLeaseDuration = 15 * time.Second
	DefaultRenewDeadline = 10 * time.Second
	DefaultRetryPeriod   = 2 * time.Second
	DefaultLockNamespace = wellknown.System
)

// Election is how a component elects its leader. The migration lock uses the
// namespace and the durations of the component's own election.
type Election struct {
	Enabled       bool
	LeaseDuration time.Duration
	RenewDeadline time.Duration
	RetryPeriod   time.Duration
	Namespace     string
	Name          string // of the main lock; "" means the component's default
	Lock          string // resource lock, "leases" by default
}

// Election reads the --leader-elect flags; an error names every one that cannot
// be read.
func (a Args) Election() (Election, error) {
	e := Election{Namespace: DefaultLockNamespace, Lock: "leases"}
	var errs [4]error
	e.Enabled, errs[0] = a.Bool("leader-elect", true)
	e.LeaseDuration, errs[1] = a.Duration("leader-elect-lease-duration", DefaultLeaseDuration)
	e.RenewDeadline, errs[2] = a.Duration("leader-elect-renew-deadline", DefaultRenewDeadline)
	e.RetryPeriod, errs[3] = a.Duration("leader-elect-retry-period", DefaultRetryPeriod)
	if v := a.Last("leader-elect-resource-namespace"); v != "" {
		e.Namespace = v
	}
	if v := a.Last("leader-elect-resource-lock"); v != "" {
		e.Lock = v
	}
	e.Name = a.Last("leader-elect-resource-name")
	return e, errors.Join(errs[:]...)
}

// Gap is the shortest and longest time between the death of a holder and the
// acquisition by a candidate that already polls: the lease must have been seen
// unchanged for its duration, which began up to one retry before the death, and
// is then looked at every retry to 2.2 retries (client-go jitter factor 1.2).
func (e Election) Gap() (shortest, longest time.Duration) {
	jittered := time.Duration(float64(e.RetryPeriod) * 2.2)
	return e.LeaseDuration - e.RetryPeriod, e.LeaseDuration + 2*jittered
}

// LongestRenewDeadline is that of several components; the default where none says more.
func LongestRenewDeadline(all []Args) time.Duration {
	longest := DefaultRenewDeadline
	for _, args := range all {
		if e, err := args.Election(); err == nil {
			longest = max(longest, e.RenewDeadline)
		}
	}
	return longest
}
