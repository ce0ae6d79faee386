package continuity

import (
	"sort"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Kind names how a Node differs from the fingerprint.
type Kind string

// Kinds of differences.
const (
	// Left means that the Node is gone, and its machine is gone or is being deleted.
	Left Kind = "left"
	// Lost means that the Node is gone, and its machine's state is not known.
	Lost Kind = "lost"
	// Deleted means that the Node is gone, and its machine exists without a Node.
	Deleted Kind = "deleted"
	// Renamed means that the Node is gone, and its machine has a Node of another name.
	Renamed Kind = "renamed"
	// Replaced means that a Node of the same name was registered again with another UID.
	Replaced Kind = "replaced"
	// Reassigned means that the Node's ProviderID changed.
	Reassigned Kind = "reassigned"
)

// Difference describes a Node that differs from the fingerprint.
type Difference struct {
	Kind    Kind
	Was     NodePrint
	Now     *downstream.Node // under the old or the new name, or nil if it is gone
	Machine MachineRef       // zero if it is not known
}

// Differences returns the differences between the fingerprint and the current Nodes.
// machines are the existing ones, or nil if they are not known.
func Differences(fp Fingerprint, nodes []downstream.Node, machines []MachineRef) []Difference {
	s := nodeIndex{known: machines != nil, machines: index(machines), byName: map[string]*downstream.Node{}, byIdentity: map[string]*downstream.Node{}}
	for i := range nodes {
		s.byName[nodes[i].Name] = &nodes[i]
		s.byIdentity[identity(nodes[i].MachineUID(), nodes[i].ProviderID)] = &nodes[i]
	}
	var all []Difference
	for _, was := range fp.Nodes {
		now := s.byName[was.Name]
		if now == nil {
			all = append(all, s.explainMissing(was))
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

// nodeIndex finds current Nodes and machines.
type nodeIndex struct {
	known      bool // whether the machines are known
	machines   machineIndex
	byName     map[string]*downstream.Node
	byIdentity map[string]*downstream.Node
}

// explainMissing returns the difference for a Node that no longer exists. The instance
// identifies it if it has no Rancher Machine.
func (s nodeIndex) explainMissing(was NodePrint) Difference {
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
		d.Kind = Renamed // possibly to the Node that has no ProviderID yet
	case exists:
		d.Kind = Deleted
	}
	return d
}

// identity returns what identifies a machine independently of its Node's name: the Rancher
// Machine, else the instance, else "unknown".
func identity(machine, providerID string) string {
	switch {
	case machine != "":
		return "machine " + machine
	case providerID != "":
		return "instance " + providerID
	}
	return "unknown"
}

// Shared names a property that only one Node may have.
type Shared string

// The properties that only one Node may have.
const (
	SharedMachine  Shared = "machine"
	SharedInstance Shared = "instance"
	SharedAddress  Shared = "InternalIP"
)

// Duplicate holds Nodes that are the same machine under several names.
type Duplicate struct {
	Shared Shared
	ID     string   // of the machine or instance, or the address
	Nodes  []string // sorted, at least two
}

// Duplicates finds Nodes with the same machine, then instance, then address.
func Duplicates(nodes []downstream.Node) []Duplicate {
	groups := map[Shared]map[string][]string{SharedMachine: {}, SharedInstance: {}, SharedAddress: {}}
	add := func(shared Shared, id, node string) {
		if id != "" {
			groups[shared][id] = append(groups[shared][id], node)
		}
	}
	for _, n := range nodes {
		add(SharedMachine, n.MachineUID(), n.Name)
		add(SharedInstance, instance(n), n.Name)
		for _, ip := range n.InternalIPs() {
			add(SharedAddress, ip, n.Name)
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

// instance returns the instance ID, which is the same in every form of a ProviderID, or the
// whole ProviderID if it is another provider's.
func instance(n downstream.Node) string {
	if _, id, ok := downstream.ParseProviderID(n.ProviderID); ok {
		return id
	}
	return n.ProviderID
}

// sortByObject sorts duplicates by object.
func sortByObject(all []Duplicate) {
	sort.Slice(all, func(i, j int) bool { return all[i].object() < all[j].object() })
}

func (d Duplicate) object() string { return string(d.Shared) + " " + d.ID }
