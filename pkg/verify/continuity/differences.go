package continuity

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// LoadBalancers fails for Services whose load balancer differs from the fingerprint. A
// missing Service was deleted by its owner and passes.
func LoadBalancers(fp Fingerprint, services []downstream.Service) []verify.Finding {
	now := map[string]downstream.Service{}
	for _, s := range services {
		now[s.Namespace+"/"+s.Name+"/"+s.UID] = s
	}
	var out []verify.Finding
	for _, p := range fp.Services {
		s, ok := now[p.Namespace+"/"+p.Name+"/"+p.UID]
		if !ok || len(p.Hostnames) == 0 {
			continue
		}
		if have := sorted(s.Hostnames); !slices.Equal(have, p.Hostnames) {
			fix := "check the events of the Service; do not delete it, its load balancer is found again by the Service's UID"
			if len(have) > 0 {
				fix = "do not delete the Service; if its old load balancer does not exist any longer, nothing restores its host name: point clients to the new one, then skip this check with --skip"
			}
			out = append(out, verify.Finding{
				Status: verify.Fail, Object: s.String(), Seen: "load balancer " + orNone(have), Wanted: "load balancer " + orNone(p.Hostnames), Fix: fix,
			})
		}
	}
	return out
}

// Cordons reports Nodes that were cordoned or uncordoned since the fingerprint.
func Cordons(fp Fingerprint, nodes []downstream.Node) []verify.Finding {
	before := map[string]NodePrint{}
	for _, p := range fp.Nodes {
		before[p.Name] = p
	}
	var out []verify.Finding
	for _, n := range nodes {
		p, known := before[n.Name]
		_, ours := n.Annotations[downstream.AnnotationOurs]
		switch {
		case !known || n.Unschedulable == p.Cordoned:
		case n.Unschedulable && ours:
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "cordoned by awsmigrate", Wanted: "schedulable, as before", Fix: "if no run is under way: " + fault.Command("kubectl", "uncordon", n.Name)})
		case n.Unschedulable:
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "cordoned after the preflight, not by awsmigrate", Wanted: "schedulable, as before", Fix: "if it is not under maintenance: " + fault.Command("kubectl", "uncordon", n.Name)})
		default:
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "schedulable: the user's cordon is gone", Wanted: "cordoned, as before", Fix: "if the cordon is still needed: " + fault.Command("kubectl", "cordon", n.Name)})
		}
	}
	return out
}

// Changed reports changed labels and taints. The hostname label follows the kubelet's
// --hostname-override. It stays the same in RKE2. In RKE it changes from the host's address to
// the Node's name, which affects only volumes pinned by it.
func Changed(fp Fingerprint, nodes []downstream.Node) []verify.Finding {
	before := map[string]NodePrint{}
	for _, p := range fp.Nodes {
		before[p.Name] = p
	}
	var out []verify.Finding
	for _, n := range nodes {
		p, ok := before[n.Name]
		if !ok {
			continue
		}
		now := printOf(n)
		if now.Labels != p.Labels {
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "labels differ from the fingerprint", Wanted: "the same labels"})
		}
		if p.Machine != "" && now.Hostname != p.Hostname {
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "label " + downstream.LabelHostname + " is " + now.Hostname, Wanted: p.Hostname})
		}
		if !slices.Equal(now.Taints, p.Taints) {
			out = append(out, verify.Finding{Status: verify.Warn, Object: "Node " + n.Name, Seen: "taints " + orNone(now.Taints), Wanted: "taints " + orNone(p.Taints)})
		}
	}
	return out
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ", ")
}
