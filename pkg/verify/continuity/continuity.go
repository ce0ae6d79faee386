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

// settle is how long a new Node may carry the uninitialized taint.
const settle = 10 * time.Minute

// MachineRef is a machine that exists now: a Rancher Machine, or a node of
// cluster.yml.
type MachineRef struct {
	UID  string // of the Rancher Machine; "" in RKE, where Node identifies it
	Name string
	// Infrastructure is the name of the object of which Rancher made its host's name; "":
	// Rancher did not make it.
	Infrastructure string
	Node           string // nodeRef, or the node's name in RKE; "" while there is none
	ControlPlane   bool
	Deleting       bool
}

// Continuity judges every Node against the fingerprint. machines are those that
// exist now; nil means that nobody knows, and then a Node that left is reported
// instead of accepted.
//
// Every fingerprinted Node whose machine still exists keeps name, UID and
// ProviderID. A Node whose machine is gone has left. A new Node belongs to a new
// machine, has an aws:/// ProviderID and is initialized within ten minutes. Two
// Nodes for one machine, instance or InternalIP are a rename. The advice follows
// what EC2 says of the instances.
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
				findings = append(findings, c.joined(n)...)
			}
		}
		return findings
	})
}

type comparison struct {
	machines machineIndex
	known    bool              // which machines there are
	before   map[string]bool   // names of the fingerprint
	nameOf   map[string]string // the name in the fingerprint, by machine
	clock    time.Time
}

// machineIndex finds machines by UID, and those without one by their Node. Of equal
// ones the first counts.
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

// finding judges a difference.
func finding(d Difference, instances cloud.Facts) verify.Finding {
	f := verify.Finding{Status: verify.Fail, Object: "Node " + d.Was.Name}
	switch d.Kind {
	case Left:
		f.Status, f.Seen = verify.OK, "left: its machine is gone"
	case Lost:
		f.Status, f.Seen, f.Wanted = verify.Warn, "is gone, and nothing says whether its machine is", "the Node of the fingerprint"
		if fateOf(d.Was.ProviderID, instances) == cloud.Gone {
			f.Seen, f.Fix = "is gone, and so is its instance", removal(d.Machine, d.Was.Name)+", if it is still there"
		}
	case Deleted:
		f.Seen, f.Wanted = "is gone, but its machine "+d.Machine.Name+" still exists, and has no other: it was deleted", "the Node"
		f.Fix = returning(d, instances)
		if fateOf(d.Was.ProviderID, instances) == cloud.Gone {
			f.Seen, f.Wanted = "is gone with its instance, but its machine "+d.Machine.Name+" still exists", "no machine without an instance"
		}
	case Renamed:
		f.Seen, f.Wanted = "is gone, but its machine "+d.Machine.Name+" still exists"+as(d.Machine.Node, d.Was.Name), "the same Node under the same name"
		f.Fix = "stop the roll and undo: the machine registered under another name"
		if d.Machine == (MachineRef{}) {
			f.Seen = "is gone, and its instance is Node " + d.Now.Name
		}
	case Replaced:
		f.Seen, f.Wanted = "UID "+d.Now.UID+": it was deleted and registered again", "UID "+d.Was.UID
		f.Fix = "find out what deleted it, and see that the pods it ran are back; the next run takes the Node as it is now"
	case Reassigned:
		f.Seen, f.Wanted = fmt.Sprintf("ProviderID %q", d.Now.ProviderID), fmt.Sprintf("ProviderID %q", d.Was.ProviderID)
		f.Fix = reassigned(d, instances)
	}
	return f
}

func as(node, before string) string {
	if node == "" || node == before {
		return ""
	}
	return " as Node " + node
}

func (c comparison) joined(n downstream.Node) []verify.Finding {
	object := "Node " + n.Name
	if uid := n.MachineUID(); uid != "" {
		if before, was := c.nameOf[uid]; was {
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
		return []verify.Finding{{Status: verify.Unknown, Object: object, Reason: "is new and not initialized yet, and the leases that tell the cluster's time could not be read"}}
	case c.clock.Sub(n.Created) < settle:
		return []verify.Finding{{Status: verify.Warn, Object: object, Seen: fmt.Sprintf("is new and not initialized yet (ProviderID %q)", n.ProviderID), Wanted: "aws:///… and no uninitialized taint within 10 minutes"}}
	}
	return []verify.Finding{{
		Status: verify.Fail, Object: object, Seen: fmt.Sprintf("is new and not initialized after 10 minutes (ProviderID %q)", n.ProviderID),
		Wanted: "aws:///… and no uninitialized taint", Fix: "look at the CCM's log: it must find the instance by the node's name",
	}}
}

// Twins finds Nodes that are the same thing under two names. Those that are the same
// in several respects are named once. Where EC2 says that the instance of all but one
// is gone, the others are left from machines whose name or address was given again.
func Twins(nodes []downstream.Node, instances cloud.Facts) []verify.Finding {
	all := Duplicates(nodes)
	byObject(all)
	seen := map[string]bool{}
	var out []verify.Finding
	for _, d := range all {
		pair := fmt.Sprint(d.Nodes)
		if seen[pair] {
			continue
		}
		seen[pair] = true
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
