package migration

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
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
func (c *Core) noteFingerprint(ctx context.Context, tx *runner.Tx, facts downstream.Facts) error {
	if _, known, err := fingerprint(tx.Record()); err != nil || known && c.begun(tx.Record()) {
		return err
	}
	taken, err := continuity.Take(facts)
	if err != nil {
		return CouldNotRead("fingerprint of "+c.Reading.Object, err)
	}
	packed, err := taken.Encode()
	if err != nil {
		return err
	}
	return tx.Note(ctx, fingerprintNote, packed)
}

// begun says whether a migration is under way that somebody began, here or by hand.
func (c *Core) begun(record runner.Record) bool {
	return c.Result.Position != position.P0 || c.Result.Mixed || c.standing(record).lastIntended() != ""
}

// fingerprint reads it back from the journal.
func fingerprint(record runner.Record) (continuity.Fingerprint, bool, error) {
	var packed []byte
	known, err := record.NoteInto(fingerprintNote, &packed)
	if err != nil || !known {
		return continuity.Fingerprint{}, false, err
	}
	then, err := continuity.Decode(packed)
	return then, err == nil, err
}

// RequireSamePlanes stops before a write when a control-plane machine came or
// went during the migration: a newcomer may run with other arguments.
func (c *Core) RequireSamePlanes(tx *runner.Tx) error {
	before, known, err := fingerprint(tx.Record())
	if err != nil || !known {
		return err
	}
	var then, now []string
	for _, node := range before.Nodes {
		if node.ControlPlane {
			then = append(then, OrElse(node.Machine, node.Name))
		}
	}
	for _, m := range c.Reading.Members {
		if m.ControlPlane {
			now = append(now, OrElse(m.ID, strings.Join(m.Nodes, ",")))
		}
	}
	sort.Strings(then)
	sort.Strings(now)
	if fmt.Sprint(now) == fmt.Sprint(then) {
		return nil
	}
	return &fault.Error{Class: fault.Stale, Reason: "ControlPlanesChanged", Object: c.Reading.Object,
		Seen:   fmt.Sprintf("its control-plane machines are no longer those of the fingerprint (%d now, %d then)", len(now), len(then)),
		Wanted: "the same control-plane machines during a migration",
		Fix:    "see that the new ones are healthy, then run again"}
}
