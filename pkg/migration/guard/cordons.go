package guard

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// CordonPlan lists the control-plane nodes to cordon and those that are cordoned already.
type CordonPlan struct {
	Skip   string   // reason to cordon no node, or empty
	Open   []string // schedulable control-plane nodes
	Ours   []string // nodes with awsmigrate's cordon
	Theirs []string // nodes with another writer's cordon, which stays
}

// keepsPodsOff reports whether taints keep ordinary pods off a node.
func keepsPodsOff(node *downstream.Node) bool {
	for _, taint := range node.Taints {
		if taint.Effect == "NoSchedule" || taint.Effect == "NoExecute" {
			return true
		}
	}
	return false
}

// PlanCordon returns the cordons of Rancher's guides. The guides' reason is wrong: a cordon
// does not delay the CCM's pods, since DaemonSet pods tolerate it. PlanCordon skips the
// cordon if no schedulable node would remain, or if Rancher itself cordons and uncordons.
func PlanCordon(v migration.Reading) CordonPlan {
	var plan CordonPlan
	targets := map[string]bool{}
	for _, m := range v.Members {
		if !m.ControlPlane || m.Worker {
			continue
		}
		for _, name := range m.Nodes {
			targets[name] = true
		}
	}
	left := 0
	for i := range v.Down.Nodes {
		node := &v.Down.Nodes[i]
		state := cordonOf(node)
		switch {
		case state == awsccm.CordonedByUs || state == awsccm.CordonLost:
			plan.Ours = append(plan.Ours, node.Name)
		case targets[node.Name] && state == awsccm.CordonedByOther:
			plan.Theirs = append(plan.Theirs, node.Name)
		case targets[node.Name]:
			plan.Open = append(plan.Open, node.Name)
		}
		if !targets[node.Name] && !node.Unschedulable && node.IsReady() && !keepsPodsOff(node) {
			left++
		}
	}
	plan.Skip = cordonSkip(v, len(targets), left)
	return plan
}

func cordonSkip(v migration.Reading, targets, left int) string {
	switch {
	case v.CordonSkip != "":
		return v.CordonSkip
	case targets == 0:
		return "every control-plane node is a worker too"
	case left == 0:
		return "no schedulable, Ready node without special taints would be left, neither for pods nor for Rancher's agent"
	}
	return ""
}

// Without removes the Nodes of control planes that joined after the preflight. The next step
// that writes reports them, and the preflight of a new run checks them.
func (p CordonPlan) Without(newcomers []string) CordonPlan {
	p.Open = slices.DeleteFunc(slices.Clone(p.Open), func(node string) bool { return slices.Contains(newcomers, node) })
	return p
}

func cordonOf(node *downstream.Node) awsccm.CordonState {
	return awsccm.CordonOf(node.Annotations, node.Unschedulable)
}

// UserCordons returns the UIDs, by name, of the nodes that another writer cordoned.
func UserCordons(nodes []downstream.Node) map[string]string {
	cordoned := map[string]string{}
	for i := range nodes {
		if cordonOf(&nodes[i]) == awsccm.CordonedByOther {
			cordoned[nodes[i].Name] = nodes[i].UID
		}
	}
	return cordoned
}

// wasCordoned reports whether the fingerprint has the same Node as cordoned.
func wasCordoned(before continuity.Fingerprint, node *downstream.Node) bool {
	for _, then := range before.Nodes {
		if then.Cordoned && then.Name == node.Name && then.UID == node.UID {
			return true
		}
	}
	return false
}

// LostCordons returns the Nodes that a user had cordoned and a rollout made schedulable. It
// returns none without a fingerprint, which is the only record of those cordons.
func LostCordons(s migration.Snapshot) []string {
	before, known, err := Fingerprint(s.Record)
	if err != nil || !known {
		return nil
	}
	return LostSince(before, s.Reading.Down.Nodes)
}

// LostSince returns the Nodes that were cordoned in a fingerprint and are schedulable now.
func LostSince(before continuity.Fingerprint, nodes []downstream.Node) []string {
	var lost []string
	for i := range nodes {
		if node := &nodes[i]; !node.Unschedulable && wasCordoned(before, node) {
			lost = append(lost, node.Name)
		}
	}
	return lost
}

// OpenCordons returns a condition for each lost cordon. Every rollout waits until
// RestoreUserCordons has set these cordons again.
func OpenCordons(s migration.Snapshot) []migration.PendingCondition {
	var open []migration.PendingCondition
	for _, name := range LostCordons(s) {
		open = append(open, migration.PendingCondition{Object: "Node " + name, Seen: "restoring its user's cordon", Wanted: "cordoned"})
	}
	return open
}

// CordonedElsewhere reports whether another writer cordoned a Node after the first write of
// the migration.
func CordonedElsewhere(s migration.Snapshot, node *downstream.Node) bool {
	before, _, err := Fingerprint(s.Record)
	return err == nil && cordonOf(node) == awsccm.CordonedByOther && !wasCordoned(before, node)
}
