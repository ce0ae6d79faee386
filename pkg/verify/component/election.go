package component

import (
	"errors"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Defaults of k8s.io/component-base/config since 1.22.
const (
	DefaultLeaseDuration = 15 * time.Second
	DefaultRenewDeadline = 10 * time.Second
	DefaultRetryPeriod   = 2 * time.Second
	DefaultLockNamespace = wellknown.System
)

// Election holds the leader election settings of a component. The migration lock uses the
// same namespace and durations.
type Election struct {
	Enabled       bool
	LeaseDuration time.Duration
	RenewDeadline time.Duration
	RetryPeriod   time.Duration
	Namespace     string
	Name          string // of the main lock, or "" for the component's default
	Lock          string // resource lock; default "leases"
}

// Election reads the --leader-elect flags. It returns an error that names each unreadable
// flag.
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

// Gap returns the minimum and maximum time from a holder's death to the acquisition by a
// candidate that already polls. The candidate must see the lease unchanged for its whole
// duration, which began at most one retry period before the death. It then polls every 1 to
// 2.2 retry periods (client-go jitter factor 1.2).
func (e Election) Gap() (minGap, maxGap time.Duration) {
	jittered := time.Duration(float64(e.RetryPeriod) * 2.2)
	return e.LeaseDuration - e.RetryPeriod, e.LeaseDuration + 2*jittered
}

// LongestRenewDeadline returns the longest renew deadline of several components, or the
// default if none is longer.
func LongestRenewDeadline(all []Args) time.Duration {
	longest := DefaultRenewDeadline
	for _, args := range all {
		if e, err := args.Election(); err == nil {
			longest = max(longest, e.RenewDeadline)
		}
	}
	return longest
}
