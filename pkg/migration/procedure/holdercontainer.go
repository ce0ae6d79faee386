package procedure

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// holderContainer is the container in which the holder of the migration lease runs, as its
// kubelet shows it.
type holderContainer struct {
	pod string // of kube-system
	id  string
	// worksOn is for how long the holder works at least once it is fenced: to its renew
	// deadline.
	worksOn time.Duration
}

// holderIn is the container of the holder, or why none is known to be its: one container of
// a static pod on the holder's machine that runs since before the holder took the lease.
// Both times are by that machine's clock, the start in whole seconds.
func holderIn(r migration.Reading) (c holderContainer, why string) {
	held := r.Leases.Migration.Last
	host := lease.Host(held.Holder)
	k, there := r.KCMOn(host)
	switch {
	case !there:
		return c, "no kube-controller-manager is known of host " + host
	case k.Pod == nil:
		return c, "no kubelet shows the container of " + k.Name()
	case len(k.Pod.Statuses) != 1 || k.Pod.Statuses[0].HeldBack() || k.Pod.Statuses[0].ID == "":
		return c, fmt.Sprintf("pod %s does not show the one container that runs", k.Pod.Name)
	}
	started, err := time.Parse(time.RFC3339, k.Started)
	if err != nil || held.Acquire.IsZero() || started.After(held.Acquire) {
		return c, fmt.Sprintf("the container of pod %s is not seen to have run when %s took the lease", k.Pod.Name, host)
	}
	e, err := k.Args.Election()
	if err != nil {
		return c, fmt.Sprintf("%s: its leader election cannot be read: %v", k.Name(), err)
	}
	return holderContainer{pod: k.Pod.Name, id: k.Pod.Statuses[0].ID, worksOn: e.RenewDeadline}, ""
}

// shown is what the statuses of a pod say of one container.
type shown int

const (
	nothing   shown = iota // or nothing that proves anything
	isRunning              // it runs
	hasEnded               // its process is gone
)

// of is what the statuses of its pod say of the container.
func (c holderContainer) of(statuses []downstream.ContainerStatus) shown {
	for _, s := range statuses {
		for _, end := range []*downstream.End{s.Ended, s.Before} {
			if end != nil && end.ID == c.id && end.Certain() {
				return hasEnded
			}
		}
		if s.ID == c.id && !s.HeldBack() {
			return isRunning
		}
	}
	return nothing
}
