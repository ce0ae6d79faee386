package migration

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// beginningNote is the journal's key for the configuration from before the first edit.
const beginningNote = "configuration-before"

// Place is one location of a configuration as a digest, which holds no secret.
type Place struct {
	Digest string `json:"digest"`
	// Traces reports whether the location holds something that an edit of a migration
	// writes, by any writer.
	Traces bool `json:"-"`
}

// NoteBeginning keeps the configuration of an object from before a migration's first edit,
// for the audit at the end of an undo. It does nothing while an edit of the object is not
// taken back.
func NoteBeginning(ctx context.Context, tx *runner.Tx, object string, places map[string]Place) error {
	if tx.Record().Edited(object) {
		return nil
	}
	return tx.Note(ctx, beginningNote, places)
}

// ForgetBeginning removes what NoteBeginning kept, once an undo has come to its end: what
// changes from then on has nothing to do with it.
func ForgetBeginning(ctx context.Context, tx *runner.Tx) error {
	if _, kept := tx.Record().Notes[beginningNote]; !kept {
		return nil
	}
	return tx.Note(ctx, beginningNote, nil)
}

// CompareBeginning compares a configuration with the one from before the first edit. It
// returns an error of class Check if a location differs and has traces of a migration;
// else a sentence of evidence, empty if the journal does not hold how it was.
func CompareBeginning(record journal.Record, object string, now map[string]Place) (string, error) {
	var before map[string]Place
	if _, err := record.NoteInto(beginningNote, &before); err != nil || before == nil {
		return "", err
	}
	var left, others []string
	for location, place := range now {
		switch {
		case place.Digest == before[location].Digest:
		case place.Traces:
			left = append(left, location)
		default:
			others = append(others, location)
		}
	}
	for location := range before {
		if _, there := now[location]; !there {
			others = append(others, location)
		}
	}
	slices.Sort(left)
	slices.Sort(others)
	switch {
	case len(left) > 0:
		return "", &fault.Error{Class: fault.Check, Reason: "NotAsBefore", Object: object,
			Seen:   "the undo is done, and it has traces of the migration: " + JoinSome(left),
			Wanted: "the configuration from before the migration in these locations",
			Fix:    "put them back by hand or from a backup, wait until nothing moves any longer, then run again"}
	case len(others) > 0:
		return fmt.Sprintf("%s: no traces of the migration; changed since by others: %s", object, JoinSome(others)), nil
	}
	return object + " is configured as before the migration", nil
}
