package migration

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// NodesNotReady returns one condition for each Node that keeps the cluster from being at rest.
func (r Reading) NodesNotReady() []PendingCondition {
	var problems []PendingCondition
	for _, node := range r.notReady() {
		problems = append(problems, PendingCondition{Object: "Node " + node.Name, Seen: whyNotReady(node), Wanted: "Ready"})
	}
	return problems
}

func (r Reading) notReady() []*downstream.Node {
	var nodes []*downstream.Node
	for i := range r.Down.Nodes {
		node := &r.Down.Nodes[i]
		if isShutDown(node) || !node.IsReady() && !r.Stale[node.Name] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// isShutDown reports whether a cloud provider marked the Node's instance as shut down.
func isShutDown(node *downstream.Node) bool {
	for _, taint := range node.Taints {
		if taint.Key == downstream.TaintShutdown {
			return true
		}
	}
	return false
}

// whyNotReady describes the Node briefly; its own condition message can be a page long.
func whyNotReady(node *downstream.Node) string {
	if isShutDown(node) {
		return "is not Ready: its instance is shut down"
	}
	since := node.Ready.Since.UTC().Format("15:04:05Z")
	switch {
	case node.Ready.Status == "Unknown":
		return "is not Ready: its kubelet says nothing since " + since
	case node.Ready.Status == "False" && node.Ready.Reason != "":
		return fmt.Sprintf("is not Ready: %s since %s", node.Ready.Reason, since)
	}
	return "is not Ready"
}

// HeldUpBy returns an error that names what blocks a rollout: a machine without its Node, or
// a Node that is not Ready. It returns nil if nothing does. The block may end without action,
// for example when a machine has restarted.
func (r Reading) HeldUpBy() error {
	nodes := r.notReady()
	for _, pending := range r.Pending {
		if pending.Fix != "" {
			return &fault.Error{Class: fault.Check, Reason: "NodeDeleted", Object: pending.Object, Seen: pending.Seen, Wanted: pending.Wanted,
				Fix: pending.Fix + "; then run the same command again"}
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	seen := whyNotReady(nodes[0])
	var others []string
	for _, node := range nodes[1:] {
		others = append(others, "Node "+node.Name+" "+whyNotReady(node))
	}
	if len(others) > 0 {
		seen += "; " + JoinSome(others)
	}
	return &fault.Error{Class: fault.Check, Reason: "NodeNotReady", Object: "Node " + nodes[0].Name, Seen: seen,
		Wanted: "every Node Ready", Fix: bringBack(nodes) + "; then run the same command again"}
}

// bringBack returns a fix for all nodes: a command if all their instances are known to be off.
func bringBack(nodes []*downstream.Node) string {
	zone := ""
	var ids []string
	for _, node := range nodes {
		at, id, known := downstream.ParseProviderID(node.ProviderID)
		if !isShutDown(node) || !known || zone != "" && cloud.RegionOf(zone) != cloud.RegionOf(at) {
			return "bring the machine back, or its kubelet: " + joinNames(nodes)
		}
		zone, ids = at, append(ids, id)
	}
	words := append([]string{"aws", "ec2", "start-instances", "--instance-ids"}, ids...)
	if region := cloud.RegionOf(zone); region != "" {
		words = append(words, "--region", region)
	}
	return "start the instances: " + fault.Command(words...)
}

func joinNames(nodes []*downstream.Node) string {
	all := make([]string, 0, len(nodes))
	for _, node := range nodes {
		all = append(all, node.Name)
	}
	return strings.Join(all, ", ")
}

// WaitForNodes makes the rollout wait for the Nodes of a reading. Nodes come first in the
// list, since they are the cause of most other waits.
func (r *RolloutJudgement) WaitForNodes(reading Reading) {
	waits := r.waits
	r.waits = nil
	for _, node := range reading.NodesNotReady() {
		r.Wait("%s %s", node.Object, node.Seen)
	}
	r.waits = append(r.waits, waits...)
	r.holdup = reading.HeldUpBy()
}
