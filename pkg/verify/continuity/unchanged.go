package continuity

import (
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Tally counts the objects of a fingerprint that are unchanged.
type Tally struct {
	Same, Of int
	Others   []string // the changed and missing ones, sorted
	Err      error    // why the comparison was not possible, or nil
}

// UnchangedNodes counts the Nodes with the name, UID and ProviderID of the fingerprint.
// machines are the existing ones, or nil if they are not known.
func (fp Fingerprint) UnchangedNodes(f downstream.Facts, machines []MachineRef) Tally {
	if !f.Nodes.OK() {
		return failedTally(f.Nodes)
	}
	other := map[string]bool{}
	for _, d := range Differences(fp, f.Nodes.Value, machines) {
		other[d.Was.Name] = true
	}
	return tally(fp.nodeNames(), other)
}

// UnchangedAddresses counts the Nodes with the addresses of the fingerprint, and describes the
// changes. Another cloud provider may write other addresses for the same Node.
func (fp Fingerprint) UnchangedAddresses(f downstream.Facts) (t Tally, changes string) {
	if !f.Nodes.OK() {
		return failedTally(f.Nodes), ""
	}
	other := map[string]bool{}
	for _, p := range fp.Nodes {
		other[p.Name] = !slices.ContainsFunc(f.Nodes.Value, func(n downstream.Node) bool { return n.Name == p.Name })
	}
	all := addressChanges(fp, f.Nodes.Value)
	for _, m := range all {
		other[m.Was.Name] = m.matters()
	}
	return tally(fp.nodeNames(), other), changesOf(all)
}

// changesOf counts the Nodes by the change: "; InternalIP changed on 2".
func changesOf(all []addressChange) string {
	count := map[string]int{}
	for _, m := range all {
		if !m.matters() {
			count["Hostname is the private DNS name now on"]++
			continue
		}
		for _, kind := range m.types {
			if kind == internalIP && m.firstChanged() {
				kind = "first " + kind
			}
			count[kind+" changed on"]++
		}
	}
	text := ""
	for _, change := range slices.Sorted(maps.Keys(count)) {
		text += fmt.Sprintf("; %s %d", change, count[change])
	}
	return text
}

func (fp Fingerprint) nodeNames() []string {
	names := make([]string, 0, len(fp.Nodes))
	for _, p := range fp.Nodes {
		names = append(names, p.Name)
	}
	return names
}

// UnchangedLoadBalancers counts the Services that keep the load balancer of the fingerprint,
// out of those that had one.
func (fp Fingerprint) UnchangedLoadBalancers(f downstream.Facts) Tally {
	if !f.Services.OK() {
		return failedTally(f.Services)
	}
	same := map[string]bool{}
	for _, s := range f.Services.Value {
		for _, p := range fp.Services {
			if p.isFor(s) && slices.Equal(sorted(s.Hostnames), p.Hostnames) {
				same[p.name()] = true
			}
		}
	}
	var names []string
	other := map[string]bool{}
	for _, p := range fp.Services {
		if len(p.Hostnames) > 0 {
			names = append(names, p.name())
			other[p.name()] = !same[p.name()]
		}
	}
	return tally(names, other)
}

func (p ServicePrint) name() string { return p.Namespace + "/" + p.Name }

// isFor reports whether s is the fingerprinted Service, and not a later one of the same name.
func (p ServicePrint) isFor(s downstream.Service) bool {
	return s.Namespace == p.Namespace && s.Name == p.Name && s.UID == p.UID
}

func tally(names []string, other map[string]bool) Tally {
	t := Tally{Of: len(names)}
	for _, name := range names {
		if other[name] {
			t.Others = append(t.Others, name)
			continue
		}
		t.Same++
	}
	t.Others = sorted(t.Others)
	return t
}

func failedTally[T any](r verify.Read[T]) Tally {
	return Tally{Err: fmt.Errorf("could not be read: %w", cause(r))}
}
