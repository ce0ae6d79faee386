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

// findRenames compares the present Nodes with a fingerprint. It returns, sorted by machine,
// those with a second Node name or with a new Node of the same name.
func findRenames(before continuity.Fingerprint, nodes []downstream.Node, machines []continuity.MachineRef) []Rename {
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

// whyRenamed reports whether a difference is a rename, and why. A Node that was deleted or
// left with its machine is none. Neither is a name that a new machine took over from a
// deleted one.
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

// renameOf describes two Nodes of one machine. The fingerprint shows which name is the old one.
func renameOf(before continuity.Fingerprint, a, b *downstream.Node, shared continuity.Shared, machine func(uid, node string) string) Rename {
	if HasNode(before, b.Name) {
		a, b = b, a
	}
	why := map[continuity.Shared]string{continuity.SharedMachine: "same Machine", continuity.SharedInstance: "same instance",
		continuity.SharedAddress: "same internal address"}[shared]
	return Rename{Machine: machine(migration.OrElse(a.MachineUID(), b.MachineUID()), a.Name), Old: a.Name, New: b.Name, Why: why}
}

// machineNames returns a function that names a machine by its UID, or by its Node if it has
// none.
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

// HasNode reports whether a fingerprint has a Node of that name.
func HasNode(before continuity.Fingerprint, name string) bool {
	return slices.ContainsFunc(before.Nodes, func(n continuity.NodePrint) bool { return n.Name == name })
}

// RenamesOf compares a reading with the journal's fingerprint. Without a fingerprint it still
// finds two Nodes of one machine.
func RenamesOf(s migration.Snapshot) []Rename {
	before, _, err := Fingerprint(s.Record)
	if err != nil {
		before = continuity.Fingerprint{}
	}
	return slices.DeleteFunc(findRenames(before, s.Reading.Down.Nodes, s.Reading.Refs()), func(r Rename) bool { return s.Reading.Stale[r.New] })
}

// renamedNote is the journal's key for the Node names that renames had created before an undo.
const renamedNote = "renamed"

// NoteRenamed records the names that an undo removes. A later run can then distinguish them
// from a rename during the undo.
func NoteRenamed(ctx context.Context, tx *runner.Tx, s migration.Snapshot) error {
	now := slices.Sorted(maps.Keys(s.Reading.Stale))
	known, err := KnownRenamed(tx.Record())
	if err != nil || slices.Equal(now, slices.Sorted(maps.Keys(known))) {
		return err
	}
	return tx.Note(ctx, renamedNote, now)
}

// KnownRenamed returns the names that NoteRenamed recorded.
func KnownRenamed(record journal.Record) (map[string]bool, error) {
	var names []string
	_, err := record.NoteInto(renamedNote, &names)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	return known, err
}

// Renamed returns the Node names that the renames of this reading created. An undo removes
// them.
func Renamed(s migration.Snapshot) map[string]bool {
	found := map[string]bool{}
	for _, r := range RenamesOf(s) {
		if r.New != r.Old {
			found[r.New] = true
		}
	}
	return found
}
