package procedure

import (
	"context"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// kept is a configuration with an owner.
type kept struct{ *clustertest.Side }

func (k kept) Handoff() migration.Handoff                               { return k }
func (kept) Marked(form string) bool                                    { return form != "bare" }
func (kept) Drift(migration.Snapshot, journal.StepID) ([]string, error) { return nil, nil }

func (kept) Forms() []string { return []string{"words"} }
func (kept) Fragment(_ context.Context, _ migration.Snapshot, form string, head []string, steps ...migration.Editing) (string, error) {
	return "# " + strings.Join(head, "\n# ") + "\n" + form + " of " + string(steps[len(steps)-1].ID) + "\n", nil
}

func (k kept) Published(ctx context.Context, snap migration.Snapshot, form string, head []string, steps ...migration.Editing) (string, error) {
	text, err := k.Fragment(ctx, snap, form, head, steps...)
	return "published: " + text, err
}

// Handoff prints only the next edit, and only once its preconditions hold; with all, later
// edits are marked. The text is empty if nothing is left to commit.
func TestHandoff(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		undo  bool
		early bool
		all   bool
		steps []journal.StepID
		marks int    // NOT YET
		first string // the step to run first, in a refusal
	}{
		"before the grant":            {at: position.P0, first: "lease-access"},
		"all of it, before the grant": {at: position.P0, all: true, steps: []journal.StepID{migration.StepEnable, migration.StepSwitch}, marks: 2},
		"after the grant":             {at: position.P1, steps: []journal.StepID{migration.StepEnable}},
		"all of it, after the grant":  {at: position.P1, all: true, steps: []journal.StepID{migration.StepEnable, migration.StepSwitch}, marks: 1},
		"before the CCM":              {at: position.P2, first: "install-ccm"},
		"with the CCM":                {at: position.P3, steps: []journal.StepID{migration.StepSwitch}},
		"before the hand-over":        {at: position.P3, early: true, first: "hand-over"},
		"switched":                    {at: position.P4},
		"migrated":                    {at: position.P5},
		"back, from P4":               {at: position.P4, undo: true, steps: []journal.StepID{migration.StepUndoSwitch}},
		"back, from P5":               {at: position.P5, undo: true, first: "undo-disable-leader-migration"},
		"back, from P2":               {at: position.P2, undo: true, steps: []journal.StepID{migration.StepUndoEnable}},
		"back, from P3":               {at: position.P3, undo: true, first: "undo-install-ccm"},
		"back, from P1":               {at: position.P1, undo: true},
	} {
		access, _, by := clustertest.Reached(tt.at)
		m := New(access, kept{by})
		m.Options.EarlyHandOver = tt.early
		if tt.undo {
			m = m.Undo()
		}
		text, err := m.Handoff(t.Context(), looked(t, m, journal.Record{}), "words", tt.all)
		f, refused := fault.As(err)
		if refused != (tt.first != "") || err != nil && !refused || refused && (f.Class != fault.Gate || !strings.Contains(f.Fix, "--until "+tt.first)) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Count(text, "NOT YET: after "); got != tt.marks || strings.Count(text, NeverAlone) != len(tt.steps) {
			t.Errorf("%s: %d marks\n%s", name, got, text)
		}
		last := -1
		for _, step := range tt.steps {
			at := strings.Index(text, "words of "+string(step)+"\n")
			if at <= last {
				t.Errorf("%s: %s at %d\n%s", name, step, at, text)
			}
			last = at
		}
		if len(tt.steps) == 0 && text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	access, _, by := clustertest.Reached(position.P1)
	m := New(access, kept{by})
	if text, err := m.Handoff(t.Context(), looked(t, m, journal.Record{}), "bare", true); fault.ClassOf(err) != fault.Usage || text != "" {
		t.Errorf("an early edit without a mark: %q, %v", text, err)
	}
	if text, err := m.Handoff(t.Context(), looked(t, m, journal.Record{}), "bare", false); err != nil || !strings.Contains(text, "bare of ") {
		t.Errorf("the next edit, without a mark: %q, %v", text, err)
	}
	m = New(access, by)
	if _, err := m.Handoff(t.Context(), looked(t, m, journal.Record{}), "words", false); fault.ClassOf(err) != fault.Usage {
		t.Errorf("without an owner: %v", err)
	}
}

// NextEdit returns texts without secrets.
func TestNextEdit(t *testing.T) {
	access, _, by := clustertest.Reached(position.P1)
	m := New(access, kept{by})
	edit, err := m.NextEdit(t.Context(), looked(t, m, journal.Record{}))
	if err != nil || edit.Step != migration.StepEnable || !strings.HasPrefix(edit.Texts["words"], "published: # ") {
		t.Errorf("%+v, %v", edit, err)
	}
}
