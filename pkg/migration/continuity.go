package migration

import (
	"fmt"
	"slices"
	"sort"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Renames finds machines that appear under a second name: two Nodes with one
// Machine, one instance or one internal address, or a Node of the fingerprint
// whose Machine now answers under another name.
func Renames(before continuity.Fingerprint, nodes []downstream.Node, machineNames map[string]string) []Rename {
	var found []Rename
	for _, key := range []struct {
		what string
		of   func(*downstream.Node) string
	}{
		{"same Machine", func(n *downstream.Node) string { return n.Labels[downstream.LabelMachine] }},
		{"same instance", func(n *downstream.Node) string { return n.ProviderID }},
		{"same internal address", internalIP},
	} {
		first := map[string]*downstream.Node{}
		for i := range nodes {
			node := &nodes[i]
			value := key.of(node)
			if value == "" {
				continue
			}
			other, twice := first[value]
			if !twice {
				first[value] = node
				continue
			}
			found = append(found, renameOf(before, other, node, key.what, machineNames))
		}
	}
	found = append(found, moved(before, nodes, machineNames)...)
	sort.SliceStable(found, func(i, j int) bool { return found[i].Machine < found[j].Machine })
	return found
}

// renameOf tells the old name from the new one by the fingerprint.
func renameOf(before continuity.Fingerprint, a, b *downstream.Node, why string, names map[string]string) Rename {
	if hasNode(before, b.Name) {
		a, b = b, a
	}
	uid := a.Labels[downstream.LabelMachine]
	if uid == "" {
		uid = b.Labels[downstream.LabelMachine]
	}
	return Rename{Machine: OrElse(names[uid], uid), Old: a.Name, New: b.Name, Why: why}
}

// moved are fingerprinted Nodes whose Machine has another Node now, or whose
// object was replaced under the same name.
func moved(before continuity.Fingerprint, nodes []downstream.Node, names map[string]string) []Rename {
	byIdentity := map[string]*downstream.Node{}
	byName := map[string]*downstream.Node{}
	for i := range nodes {
		byIdentity[identity(nodes[i].Labels[downstream.LabelMachine], nodes[i].ProviderID)] = &nodes[i]
		byName[nodes[i].Name] = &nodes[i]
	}
	var found []Rename
	for _, print := range before.Nodes {
		name := print.Name
		machine, alive := names[print.Machine]
		if print.Machine == "" {
			machine, alive = name, true
		}
		if !alive {
			continue
		}
		now, other := byName[name], byIdentity[identity(print.Machine, print.ProviderID)]
		switch {
		case now == nil && other != nil:
			found = append(found, Rename{Machine: machine, Old: name, New: other.Name, Why: "the old Node is gone"})
		case now != nil && now.UID != print.UID:
			found = append(found, Rename{Machine: machine, Old: name, New: name, Why: fmt.Sprintf("it was deleted and registered again: UID %s, was %s", now.UID, print.UID)})
		case now != nil && now.ProviderID != print.ProviderID:
			found = append(found, Rename{Machine: machine, Old: name, New: name, Why: fmt.Sprintf("ProviderID %q, was %q", now.ProviderID, print.ProviderID)})
		}
	}
	return found
}

// identity tells a machine without its Node's name: Rancher's Machine, else the
// instance. A machine that has neither is told by no one.
func identity(machine, providerID string) string {
	if machine != "" {
		return machine
	}
	return OrElse(providerID, "unknown")
}

func internalIP(node *downstream.Node) string {
	if all := node.InternalIPs(); len(all) > 0 {
		return all[0]
	}
	return ""
}

func hasNode(before continuity.Fingerprint, name string) bool {
	for _, node := range before.Nodes {
		if node.Name == name {
			return true
		}
	}
	return false
}

// renames judges this reading against the journal's fingerprint. Without one,
// two Nodes for one machine still tell.
func (c *Core) renames(record runner.Record) []Rename {
	before, _, err := fingerprint(record)
	if err != nil {
		before = continuity.Fingerprint{}
	}
	names := make(map[string]string, len(c.Reading.Members))
	for _, m := range c.Reading.Members {
		names[m.ID] = m.Name
	}
	return slices.DeleteFunc(Renames(before, c.Reading.Down.Nodes, names), func(r Rename) bool { return c.found[r.New] })
}

// keepFound takes the renames of this reading for what an undo goes back from.
func (c *Core) keepFound(record runner.Record) {
	found := map[string]bool{}
	for _, r := range c.renames(record) {
		if r.New != r.Old {
			found[r.New] = true
		}
	}
	c.found, c.Reading.Stale = found, found
}
