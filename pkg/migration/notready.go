package migration

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// NodesNotReady are the Nodes that keep a cluster from being at rest, one line each.
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
		if off(node) || !node.IsReady() && !r.Stale[node.Name] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// off says whether a cloud provider saw the Node's instance shut down.
func off(node *downstream.Node) bool {
	for _, taint := range node.Taints {
		if taint.Key == downstream.TaintShutdown {
			return true
		}
	}
	return false
}

// whyNotReady has few words: what the Node says of itself may be a page.
func whyNotReady(node *downstream.Node) string {
	if off(node) {
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

// HeldUpBy is what a change that rolls out cannot go on without; nil: every machine
// has its Node, and every Node is Ready. It may pass by itself: a machine is restarted,
// or somebody starts it.
func (r Reading) HeldUpBy() error {
	nodes := r.notReady()
	for _, open := range r.Pending {
		if open.Fix != "" {
			return &fault.Error{Class: fault.Check, Reason: "NodeDeleted", Object: open.Object, Seen: open.Seen, Wanted: open.Wanted,
				Fix: open.Fix + "; then run the same command again"}
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

// bringBack is advice for all of them; a command where their instances are known to be off.
func bringBack(nodes []*downstream.Node) string {
	zone := ""
	var ids []string
	for _, node := range nodes {
		at, id, known := downstream.ParseProviderID(node.ProviderID)
		if !off(node) || !known || zone != "" && cloud.RegionOf(zone) != cloud.RegionOf(at) {
			return "bring the machine back, or its kubelet: " + names(nodes)
		}
		zone, ids = at, append(ids, id)
	}
	words := append([]string{"aws", "ec2", "start-instances", "--instance-ids"}, ids...)
	if region := cloud.RegionOf(zone); region != "" {
		words = append(words, "--region", region)
	}
	return "start what is off: " + fault.Command(words...)
}

func names(nodes []*downstream.Node) string {
	all := make([]string, 0, len(nodes))
	for _, node := range nodes {
		all = append(all, node.Name)
	}
	return strings.Join(all, ", ")
}

// WaitForNodes makes a roll wait for the Nodes of a reading. It is said before
// everything else: what others wait for, they wait for because of it.
func (r *RolloutJudgement) WaitForNodes(reading Reading) {
	waits := r.waits
	r.waits = nil
	for _, open := range reading.NodesNotReady() {
		r.Wait("%s %s", open.Object, open.Seen)
	}
	r.waits = append(r.waits, waits...)
	r.holdup = reading.HeldUpBy()
}
