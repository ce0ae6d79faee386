package continuity

import "github.com/awsmigrate/awsmigrate/pkg/verify/downstream"

// Comparison is how much of one kind of thing is as a fingerprint has it.
type Comparison struct {
	Kind string // in the plural
	By   string // what has to be the same
	Tally
}

// Compare is how much of a cluster is as the fingerprint has it. machines are those that
// exist; nil means that nobody knows.
func (fp Fingerprint) Compare(f downstream.Facts, machines []MachineRef) []Comparison {
	addresses, changes := fp.UnchangedAddresses(f)
	return comparisons(fp.UnchangedNodes(f, machines), addresses, fp.UnchangedLoadBalancers(f), changes)
}

// NotCompared is the same where there is no fingerprint to compare with, and why.
func NotCompared(why error) []Comparison {
	none := Tally{Err: why}
	return comparisons(none, none, none, "")
}

func comparisons(nodes, addresses, balancers Tally, changes string) []Comparison {
	return []Comparison{
		{"nodes", "names, UIDs, ProviderIDs", nodes},
		{"addresses of nodes", "the first of each type, others in any order" + changes, addresses},
		{"load balancers", "host names of Services", balancers},
	}
}
