package continuity

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// initTimeout is the maximum time that a new Node may carry the uninitialized taint.
const initTimeout = 10 * time.Minute

// MachineRef is an existing machine: a Rancher Machine, or a node of cluster.yml.
type MachineRef struct {
	UID  string // of the Rancher Machine; empty in RKE, where Node identifies the machine
	Name string
	// Infrastructure is the name of the infrastructure object that Rancher derived the host
	// name from, or "" if Rancher did not create the machine.
	Infrastructure string
	Node           string // nodeRef, or the node's name in RKE; empty before the Node exists
	ControlPlane   bool
	Deleting       bool
}

// Continuity judges every Node against the fingerprint. machines are the existing ones, or
// nil if they are not known; then a missing Node is reported as lost.
//
// A fingerprinted Node must keep its name, UID and ProviderID while its machine exists. It
// may leave together with its machine. A new Node must belong to a new machine, have an
// aws:/// ProviderID, and be initialized within ten minutes. Two Nodes with the same machine,
// instance or InternalIP are a rename. The advice depends on the state of the instances in
// EC2.
func Continuity(fp Fingerprint, f downstream.Facts, machines []MachineRef, instances cloud.Facts) []verify.Finding {
	return verify.Judge(f.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		c := comparison{machines: index(machines), known: machines != nil, before: map[string]bool{}, nameOf: map[string]string{}, clock: f.ServerClock}
		for _, p := range fp.Nodes {
			c.before[p.Name] = true
			if _, has := c.nameOf[p.Machine]; !has {
				c.nameOf[p.Machine] = p.Name
			}
		}
		findings := Twins(nodes, instances)
		for _, d := range Differences(fp, nodes, machines) {
			findings = append(findings, finding(d, instances))
		}
		for _, n := range nodes {
			if !c.before[n.Name] {
				findings = append(findings, c.judgeNew(n)...)
			}
		}
		return findings
	})
}

// comparison holds the indexes that new Nodes are judged by.
type comparison struct {
	machines machineIndex
	known    bool              // whether the machines are known
	before   map[string]bool   // Node names of the fingerprint
	nameOf   map[string]string // Node name of the fingerprint, by machine
	clock    time.Time
}

// machineIndex finds machines by UID, or by Node if they have no UID. The first of equal
// entries wins.
type machineIndex struct{ byUID, byNode map[string]MachineRef }

func index(machines []MachineRef) machineIndex {
	i := machineIndex{map[string]MachineRef{}, map[string]MachineRef{}}
	for _, m := range machines {
		into, key := i.byUID, m.UID
		if m.UID == "" {
			into, key = i.byNode, m.Node
		}
		if _, has := into[key]; !has {
			into[key] = m
		}
	}
	return i
}

func (i machineIndex) find(uid, node string) (MachineRef, bool) {
	if m, ok := i.byUID[uid]; ok {
		return m, true
	}
	m, ok := i.byNode[node]
	return m, ok
}

// finding returns the finding for a difference.
func finding(d Difference, instances cloud.Facts) verify.Finding {
	f := verify.Finding{Status: verify.Fail, Object: "Node " + d.Was.Name}
	switch d.Kind {
	case Left:
		f.Status, f.Seen = verify.OK, "left: its machine is gone"
	case Lost:
		f.Status, f.Seen, f.Wanted = verify.Warn, "is gone; whether its machine exists is not known", "the Node of the fingerprint"
		if fateOf(d.Was.ProviderID, instances) == cloud.Gone {
			f.Seen, f.Fix = "is gone, and so is its instance", removal(d.Machine, d.Was.Name)+", if it is still there"
		}
	case Deleted:
		f.Seen, f.Wanted = "is gone, but its machine "+d.Machine.Name+" still exists without a Node: it was deleted", "the Node"
		f.Fix = restoreFix(d, instances)
		if fateOf(d.Was.ProviderID, instances) == cloud.Gone {
			f.Seen, f.Wanted = "is gone with its instance, but its machine "+d.Machine.Name+" still exists", "no machine without an instance"
		}
	case Renamed:
		f.Seen, f.Wanted = "is gone, but its machine "+d.Machine.Name+" still exists"+newName(d.Machine.Node, d.Was.Name), "the same Node under the same name"
		f.Fix = "stop the roll and undo: the machine registered under another name"
		if d.Machine == (MachineRef{}) {
			f.Seen = "is gone, and its instance is Node " + d.Now.Name
		}
	case Replaced:
		f.Seen, f.Wanted = "UID "+d.Now.UID+": it was deleted and registered again", "UID "+d.Was.UID
		f.Fix = "find out what deleted it, and check that its pods run again; the next run takes the Node as it is now"
	case Reassigned:
		f.Seen, f.Wanted = fmt.Sprintf("ProviderID %q", d.Now.ProviderID), fmt.Sprintf("ProviderID %q", d.Was.ProviderID)
		f.Fix = providerIDFix(d, instances)
	}
	return f
}

// newName returns the part of a message that names a machine's Node, or "" if the name is
// unknown or unchanged.
func newName(node, before string) string {
	if node == "" || node == before {
		return ""
	}
	return " as Node " + node
}

// judgeNew judges a Node that the fingerprint does not have.
func (c comparison) judgeNew(n downstream.Node) []verify.Finding {
	object := "Node " + n.Name
	if uid := n.MachineUID(); uid != "" {
		if before, known := c.nameOf[uid]; known {
			return []verify.Finding{{
				Status: verify.Fail, Object: object, Seen: "a new name of the machine that was Node " + before, Wanted: "Node " + before,
				Fix: "stop the roll and undo: the node was renamed",
			}}
		}
	}
	if _, exists := c.machines.find(n.MachineUID(), n.Name); c.known && !exists {
		return []verify.Finding{{Status: verify.Fail, Object: object, Seen: "is new and belongs to no machine", Wanted: "a machine for every Node"}}
	}
	_, waiting := n.Taint(downstream.TaintUninitialized)
	_, _, valid := downstream.ParseProviderID(n.ProviderID)
	switch {
	case valid && !waiting:
		return []verify.Finding{{Status: verify.OK, Object: object, Seen: "joined: " + n.ProviderID}}
	case c.clock.IsZero():
		return []verify.Finding{{Status: verify.Unknown, Object: object, Reason: "is new and not initialized yet, and the leases, which give the cluster's time, could not be read"}}
	case c.clock.Sub(n.Created) < initTimeout:
		return []verify.Finding{{Status: verify.Warn, Object: object, Seen: fmt.Sprintf("is new and not initialized yet (ProviderID %q)", n.ProviderID), Wanted: "aws:///… and no uninitialized taint within 10 minutes"}}
	}
	return []verify.Finding{{
		Status: verify.Fail, Object: object, Seen: fmt.Sprintf("is new and not initialized after 10 minutes (ProviderID %q)", n.ProviderID),
		Wanted: "aws:///… and no uninitialized taint", Fix: "check the CCM's log: it must find the instance by the node's name",
	}}
}

// Twins reports Nodes that are the same machine under several names, one finding for each set
// of Nodes. If EC2 has the instance of only one of them, the others are leftovers whose name
// or address was reused.
func Twins(nodes []downstream.Node, instances cloud.Facts) []verify.Finding {
	all := Duplicates(nodes)
	sortByObject(all)
	reported := map[string]bool{}
	var out []verify.Finding
	for _, d := range all {
		pair := fmt.Sprint(d.Nodes)
		if reported[pair] {
			continue
		}
		reported[pair] = true
		out = append(out, verify.Finding{
			Status: verify.Fail, Object: d.object(), Seen: fmt.Sprintf("has %d Nodes: %s", len(d.Nodes), strings.Join(d.Nodes, ", ")), Wanted: "one Node",
			Fix: twinsFix(d.Nodes, nodes, instances),
		})
	}
	return out
}

func keys(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
