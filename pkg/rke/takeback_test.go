package rke

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Reversing the direction any number of times hides no edit from the next undo, and undoes none
// twice. Other writers may edit the rest of the file meanwhile.
func TestUndoStep_directionReversed_undoneOnce(t *testing.T) {
	const enable, change, back, away = migration.StepEnable, migration.StepSwitch, migration.StepUndoSwitch, migration.StepUndoEnable
	announced := func(step journal.StepID) journal.Intent {
		return journal.Intent{Step: step, Object: "DaemonSet x", Inverse: []byte("{}")}
	}
	for name, tt := range map[string]struct {
		steps []journal.StepID
		later journal.StepID // undo announced after the steps that did not change the file
	}{
		"undo of a later step turned round_flag undone":   {[]journal.StepID{enable, away}, migration.StepUndoInstall},
		"undo of its own step turned round_undone once":   {[]journal.StepID{enable, away, enable, away}, ""},
		"both turned round_both undone":                   {[]journal.StepID{enable, change, back, change, back, away, enable, change, back, away}, migration.StepUndoDisable},
		"three times_both undone":                         {[]journal.StepID{enable, away, enable, away, enable, change, back, change, back, away}, ""},
		"undo of the switch turned round_both are undone": {[]journal.StepID{enable, change, back, change, back, away}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newMigration(t, Options{IncludePending: true}, &fakeTool{})
			before := p.text(t)
			var intents []journal.Intent
			for i, step := range tt.steps {
				if i == len(tt.steps)-1 && tt.later != "" {
					intents = append(intents, announced(tt.later), announced(migration.StepInstall))
				}
				intents = p.edit(t, step, intents)
				comment := "# a line of another editor\n"
				before += comment
				if err := os.WriteFile(p.Options.Config, []byte(p.text(t)+comment), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.text(t); got != before {
				t.Errorf("left:\n%s\nwanted:\n%s", got, before)
			}
		})
	}
}

// An undo would never end if the file has an edit that the journal does not hold.
func TestTakeBackOfNothing(t *testing.T) {
	p, _ := newMigration(t, Options{}, &fakeTool{})
	intents := p.edit(t, migration.StepEnable, nil)
	intents = p.edit(t, migration.StepSwitch, intents)
	for step, found := range map[journal.StepID]string{migration.StepUndoSwitch: "external-aws", migration.StepUndoEnable: ""} {
		_, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(step, p.Options.Options))
		if found == "" && err != nil || found != "" && (clustertest.ReasonOf(err) != "NothingToTakeBack" || !strings.Contains(err.Error(), found) || !strings.Contains(err.Error(), ".awsmigrate-*.bak")) {
			t.Errorf("%s: %v", step, err)
		}
	}
	p.edit(t, migration.StepUndoSwitch, intents)
	without := slices.DeleteFunc(slices.Clone(intents), func(in journal.Intent) bool { return in.Step == migration.StepEnable })
	if _, err := p.Edit(t.Context(), p.observe(t, journal.Record{Intents: without}), procedure.EditingOf(migration.StepUndoEnable, p.Options.Options)); clustertest.ReasonOf(err) != "NothingToTakeBack" {
		t.Errorf("the flag is there, and no edit that set it: %v", err)
	}
}
