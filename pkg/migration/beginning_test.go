package migration_test

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestCompareBeginning(t *testing.T) {
	const object = "Cluster fleet-default/demo"
	traces := func(digest string) migration.Place { return migration.Place{Digest: digest, Traces: true} }
	before := map[string]migration.Place{"a": {Digest: "1"}, "b": {Digest: "2"}}
	for name, tt := range map[string]struct {
		now        map[string]migration.Place
		says, want string // the reason of the error
	}{
		"the same_evidence":             {now: before, says: object + " is configured as before the migration"},
		"traces of before_evidence":     {now: map[string]migration.Place{"a": traces("1"), "b": {Digest: "2"}}, says: object + " is configured as before the migration"},
		"new traces_refused":            {now: map[string]migration.Place{"a": {Digest: "1"}, "b": {Digest: "2"}, "c": traces("3")}, want: "NotAsBefore"},
		"changed, with traces_refused":  {now: map[string]migration.Place{"a": {Digest: "1"}, "b": traces("3")}, want: "NotAsBefore"},
		"changed by others_named":       {now: map[string]migration.Place{"a": {Digest: "1"}, "b": {Digest: "3"}}, says: object + ": no traces of the migration; changed since by others: b"},
		"removed and added_both named":  {now: map[string]migration.Place{"b": {Digest: "2"}, "c": {Digest: "3"}}, says: object + ": no traces of the migration; changed since by others: a; c"},
		"removed and emptied_both said": {now: nil, says: object + ": no traces of the migration; changed since by others: a; b"},
	} {
		tx := clustertest.TxFor(t, migration.StepEnable)
		if err := migration.NoteBeginning(t.Context(), tx, object, before); err != nil {
			t.Fatal(err)
		}
		says, err := migration.CompareBeginning(tx.Record(), object, tt.now)
		if says != tt.says || clustertest.ReasonOf(err) != tt.want {
			t.Errorf("%s: %q, %v", name, says, err)
		}
	}
}

// A run notes the beginning only before its first edit; an undo removes the note.
func TestNoteBeginning_intents_notedOnce(t *testing.T) {
	const object = "Cluster fleet-default/demo"
	places := func(digest string) map[string]migration.Place {
		return map[string]migration.Place{"a": {Digest: digest}}
	}
	edit := journal.Intent{Step: migration.StepEnable, Object: object, Inverse: []byte("{}")}
	for name, tt := range map[string]struct {
		intents []journal.Intent
		want    string
	}{
		"nothing edited_the newest":     {nil, "2"},
		"edited, not noted_none":        {[]journal.Intent{edit}, ""},
		"another object edited_newest":  {[]journal.Intent{{Step: migration.StepEnable, Object: "x", Inverse: []byte("{}")}}, "2"},
		"only an undo announced_newest": {[]journal.Intent{{Step: migration.StepUndoEnable, Object: object, Inverse: []byte("{}")}}, "2"},
	} {
		tx := clustertest.TxFor(t, migration.StepEnable, tt.intents...)
		for _, digest := range []string{"1", "2"} {
			if err := migration.NoteBeginning(t.Context(), tx, object, places(digest)); err != nil {
				t.Fatal(err)
			}
		}
		says, err := migration.CompareBeginning(tx.Record(), object, places(tt.want))
		if err != nil || (says == object+" is configured as before the migration") != (tt.want != "") {
			t.Errorf("%s: %q %v", name, says, err)
		}
		if err := migration.ForgetBeginning(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		if says, err := migration.CompareBeginning(tx.Record(), object, places("3")); err != nil || says != "" {
			t.Errorf("%s: after the undo %q %v", name, says, err)
		}
	}
}
