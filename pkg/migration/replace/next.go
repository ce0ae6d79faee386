package replace

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Move describes the next action of a replacement. At most one field but Leads, End and Unproven is set.
type Move struct {
	// Done reports whether no pod is left to replace.
	Done bool
	// Wait names what must happen first.
	Wait string
	// Roll says why the order cannot be kept. The DaemonSet then replaces the pods.
	Roll string
	// Pod is the pod to delete, or nil.
	Pod *downstream.Pod
	// Leads reports whether the pod holds the main lease.
	Leads bool
	// End is the ID of the container whose end frees the main lease. It is empty if the pod
	// does not lead, or if the container cannot be tied to the holder: Unproven then says why.
	End, Unproven string
}

// Next returns the next move towards pods that all have the migration flag, or that all lack
// it. It replaces a pod only while every control plane has a pod, and all replaced ones are
// Ready, and the leader only when no other pod is left.
func Next(r migration.Reading, flagged bool) Move {
	left, current := split(r.Down.CCMPods, flagged)
	if len(left) == 0 {
		return Move{Done: true}
	}
	if why := unready(r, left, current); why != "" {
		return Move{Wait: why}
	}
	main := lease.JudgeMain(r.Leases.CCM, r.RenewDeadline())
	if main.Life != lease.Alive {
		return Move{Wait: "main lease: " + main.Text()}
	}
	leader, why := leaderOf(r, main.Host())
	if why != "" {
		return Move{Roll: why}
	}
	others := slices.DeleteFunc(slices.Clone(left), func(p downstream.Pod) bool { return p.UID == leader.UID })
	if i := slices.IndexFunc(others, func(p downstream.Pod) bool { return p.Ready }); i > 0 {
		others[0], others[i] = others[i], others[0] // one on a machine that is off would hold up the others
	}
	if len(others) > 0 {
		return Move{Pod: &others[0]}
	}
	end, unproven := containerOf(leader, r.Leases.CCM.Last)
	return Move{Pod: &leader, Leads: true, End: end, Unproven: unproven}
}

// SameLeader reports whether the main lease is still held by the process of a reading, without a
// transition in between.
func SameLeader(r migration.Reading, now lease.Readings) bool {
	seen := r.Leases.CCM.Last
	return now.CCM.Exists && now.CCM.UID == seen.UID && now.CCM.Holder == seen.Holder && now.CCM.Transitions == seen.Transitions
}

// LedBy reports whether a pod that needs no replacement holds the main lease and renews it.
func LedBy(r migration.Reading, flagged bool) bool {
	main := lease.JudgeMain(r.Leases.CCM, r.RenewDeadline())
	leader, why := leaderOf(r, main.Host())
	_, current := split(r.Down.CCMPods, flagged)
	return main.Life == lease.Alive && why == "" && slices.ContainsFunc(current, func(p downstream.Pod) bool { return p.UID == leader.UID })
}

// Container returns the ID of a pod's only container, or empty.
func Container(p downstream.Pod) string {
	if len(p.Statuses) != 1 {
		return ""
	}
	return p.Statuses[0].ID
}

// Left returns the pods that differ from the wanted flag, in any phase.
func Left(r migration.Reading, flagged bool) []downstream.Pod {
	left, _ := split(r.Down.CCMPods, flagged)
	return left
}

// split returns the pods that must be replaced and the others. A pod with a flag that cannot
// be read must be replaced.
func split(pods []downstream.Pod, flagged bool) (left, current []downstream.Pod) {
	for _, p := range pods {
		container, is := downstream.RunsCCM(p.Containers)
		if !is || p.Over() {
			continue
		}
		if on, err := container.Flags().Bool(component.EnableLeaderMigration, false); err != nil || on != flagged {
			left = append(left, p)
		} else {
			current = append(current, p)
		}
	}
	return left, current
}

// unready names what keeps the next pod from being replaced, or is empty.
func unready(r migration.Reading, left, current []downstream.Pod) string {
	covered := map[string]bool{}
	for _, p := range left {
		covered[p.Node] = true
	}
	for _, p := range current {
		covered[p.Node] = covered[p.Node] || p.Ready
		if !p.Ready {
			return fmt.Sprintf("pod %s on Node %s is not ready", p.Name, p.Node)
		}
	}
	for _, p := range slices.Concat(left, current) {
		if p.Deleting {
			return fmt.Sprintf("pod %s on Node %s is about to end", p.Name, p.Node)
		}
	}
	for _, n := range r.ControlPlaneNodes() {
		if !covered[n.Name] {
			return fmt.Sprintf("Node %s has no pod", n.Name)
		}
	}
	return ""
}

// leaderOf returns the only pod on the leader's host, or the reason for its absence.
func leaderOf(r migration.Reading, host string) (leader downstream.Pod, why string) {
	found := r.CCMPodsOn(host)
	if len(found) != 1 {
		return leader, fmt.Sprintf("the main lease is held on host %s, where %d pods of the cloud controller manager run", host, len(found))
	}
	return found[0], ""
}

// containerOf returns the ID of the leader's container, or why it cannot be tied to the lease.
// It must be the only one of its pod, run, and have started before the lease was acquired. Both
// times are from the leader's machine; the start is in whole seconds.
func containerOf(leader downstream.Pod, held lease.Observation) (id, why string) {
	switch {
	case Container(leader) == "" || leader.Statuses[0].HeldBack():
		return "", fmt.Sprintf("pod %s does not show the one container that runs", leader.Name)
	case held.Acquire.IsZero() || leader.Started.IsZero() || leader.Started.After(held.Acquire):
		return "", fmt.Sprintf("the container of pod %s is not seen to have run when it took the main lease", leader.Name)
	}
	return Container(leader), ""
}
