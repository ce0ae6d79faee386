package continuity

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Tally says how many things of a fingerprint are as they were.
type Tally struct {
	Same, Of int
	Others   []string // those that differ or are gone, sorted
	Err      error    // why nothing could be compared; nil: it was
}

// UnchangedNodes counts those that have the name, UID and ProviderID of the fingerprint.
// machines are those that exist; nil means that nobody knows.
func (fp Fingerprint) UnchangedNodes(f downstream.Facts, machines []MachineRef) Tally {
	if !f.Nodes.OK() {
		return unread(f.Nodes)
	}
	other := map[string]bool{}
	for _, d := range Differences(fp, f.Nodes.Value, machines) {
		other[d.Was.Name] = true
	}
	return tally(fp.nodeNames(), other)
}

// UnchangedAddresses counts the Nodes that have the addresses of the fingerprint. A cloud
// provider may write others without a Node being another one.
func (fp Fingerprint) UnchangedAddresses(f downstream.Facts) Tally {
	if !f.Nodes.OK() {
		return unread(f.Nodes)
	}
	other := map[string]bool{}
	for _, p := range fp.Nodes {
		other[p.Name] = !slices.ContainsFunc(f.Nodes.Value, func(n downstream.Node) bool { return n.Name == p.Name })
	}
	for _, n := range moved(fp, f.Nodes.Value) {
		other[n.Was.Name] = true
	}
	return tally(fp.nodeNames(), other)
}

func (fp Fingerprint) nodeNames() []string {
	names := make([]string, 0, len(fp.Nodes))
	for _, p := range fp.Nodes {
		names = append(names, p.Name)
	}
	return names
}

// UnchangedLoadBalancers counts the Services that have the load balancer of the
// fingerprint, of those that had one.
func (fp Fingerprint) UnchangedLoadBalancers(f downstream.Facts) Tally {
	if !f.Services.OK() {
		return unread(f.Services)
	}
	same := map[string]bool{}
	for _, s := range f.Services.Value {
		for _, p := range fp.Services {
			if p.names(s) && slices.Equal(sorted(s.Hostnames), p.Hostnames) {
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

// names says whether it is that Service, and none that has its name since.
func (p ServicePrint) names(s downstream.Service) bool {
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

func unread[T any](r verify.Read[T]) Tally {
	return Tally{Err: fmt.Errorf("it was not read: %w", cause(r))}
}
