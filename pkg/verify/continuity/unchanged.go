package continuity

import (
	"fmt"
	"maps"
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

// UnchangedAddresses counts the Nodes that have the addresses of the fingerprint, and
// describes what changed. A cloud provider may write others without a Node being
// another one.
func (fp Fingerprint) UnchangedAddresses(f downstream.Facts) (t Tally, changes string) {
	if !f.Nodes.OK() {
		return unread(f.Nodes), ""
	}
	other := map[string]bool{}
	for _, p := range fp.Nodes {
		other[p.Name] = !slices.ContainsFunc(f.Nodes.Value, func(n downstream.Node) bool { return n.Name == p.Name })
	}
	all := moved(fp, f.Nodes.Value)
	for _, m := range all {
		other[m.Was.Name] = m.matters()
	}
	return tally(fp.nodeNames(), other), changesOf(all)
}

// changesOf counts the Nodes by what changed: "; InternalIP changed on 2".
func changesOf(all []move) string {
	count := map[string]int{}
	for _, m := range all {
		if !m.matters() {
			count["Hostname is the private DNS name now on"]++
			continue
		}
		for _, kind := range m.types {
			if kind == internalIP && m.first() {
				kind = "first " + kind
			}
			count[kind+" changed on"]++
		}
	}
	text := ""
	for _, what := range slices.Sorted(maps.Keys(count)) {
		text += fmt.Sprintf("; %s %d", what, count[what])
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
