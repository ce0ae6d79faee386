package procedure

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// uninformed are the owners that nobody says were informed.
func (m *Migration) uninformed(seen migration.Snapshot) []migration.Owner {
	return slices.DeleteFunc(slices.Clone(seen.Reading.Owners), m.Options.Informed)
}

// RequireInformed refuses to write beside an owner who would put the old
// configuration back. A run that takes up another, and an undo, is asked anew.
func (m *Migration) RequireInformed(seen migration.Snapshot) error {
	owners := m.uninformed(seen)
	if len(owners) == 0 {
		return nil
	}
	names := make([]string, 0, len(owners))
	for _, o := range owners {
		names = append(names, o.String())
	}
	return &fault.Error{Class: fault.Check, Reason: "OwnerNotInformed", Object: seen.Reading.Object,
		Seen:   "is kept by " + strings.Join(names, ", ") + ": " + migration.OrElse(migration.RevertHarm(seen.Result.Position), migration.RevertHarm(position.P3)),
		Wanted: "an owner who has what is written", Fix: migration.InformFix(owners)}
}

// ownerNotes are for a plan: what keeps a run from writing.
func (m *Migration) ownerNotes(seen migration.Snapshot) []string {
	owners := m.uninformed(seen)
	if len(owners) == 0 || !m.Writes(seen) {
		return nil
	}
	notes := make([]string, 0, len(owners))
	for _, o := range owners {
		notes = append(notes, "! kept by "+o.String()+": a run needs --owner-informed="+o.Word())
	}
	return notes
}

// Writes says whether the run, in its direction, has a step left that writes. An
// audit has none.
func (m *Migration) Writes(seen migration.Snapshot) bool {
	if m.Options.ReadOnly {
		return false
	}
	now := m.progress(seen)
	judged, err := now.states(m.forward())
	if seen.Back {
		judged, err = now.undoStates(undoOrder())
	}
	if err != nil {
		return true // what cannot be judged is not known to be finished
	}
	for _, state := range judged.States {
		if state.Kind == runner.Todo || state.Kind == runner.InProgress {
			return true
		}
	}
	return false
}
