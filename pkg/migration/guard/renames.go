package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// renames are the differences between a fingerprint and the Nodes now that mean a
// second name for a machine, or another Node under its name, by machine.
func renames(before continuity.Fingerprint, nodes []downstream.Node, machines []continuity.MachineRef) []Rename {
	byName := make(map[string]*downstream.Node, len(nodes))
	for i := range nodes {
		byName[nodes[i].Name] = &nodes[i]
	}
	machine := machineNames(machines)
	var found []Rename
	for _, d := range continuity.Duplicates(nodes) {
		first := byName[d.Nodes[0]]
		for _, name := range d.Nodes[1:] {
			found = append(found, renameOf(before, first, byName[name], d.Shared, machine))
		}
	}
	for _, d := range continuity.Differences(before, nodes, machines) {
		if why, is := whyRenamed(d); is {
			found = append(found, Rename{Machine: machine(d.Was.Machine, d.Was.Name), Old: d.Was.Name, New: d.Now.Name, Why: why})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Machine < found[j].Machine })
	return found
}

// whyRenamed says why a difference is one, if it is. Nodes that left with their
// machines, or were deleted, have no second name; nor has one whose machine is gone
// and whose name another machine took.
func whyRenamed(d continuity.Difference) (why string, is bool) {
	if d.Was.Machine != "" && d.Machine == (continuity.MachineRef{}) {
		return "", false
	}
	switch d.Kind {
	case continuity.Renamed:
		return "the old Node is gone", d.Now != nil
	case continuity.Replaced:
		return fmt.Sprintf("it was deleted and registered again: UID %s, was %s", d.Now.UID, d.Was.UID), true
	case continuity.Reassigned:
		return fmt.Sprintf("ProviderID %q, was %q", d.Now.ProviderID, d.Was.ProviderID), true
	case continuity.Left, continuity.Lost, continuity.Deleted:
	}
	return "", false
}

// renameOf tells the old name from the new one by the fingerprint.
func renameOf(before continuity.Fingerprint, a, b *downstream.Node, shared continuity.Shared, machine func(uid, node string) string) Rename {
	if HasNode(before, b.Name) {
		a, b = b, a
	}
	why := map[continuity.Shared]string{continuity.SharedMachine: "same Machine", continuity.SharedInstance: "same instance",
		continuity.SharedAddress: "same internal address"}[shared]
	return Rename{Machine: machine(migration.OrElse(a.MachineUID(), b.MachineUID()), a.Name), Old: a.Name, New: b.Name, Why: why}
}

// machineNames names a machine for people, by its UID; where it has none by its Node.
func machineNames(machines []continuity.MachineRef) func(uid, node string) string {
	names := make(map[string]string, len(machines))
	for _, m := range machines {
		names[m.UID] = m.Name
	}
	return func(uid, node string) string {
		if uid == "" {
			return node
		}
		return migration.OrElse(names[uid], uid)
	}
}

// HasNode says whether a fingerprint has a Node of that name.
func HasNode(before continuity.Fingerprint, name string) bool {
	return slices.ContainsFunc(before.Nodes, func(n continuity.NodePrint) bool { return n.Name == name })
}

// RenamesOf judges this reading against the journal's fingerprint. Without one,
// two Nodes for one machine still tell.
func RenamesOf(s migration.Snapshot) []Rename {
	before, _, err := Fingerprint(s.Record)
	if err != nil {
		before = continuity.Fingerprint{}
	}
	return slices.DeleteFunc(renames(before, s.Reading.Down.Nodes, s.Reading.Refs()), func(r Rename) bool { return s.Reading.Stale[r.New] })
}

// renamedNote is the journal's key for the names that renames had given when an undo began.
const renamedNote = "renamed"

// NoteRenamed keeps what an undo goes back from, for whoever watches it later: a rename
// that comes in its middle is none of them.
func NoteRenamed(ctx context.Context, tx *runner.Tx, s migration.Snapshot) error {
	now := slices.Sorted(maps.Keys(s.Reading.Stale))
	known, err := KnownRenamed(tx.Record())
	if err != nil || slices.Equal(now, slices.Sorted(maps.Keys(known))) {
		return err
	}
	return tx.Note(ctx, renamedNote, now)
}

// KnownRenamed are the names that NoteRenamed kept.
func KnownRenamed(record journal.Record) (map[string]bool, error) {
	var names []string
	_, err := record.NoteInto(renamedNote, &names)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	return known, err
}

// Renamed are the names that the renames of this reading gave, for an undo to go back
// from.
func Renamed(s migration.Snapshot) map[string]bool {
	found := map[string]bool{}
	for _, r := range RenamesOf(s) {
		if r.New != r.Old {
			found[r.New] = true
		}
	}
	return found
}
