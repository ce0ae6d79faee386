package migration

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// fingerprintNote is the journal's key for how the cluster looked before the
// first write.
const fingerprintNote = "fingerprint"

// noteFingerprint takes the fingerprint once in a migration: later runs compare with
// the first reading, not with what an earlier run may have left. Where nothing has
// been begun, or all of it was taken back, the migration starts here.
func (s Snapshot) noteFingerprint(ctx context.Context, tx *runner.Tx, facts downstream.Facts) error {
	if _, known, err := fingerprint(tx.Record()); err != nil || known && s.begun() {
		return err
	}
	taken, err := continuity.Take(facts)
	if err != nil {
		return CouldNotRead("fingerprint of "+s.Reading.Object, err)
	}
	packed, err := taken.Encode()
	if err != nil {
		return err
	}
	return tx.Note(ctx, fingerprintNote, packed)
}

// takeAgain takes Nodes that were deleted and registered again since the fingerprint
// as they are now: a person began this run, and nothing gives the old ones back. Each
// is named.
func (s Snapshot) takeAgain(ctx context.Context, tx *runner.Tx) error {
	then, known, err := fingerprint(tx.Record())
	if err != nil || !known {
		return err
	}
	now := make([]continuity.NodePrint, 0, len(s.Reading.Down.Nodes))
	for i := range s.Reading.Down.Nodes {
		node := &s.Reading.Down.Nodes[i]
		now = append(now, continuity.NodePrint{Name: node.Name, UID: node.UID, ProviderID: node.ProviderID, Machine: node.Labels[downstream.LabelMachine]})
	}
	again, names := then.TakeAgain(now)
	if len(names) == 0 {
		return nil
	}
	packed, err := again.Encode()
	if err != nil {
		return err
	}
	tx.Warn("deleted and registered again since the migration began, and taken as they are now: Node " + strings.Join(names, ", Node "))
	return tx.Note(ctx, fingerprintNote, packed)
}

// begun says whether a migration is under way that somebody began, here or by hand.
func (s Snapshot) begun() bool {
	return s.Result.Position != position.P0 || s.Result.Mixed || lastIntended(s.Record) != ""
}

// fingerprint reads it back from the journal.
func fingerprint(record journal.Record) (continuity.Fingerprint, bool, error) {
	var packed []byte
	known, err := record.NoteInto(fingerprintNote, &packed)
	if err != nil || !known {
		return continuity.Fingerprint{}, false, err
	}
	then, err := continuity.Decode(packed)
	return then, err == nil, err
}

// planesNote is the journal's key for the control-plane machines that a preflight saw,
// where they are no longer those of the fingerprint.
const planesNote = "control-planes"

// notePlanes takes the control-plane machines of a preflight that passed for those of
// the run: newcomers were looked at with the rest.
func (s Snapshot) notePlanes(ctx context.Context, tx *runner.Tx) error {
	then, known, err := planesThen(tx.Record())
	if err != nil || !known || slices.Equal(then, s.planes()) {
		return err
	}
	return tx.Note(ctx, planesNote, s.planes())
}

// planesThen are the control-plane machines of the last preflight that passed, sorted.
func planesThen(record journal.Record) (then []string, known bool, err error) {
	if known, err := record.NoteInto(planesNote, &then); err != nil || known {
		return then, known, err
	}
	before, known, err := fingerprint(record)
	for _, node := range before.Nodes {
		if node.ControlPlane {
			then = append(then, OrElse(node.Machine, node.Name))
		}
	}
	sort.Strings(then)
	return then, known, err
}

// planes are those of the last reading, sorted.
func (s Snapshot) planes() []string {
	var now []string
	for _, m := range s.Reading.Members {
		if m.ControlPlane {
			now = append(now, m.plane())
		}
	}
	sort.Strings(now)
	return now
}

func (m Member) plane() string { return OrElse(m.ID, strings.Join(m.Nodes, ",")) }

// RequireSamePlanes stops before a write when a control-plane machine came or
// went since the preflight: a newcomer may run with other arguments.
func (s Snapshot) RequireSamePlanes() error {
	then, known, err := planesThen(s.Record)
	if err != nil || !known || slices.Equal(then, s.planes()) {
		return err
	}
	return &fault.Error{Class: fault.Stale, Reason: "ControlPlanesChanged", Object: s.Reading.Object,
		Seen:   fmt.Sprintf("its control-plane machines are no longer those that the preflight saw (%d now, %d then)", len(s.planes()), len(then)),
		Wanted: "the same control-plane machines during a run",
		Fix:    "see that the new ones are healthy, then run the same command again, whose preflight looks at them"}
}
