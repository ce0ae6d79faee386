package procedure

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// holderContainer describes the container of the migration lease's holder, as its kubelet
// reports it.
type holderContainer struct {
	pod string // in kube-system
	id  string
	// renewDeadline is the minimum time for which the holder works after a fence.
	renewDeadline time.Duration
}

// findHolderContainer returns the container of the holder, or why none can be identified. It
// must be the only container of a static pod on the holder's machine, and have started before
// the holder took the lease. Both times are from that machine's clock; the start is in whole
// seconds.
func findHolderContainer(r migration.Reading) (c holderContainer, why string) {
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
	return holderContainer{pod: k.Pod.Name, id: k.Pod.Statuses[0].ID, renewDeadline: e.RenewDeadline}, ""
}

// containerState is the state of one container according to the statuses of its pod.
type containerState int

const (
	stateUnproven containerState = iota // or no proof
	stateRunning
	stateEnded // its process has exited
)

// stateIn returns the state of the container according to the statuses of its pod.
func (c holderContainer) stateIn(statuses []downstream.ContainerStatus) containerState {
	for _, s := range statuses {
		for _, end := range []*downstream.End{s.Ended, s.Before} {
			if end != nil && end.ID == c.id && end.Certain() {
				return stateEnded
			}
		}
		if s.ID == c.id && !s.HeldBack() {
			return stateRunning
		}
	}
	return stateUnproven
}
