package checks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// zoneLabels compares the label with EC2's zone. Without EC2's zone it compares with the
// ProviderID, which is too weak as evidence for a command.
func zoneLabels(in evidence.Input) []verify.Finding {
	instances := map[string]evidence.Pair{}
	if in.Cloud.On && in.Cloud.Instances.OK() {
		pairs, _ := in.Pairs(in.Cloud.Instances.Value)
		for _, p := range pairs {
			instances[p.Node.Name] = p
		}
	}
	return nodesOf(func(n downstream.Node) []verify.Finding {
		zone, _, ok := downstream.ParseProviderID(n.ProviderID)
		p := instances[n.Name]
		if p.Found && p.Instance.Alive() && p.Instance.Zone != "" {
			zone = p.Instance.Zone
		}
		switch {
		case !ok: // AWSM-301 reports the ProviderID
			return nil
		case zone == "":
			return []verify.Finding{{Status: verify.Skip, Object: "Node " + n.Name, Reason: "neither its ProviderID nor EC2 says in which zone it is"}}
		}
		return placeLabels(n, p, zone)
	})(in)
}

// Labels of the region. In-tree volumes select region and zone, by the new labels or the old ones
// (kubernetes/kubernetes:plugin/pkg/admission/storage/persistentvolume/label@v1.26.13).
const (
	labelRegion     = "topology.kubernetes.io/region"
	labelRegionBeta = "failure-domain.beta.kubernetes.io/region"
)

// placeLabels returns one finding, with one command, for all labels of a Node that name a wrong
// place. A missing label matters only for the zone: the scheduler knows no other name for it.
func placeLabels(n downstream.Node, p evidence.Pair, zone string) []verify.Finding {
	var seen, wanted, wrong []string
	for _, l := range []struct{ key, what, want string }{
		{downstream.LabelZone, "zone label", zone}, {downstream.LabelZoneBeta, "label " + downstream.LabelZoneBeta, zone},
		{labelRegion, "region label", cloud.RegionOf(zone)}, {labelRegionBeta, "label " + labelRegionBeta, cloud.RegionOf(zone)},
	} {
		if have := n.Labels[l.key]; have != l.want && have != "" && l.want != "" {
			seen, wanted, wrong = append(seen, l.what+" "+have), append(wanted, l.want), append(wrong, l.key+"="+l.want)
		}
	}
	none := n.Labels[downstream.LabelZone] == ""
	if none {
		seen, wanted, wrong = append(seen, "no zone label"), append(wanted, zone), append(wrong, downstream.LabelZone+"="+zone)
	}
	switch object, fix := "Node "+n.Name, labelPlace(p, wrong); {
	case len(seen) == 0:
		return nil
	case none && len(seen) == 1:
		return []verify.Finding{verify.Warning(object, seen[0], zone, fix)}
	default:
		return []verify.Finding{verify.Failure(object, strings.Join(seen, ", "), strings.Join(slices.Compact(wanted), ", "), fix)}
	}
}

func labelPlace(p evidence.Pair, labels []string) string {
	if !p.Sure() {
		return ""
	}
	words := append([]string{"kubectl", "label", "node", p.Node.Name}, labels...)
	return fault.Command(append(words, "--overwrite")...)
}

// autoEndState returns the choice of --end-state auto: external only if every node's name is
// explicit.
func autoEndState(nodes []downstream.Node) evidence.EndState {
	for _, n := range nodes {
		if !evidence.NameProof(n).External {
			return evidence.Overrides
		}
	}
	if len(nodes) == 0 {
		return evidence.Overrides
	}
	return evidence.External
}

func namesSurvive(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		end := in.EndState
		if end == "" {
			end = autoEndState(nodes)
		}
		var out []verify.Finding
		for _, n := range nodes {
			out = append(out, nameSurvives(n, end)...)
		}
		return out
	})
}

func nameSurvives(n downstream.Node, end evidence.EndState) []verify.Finding {
	p, object := evidence.NameProof(n), "Node "+n.Name
	args, hasArgs, _ := n.NodeArgs()
	label, hasLabel := n.Labels[downstream.LabelHostname]
	switch {
	case end == evidence.External && p.External, end == evidence.Overrides && p.Overrides:
		return nil
	case end == evidence.External && !hasArgs, end == evidence.Overrides && !hasLabel:
		return []verify.Finding{verify.Undecided(object, "no evidence for end state "+string(end)+": "+p.Missing)}
	case end == evidence.External:
		return []verify.Finding{verify.Failure(object, fmt.Sprintf("--node-name %q in %s", args.Last("node-name"), downstream.AnnotationArgs), "--node-name "+n.Name, "use --end-state overrides")}
	}
	return []verify.Finding{verify.Failure(object, "label "+downstream.LabelHostname+"="+label+": the kubelet would register under that name", downstream.LabelHostname+"="+n.Name, "")}
}

func oneNodePerMachine(in evidence.Input) []verify.Finding {
	return undoable(in, verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding { return continuity.Twins(nodes, in.Cloud) }))
}

// undoable replaces the advice to undo if nothing was switched yet.
func undoable(in evidence.Input, findings []verify.Finding) []verify.Finding {
	if p := in.Position.Position; p == position.Unknown || p.AtLeast(position.P3) {
		return findings
	}
	for i, f := range findings {
		if f.Status == verify.Fail && strings.HasPrefix(f.Fix, "stop the roll") {
			findings[i].Fix = "find out which of these Nodes the machine is (kubelet heartbeat), and whether the other's is gone, before anything is removed"
		}
	}
	return findings
}

const uninitializedBound = 10 * time.Minute

func uninitialized(in evidence.Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		if _, waits := n.Taint(downstream.TaintUninitialized); !waits {
			return nil
		}
		object, seen := "Node "+n.Name, "taint "+downstream.TaintUninitialized
		switch {
		case in.ServerClock.IsZero():
			return []verify.Finding{verify.Undecided(object, seen+"; since when is not known without the leases that show the cluster's time")}
		case in.ServerClock.Sub(n.Created) < uninitializedBound:
			return []verify.Finding{verify.Warning(object, seen+", a new node", "gone within 10 minutes", "")}
		}
		return []verify.Finding{verify.Failure(object, seen+", for more than 10 minutes", "initialized by a cloud controller", "")}
	})(in)
}

func ready(in evidence.Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		if n.Ready.Status == "True" {
			return nil
		}
		return []verify.Finding{verify.Failure("Node "+n.Name, strings.TrimSpace(fmt.Sprintf("Ready=%s %s", orNone(n.Ready.Status), n.Ready.Reason)), "Ready=True", byFate(in, n))}
	})(in)
}

// knownID returns the Node's ProviderID, or the one that the same machine had in the fingerprint.
func knownID(in evidence.Input, n downstream.Node) string {
	if n.ProviderID != "" || in.Fingerprint == nil {
		return n.ProviderID
	}
	for _, p := range in.Fingerprint.Nodes {
		if p.Name == n.Name && p.Machine == n.MachineUID() && (p.Machine != "" || p.UID == n.UID) {
			return p.ProviderID
		}
	}
	return ""
}

// byFate returns the remedy for a Node that is down if EC2 shows the state of its instance. It is
// empty if the check's own remedy fits.
func byFate(in evidence.Input, n downstream.Node) string {
	zone, id, ok := downstream.ParseProviderID(knownID(in, n))
	if !ok {
		return ""
	}
	switch in.Cloud.Fate(zone, id) {
	case cloud.Gone:
		return "its instance " + id + " is gone: " + continuity.Removal(n, in.Machines)
	case cloud.Stopped:
		return "start its instance " + id + ", or " + continuity.Removal(n, in.Machines)
	case cloud.Runs:
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func cordons(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		switch late := in.Position.Position.AtLeast(position.P4); {
		case late && in.Fingerprint != nil:
			return continuity.Cordons(*in.Fingerprint, nodes)
		case late && in.Unread != nil:
			return noFingerprint(in)
		}
		var out []verify.Finding
		for _, n := range nodes {
			by, ours := n.Annotations[downstream.AnnotationOurs]
			switch {
			case n.Unschedulable && ours:
				out = append(out, verify.Warning("Node "+n.Name, "cordoned by awsmigrate ("+by+")", "uncordoned once the switch is done", "if no run is under way: "+fault.Command("kubectl", "uncordon", n.Name)))
			case n.Unschedulable:
				out = append(out, verify.Notice("Node "+n.Name, "cordoned by its user"))
			}
		}
		return out
	})
}

// noFingerprint returns the result of a comparison without a fingerprint. It is Unknown if the
// journal, which may hold one, could not be read.
func noFingerprint(in evidence.Input) []verify.Finding {
	if in.Unread != nil {
		return []verify.Finding{verify.Undecided("", "the fingerprint is in the journal: "+in.Unread.Error())}
	}
	return verify.Skipped("no fingerprint to compare with")
}

func addressesStable(in evidence.Input) []verify.Finding {
	if in.Fingerprint == nil {
		return noFingerprint(in)
	}
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		return continuity.Addresses(*in.Fingerprint, nodes)
	})
}

func shutDown(in evidence.Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		for _, key := range []string{downstream.TaintShutdown, downstream.TaintOutOfService} {
			if t, ok := n.Taint(key); ok {
				fix := byFate(in, n)
				if key == downstream.TaintOutOfService && n.Ready.Status == "True" { // set by hand, and removed only by a user
					fix = "to use its machine again: " + fault.Command("kubectl", "taint", "node", n.Name, key+"-")
				}
				return []verify.Finding{verify.Failure("Node "+n.Name, "taint "+t.String(), "a running node", fix)}
			}
		}
		return nil
	})(in)
}

func kubeletsExternal(in evidence.Input) []verify.Finding {
	if in.Distribution != wellknown.RKE2 {
		return verify.Skipped("only RKE2 writes its arguments on the node")
	}
	return nodesOf(func(n downstream.Node) []verify.Finding {
		args, has, err := n.NodeArgs()
		switch {
		case err != nil:
			return []verify.Finding{verify.Undecided("Node "+n.Name, err.Error())}
		case !has:
			return []verify.Finding{verify.Undecided("Node "+n.Name, "no annotation "+downstream.AnnotationArgs)}
		case args.KubeletProvider() == "external":
			return nil
		}
		return []verify.Finding{verify.Failure("Node "+n.Name, fmt.Sprintf("kubelet's cloud provider %q", args.KubeletProvider()), "external", "")}
	})(in)
}

func sameNodes(in evidence.Input) []verify.Finding {
	if in.Fingerprint == nil {
		return noFingerprint(in)
	}
	out := undoable(in, continuity.Continuity(*in.Fingerprint, in.Facts, in.Machines, in.Cloud))
	if in.Nodes.OK() {
		out = append(out, continuity.Changed(*in.Fingerprint, in.Nodes.Value)...)
	}
	return out
}

func windows(in evidence.Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		if !n.Windows() || evidence.NameProof(n).External {
			return nil
		}
		return []verify.Finding{verify.Failure("Node "+n.Name, "Windows without an explicit --node-name", "--node-name "+n.Name, "")}
	})(in)
}
