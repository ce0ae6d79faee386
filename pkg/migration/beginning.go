package migration

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// beginningNote is the journal's key for the configuration before the first edit.
const beginningNote = "configuration-before"

// Place describes one location of a configuration by its digest, which reveals no secret.
type Place struct {
	Digest string `json:"digest"`
	// Traces reports whether the location holds a value that an edit of a migration writes,
	// regardless of the writer.
	Traces bool `json:"-"`
}

// NoteBeginning records the configuration of an object before a migration's first edit. The
// audit at the end of an undo compares with it. It does nothing if an edit of the object is
// not undone yet.
func NoteBeginning(ctx context.Context, tx *runner.Tx, object string, places map[string]Place) error {
	if tx.Record().Edited(object) {
		return nil
	}
	return tx.Note(ctx, beginningNote, places)
}

// ForgetBeginning removes the record of NoteBeginning after an undo has ended. Later changes
// do not belong to that migration.
func ForgetBeginning(ctx context.Context, tx *runner.Tx) error {
	if _, noted := tx.Record().Notes[beginningNote]; !noted {
		return nil
	}
	return tx.Note(ctx, beginningNote, nil)
}

// CompareBeginning compares a configuration with the record of NoteBeginning. It returns
// an error of class Check if a location differs and has traces of a migration. Otherwise it
// returns a sentence of evidence, empty if the journal holds no earlier configuration.
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
