package continuity

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Comparison counts the objects of one kind that are unchanged since the fingerprint.
type Comparison struct {
	Kind string // in the plural
	By   string // the properties that are compared
	Tally
}

// Compare compares a cluster with the fingerprint. machines are the existing ones, or nil if
// they are not known. Load balancers in AWS are compared if both readings have them.
func (fp Fingerprint) Compare(f downstream.Facts, c cloud.Facts, machines []MachineRef) []Comparison {
	addresses, changes := fp.UnchangedAddresses(f)
	all := comparisons(fp.UnchangedNodes(f, machines), addresses, fp.UnchangedLoadBalancers(f), changes)
	if fp.HasBalancers() && c.Balancers.OK() {
		all = append(all, Comparison{"load balancers in AWS", "listeners, subnets, groups, health checks, attributes, targets", fp.unchangedInAWS(f, c)})
	}
	return all
}

// NotCompared returns the comparisons for a cluster that cannot be compared, with the reason.
func NotCompared(why error) []Comparison {
	failed := Tally{Err: why}
	return comparisons(failed, failed, failed, "")
}

func comparisons(nodes, addresses, balancers Tally, changes string) []Comparison {
	return []Comparison{
		{"nodes", "names, UIDs, ProviderIDs", nodes},
		{"addresses of nodes", "the first of each type, others in any order" + changes, addresses},
		{"load balancers", "host names of Services", balancers},
	}
}
