package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const providerIDForm = "aws:///<zone>/<instance id>"

// providerIDs judges every ProviderID separately. A form that only a user writes, with kubelet's
// --provider-id, is accepted if a CCM reads the same instance id from it: a Node cannot get
// another ProviderID without being recreated. A Fargate node rightly has no instance, unless
// Rancher or rke created the cluster.
func providerIDs(in evidence.Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		object := "Node " + n.Name
		kind, why := downstream.KindOf(n.ProviderID)
		switch {
		case kind == downstream.InstanceID:
			return nil
		case kind == downstream.OtherForm:
			_, id, _ := downstream.ParseProviderID(n.ProviderID)
			return []verify.Finding{verify.Warning(object, fmt.Sprintf("ProviderID %s: of instance %s, in a form that only people write", quoted(n.ProviderID), id), providerIDForm,
				"keep the Node: a CCM finds the instance by its id (AWSM-401 to AWSM-405 look at it); have the machine that replaces it one day register without --provider-id")}
		case kind == downstream.FargateID && in.Distribution == "":
			return []verify.Finding{verify.Notice(object, "runs on Fargate, without an EC2 instance")}
		case why != "":
			why = ", " + why
		}
		fix := "replace the node: a ProviderID cannot be changed"
		if kind == downstream.NoProviderID {
			fix = giveProviderID(in, n)
		}
		return []verify.Finding{verify.Failure(object, fmt.Sprintf("ProviderID %s: %s%s", quoted(n.ProviderID), kind, why), providerIDForm, fix)}
	})(in)
}

// giveProviderID returns a command that sets the missing ProviderID of a Node. A ProviderID is
// set once and never changes (ValidateNodeUpdate of k8s.io/kubernetes pkg/apis/core/validation).
// So there is a command only if EC2 shows one instance that belongs to no other Node and has this
// Node's name and all of its addresses.
func giveProviderID(in evidence.Input, n downstream.Node) string {
	var own []cloud.Instance
	for _, i := range in.Cloud.Unclaimed.Value {
		p := evidence.Pair{Node: n, ID: i.ID, Instance: i, Found: true}
		if i.State == "running" && p.Sure() && strings.EqualFold(i.PrivateDNSName, n.Name) {
			own = append(own, i)
		}
	}
	const advice = "find its instance in EC2 by its name and addresses, and write zone and id into spec.providerID, which can be done once and not be changed"
	zone, id, former := downstream.ParseProviderID(knownID(in, n))
	switch {
	case former && in.Cloud.Fate(zone, id) == cloud.Gone:
		return byFate(in, n)
	case !in.Cloud.On || !in.Cloud.Unclaimed.OK():
		return advice + "; if it no longer has one: " + continuity.Removal(n, in.Machines)
	case !resembled(in, n):
		return withoutInstance(in, n)
	case len(own) != 1 || n.Ready.Status != "True" || sharesAddress(in, n):
		return advice
	}
	patch := fmt.Sprintf(`{"spec":{"providerID":"aws:///%s/%s"}}`, own[0].Zone, own[0].ID)
	return "it cannot be changed once it is written; EC2 has one instance with its name and addresses: " +
		fault.Command("kubectl", "patch", "node", n.Name, "--type=merge", "-p", patch)
}

// resembled reports whether EC2 shows an instance of the cluster that has no Node, but this
// Node's name or one of its addresses.
func resembled(in evidence.Input, n downstream.Node) bool {
	claimed := map[string]bool{}
	for _, other := range in.Nodes.Value {
		_, id, _ := downstream.ParseProviderID(other.ProviderID)
		claimed[id] = true
	}
	loose := slices.Clone(in.Cloud.Unclaimed.Value)
	for id, i := range in.Cloud.Instances.Value {
		if !claimed[id] {
			loose = append(loose, i)
		}
	}
	return slices.ContainsFunc(loose, func(i cloud.Instance) bool {
		p := evidence.Pair{Node: n, Instance: i}
		return i.Alive() && (strings.EqualFold(i.PrivateDNSName, n.Name) || len(p.ForeignIPs()) < len(n.InternalIPs()))
	})
}

// withoutInstance returns the remedy for a Node without an instance that is tagged for the
// cluster. A ready Node has an instance nevertheless.
func withoutInstance(in evidence.Input, n downstream.Node) string {
	const seen = "EC2 shows no instance of this cluster with its name or an address of it"
	if n.Ready.Status == "True" {
		return seen + ", and it is alive: look for an instance without the cluster's tag, or in another account or region (--profile, --region), before zone and id are written into spec.providerID"
	}
	return seen + ", and it is not ready: if its machine is gone, " + continuity.Removal(n, in.Machines)
}

// sharesAddress reports whether another Node has an address of this one.
func sharesAddress(in evidence.Input, n downstream.Node) bool {
	return slices.ContainsFunc(in.Nodes.Value, func(other downstream.Node) bool {
		return other.Name != n.Name && slices.ContainsFunc(other.InternalIPs(), func(ip string) bool { return slices.Contains(n.InternalIPs(), ip) })
	})
}

// whichIsStale returns the remedy for two Nodes of one instance: it removes a Node only if that
// Node certainly has no machine.
func whichIsStale(a, b downstream.Node) string {
	if a.Ready.Status == "True" {
		a, b = b, a
	}
	switch {
	case a.Ready.Status == "True":
		return "remove neither: both are alive, so one has a wrong ProviderID; replace the machine of the one whose name and addresses are not the instance's (AWSM-404, AWSM-405)"
	case b.Ready.Status == "True":
		return "Node " + a.Name + " is not ready: find out whether its machine is gone, and only then remove it, through Rancher or rke where it carries an etcd member"
	}
	return "neither is ready: find out which of the machines is gone before anything is removed"
}

// quoted returns a value in quotes, cut to a length that fits the screen.
func quoted(s string) string {
	const most = 120
	if len(s) > most {
		return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// providerIDUnique compares instances, not texts: two zones in front of one instance id denote
// the same instance.
func providerIDUnique(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		first := map[string]downstream.Node{}
		var out []verify.Finding
		for _, n := range nodes {
			key := n.ProviderID
			if _, id, ok := downstream.ParseProviderID(key); ok {
				key = id
			}
			if key == "" {
				continue
			}
			if other, ok := first[key]; ok {
				out = append(out, verify.Failure("Node "+n.Name, quoted(n.ProviderID)+", as Node "+other.Name, "an instance of its own", whichIsStale(n, other)))
				continue
			}
			first[key] = n
		}
		return out
	})
}
