package guard

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// CordonPlan says which control-plane nodes are cordoned, and whether they
// should be at all.
type CordonPlan struct {
	Skip   string   // why nothing is cordoned; empty: it is
	Open   []string // schedulable control-plane nodes
	Ours   []string // nodes that carry our cordon
	Theirs []string // cordoned by somebody else: left alone, and left alone afterwards
}

// keepsPodsOff says whether taints keep ordinary pods off a node.
func keepsPodsOff(node *downstream.Node) bool {
	for _, taint := range node.Taints {
		if taint.Effect == "NoSchedule" || taint.Effect == "NoExecute" {
			return true
		}
	}
	return false
}

// PlanCordon follows the guides' cordon, though not their reason for it: a
// cordon does not hold the CCM's pods back, since DaemonSet pods tolerate it.
// It is left out where it would take the cluster's scheduling away or where
// something else cordons and uncordons.
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

// Without leaves out Nodes of control planes that came since the preflight: the next
// step that writes says that they came, and the preflight of a new run looks at them.
func (p CordonPlan) Without(newcomers []string) CordonPlan {
	p.Open = slices.DeleteFunc(slices.Clone(p.Open), func(node string) bool { return slices.Contains(newcomers, node) })
	return p
}

func cordonOf(node *downstream.Node) awsccm.CordonState {
	return awsccm.CordonOf(node.Annotations, node.Unschedulable)
}

// UserCordons are the nodes that somebody else has cordoned, by UID.
func UserCordons(nodes []downstream.Node) map[string]string {
	cordoned := map[string]string{}
	for i := range nodes {
		if cordonOf(&nodes[i]) == awsccm.CordonedByOther {
			cordoned[nodes[i].Name] = nodes[i].UID
		}
	}
	return cordoned
}

func cordonedThen(before continuity.Fingerprint, node *downstream.Node) bool {
	for _, then := range before.Nodes {
		if then.Cordoned && then.Name == node.Name && then.UID == node.UID {
			return true
		}
	}
	return false
}

// LostCordons are the Nodes that their user had cordoned and that a roll has
// made schedulable. Without a fingerprint there are none that anybody knows of.
func LostCordons(s migration.Snapshot) []string {
	before, known, err := Fingerprint(s.Record)
	if err != nil || !known {
		return nil
	}
	return LostSince(before, s.Reading.Down.Nodes)
}

// LostSince are those of a fingerprint.
func LostSince(before continuity.Fingerprint, nodes []downstream.Node) []string {
	var lost []string
	for i := range nodes {
		if node := &nodes[i]; !node.Unschedulable && cordonedThen(before, node) {
			lost = append(lost, node.Name)
		}
	}
	return lost
}

// OpenCordons is what every roll waits for: that the cordons which it removed are
// set again by RestoreUserCordons.
func OpenCordons(s migration.Snapshot) []migration.PendingCondition {
	var open []migration.PendingCondition
	for _, name := range LostCordons(s) {
		open = append(open, migration.PendingCondition{Object: "Node " + name, Seen: "is to be cordoned again, as its user had", Wanted: "cordoned"})
	}
	return open
}

// CordonedElsewhere says whether a Node is cordoned neither by us nor, before the
// first write, by its user.
func CordonedElsewhere(s migration.Snapshot, node *downstream.Node) bool {
	before, _, err := Fingerprint(s.Record)
	return err == nil && cordonOf(node) == awsccm.CordonedByOther && !cordonedThen(before, node)
}
