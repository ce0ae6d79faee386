package continuity

import (
	"sort"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Kind says how a Node of the fingerprint differs from what it was.
type Kind string

// Kinds of differences.
const (
	// Left: the Node is gone, and its machine too, or it is going.
	Left Kind = "left"
	// Lost: the Node is gone, and nothing says whether its machine is.
	Lost Kind = "lost"
	// Deleted: the Node is gone, and its machine exists and has no other one.
	Deleted Kind = "deleted"
	// Renamed: the Node is gone, and its machine answers under another name.
	Renamed Kind = "renamed"
	// Replaced: a Node of that name was registered again, with another UID.
	Replaced Kind = "replaced"
	// Reassigned: the Node has another ProviderID.
	Reassigned Kind = "reassigned"
)

// Difference is one Node of the fingerprint that is not what it was.
type Difference struct {
	Kind    Kind
	Was     NodePrint
	Now     *downstream.Node // under the old name or the new one; nil: there is none
	Machine MachineRef       // zero: none is known
}

// Differences compares every Node of the fingerprint with what there is now.
// machines are those that exist; nil means that nobody knows.
func Differences(fp Fingerprint, nodes []downstream.Node, machines []MachineRef) []Difference {
	s := search{known: machines != nil, machines: index(machines), byName: map[string]*downstream.Node{}, byIdentity: map[string]*downstream.Node{}}
	for i := range nodes {
		s.byName[nodes[i].Name] = &nodes[i]
		s.byIdentity[identity(nodes[i].MachineUID(), nodes[i].ProviderID)] = &nodes[i]
	}
	var all []Difference
	for _, was := range fp.Nodes {
		now := s.byName[was.Name]
		if now == nil {
			all = append(all, s.gone(was))
			continue
		}
		machine, _ := s.machines.find(was.Machine, was.Name)
		if now.UID != was.UID {
			all = append(all, Difference{Kind: Replaced, Was: was, Now: now, Machine: machine})
		}
		if was.ProviderID != "" && now.ProviderID != was.ProviderID {
			all = append(all, Difference{Kind: Reassigned, Was: was, Now: now, Machine: machine})
		}
	}
	return all
}

type search struct {
	known      bool // which machines there are
	machines   machineIndex
	byName     map[string]*downstream.Node
	byIdentity map[string]*downstream.Node
}

// gone says what became of a Node that is no longer there. Without Rancher's Machine
// the instance tells.
func (s search) gone(was NodePrint) Difference {
	d := Difference{Kind: Left, Was: was}
	machine, exists := s.machines.find(was.Machine, was.Name)
	if exists {
		d.Machine = machine
	}
	exists = exists && !machine.Deleting
	if other := s.byIdentity[identity(was.Machine, was.ProviderID)]; other != nil && (was.Machine == "" || exists) {
		d.Kind, d.Now = Renamed, other
		return d
	}
	switch {
	case !s.known:
		d.Kind = Lost
	case exists && was.Machine == "" && s.byIdentity[identity("", "")] != nil:
		d.Kind = Renamed // perhaps to the Node that has no ProviderID yet
	case exists:
		d.Kind = Deleted
	}
	return d
}

// identity tells a machine without its Node's name: Rancher's Machine, else the
// instance. Without either it cannot be told.
func identity(machine, providerID string) string {
	switch {
	case machine != "":
		return "machine " + machine
	case providerID != "":
		return "instance " + providerID
	}
	return "unknown"
}

// Shared says what several Nodes have in common that only one may have.
type Shared string

// What one Node alone may have.
const (
	SharedMachine  Shared = "machine"
	SharedInstance Shared = "instance"
	SharedAddress  Shared = "InternalIP"
)

// Duplicate are Nodes that are the same thing under several names.
type Duplicate struct {
	Shared Shared
	ID     string   // of the machine or the instance, or the address
	Nodes  []string // sorted, two at least
}

// Duplicates finds them: by machine, then by instance, then by address.
func Duplicates(nodes []downstream.Node) []Duplicate {
	groups := map[Shared]map[string][]string{SharedMachine: {}, SharedInstance: {}, SharedAddress: {}}
	note := func(shared Shared, id, node string) {
		if id != "" {
			groups[shared][id] = append(groups[shared][id], node)
		}
	}
	for _, n := range nodes {
		note(SharedMachine, n.MachineUID(), n.Name)
		note(SharedInstance, instance(n), n.Name)
		for _, ip := range n.InternalIPs() {
			note(SharedAddress, ip, n.Name)
		}
	}
	var all []Duplicate
	for _, shared := range []Shared{SharedMachine, SharedInstance, SharedAddress} {
		for _, id := range keys(groups[shared]) {
			if names := sorted(groups[shared][id]); len(names) > 1 {
				all = append(all, Duplicate{Shared: shared, ID: id, Nodes: names})
			}
		}
	}
	return all
}

// instance is the id in a ProviderID, which one instance has in every form; another
// provider's ProviderID as a whole.
func instance(n downstream.Node) string {
	if _, id, ok := downstream.ParseProviderID(n.ProviderID); ok {
		return id
	}
	return n.ProviderID
}

// byObject sorts duplicates by how they are named.
func byObject(all []Duplicate) {
	sort.Slice(all, func(i, j int) bool { return all[i].object() < all[j].object() })
}

func (d Duplicate) object() string { return string(d.Shared) + " " + d.ID }
