package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// kept is a configuration with another owner, with the journal of its edits.
type kept struct {
	*clustertest.Side
	m       *procedure.Migration
	journal *journal.Memory
}

func (k *kept) Handoff() migration.Handoff                               { return k }
func (*kept) Marked(form string) bool                                    { return form != "bare" }
func (*kept) Drift(migration.Snapshot, journal.StepID) ([]string, error) { return nil, nil }

func (*kept) Forms() []string { return []string{"words"} }
func (*kept) Fragment(_ context.Context, _ migration.Snapshot, form string, _ []string, steps ...migration.Editing) (string, error) {
	return form + " of " + string(steps[len(steps)-1].ID) + "\n", nil
}

func (k *kept) Published(ctx context.Context, seen migration.Snapshot, form string, head []string, steps ...migration.Editing) (string, error) {
	return k.Fragment(ctx, seen, form, head, steps...)
}

// Asked implements target.Flags.
func (k *kept) Asked(target.Output) (target.Asked, error) { return target.Asked{Target: k}, nil }

// Connect implements session.Connector. A lease is known to be renewed after a second look.
func (k *kept) Connect(ctx context.Context, _ session.Options, _ session.Access) (*session.Session, error) {
	for range 2 {
		k.m.Clock.(clustertest.Clock).Step(5 * time.Second)
		if _, err := k.m.Observe(ctx, journal.Record{}); err != nil {
			return nil, err
		}
	}
	return &session.Session{Migration: k.m, Procedure: k.m, Journal: k.journal, RunID: "run-1"}, nil
}

// The next edit follows the direction of the last run: during an undo nothing is printed that
// leads forward again.
func TestHandoffInTheDirectionOfTheLastRun(t *testing.T) {
	for name, tt := range map[string]struct {
		at   position.Position
		last journal.StepID
		want string
	}{
		"forward":                       {position.P3, migration.StepInstall, "words of switch-provider\n"},
		"forward, switched":             {position.P4, migration.StepSwitch, ""},
		"back":                          {position.P4, migration.StepUndoSwitch, "words of undo-switch-provider\n"},
		"back, before the first commit": {position.P4, migration.StepUndoDisable, "words of undo-switch-provider\n"},
		"back, without the CCM":         {position.P2, migration.StepUndoInstall, "words of undo-enable-leader-migration\n"},
	} {
		access, _, side := clustertest.Reached(tt.at)
		cluster := &kept{Side: side, journal: &journal.Memory{}}
		cluster.m = procedure.New(access, cluster)
		if err := cluster.journal.Commit(t.Context(), &journal.State{Intents: []journal.Intent{{Step: tt.last, Run: "run-0", Time: "2026-01-01T00:00:00Z"}}}); err != nil {
			t.Fatal(err)
		}
		var out, problems bytes.Buffer
		a := &app.App{Streams: console.Streams{Out: &out, Err: &problems}, Output: "text"}
		if err := handOff(t.Context(), a, cluster, "words", false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if warned := strings.Contains(problems.String(), procedure.NeverAlone); warned != (tt.want != "") {
			t.Errorf("%s: %q", name, problems.String())
		}
		if said := strings.Contains(problems.String(), "nothing is left"); out.String() != tt.want || said != (tt.want == "") {
			t.Errorf("%s: %q, %q; wanted %q", name, out.String(), problems.String(), tt.want)
		}
	}
}
