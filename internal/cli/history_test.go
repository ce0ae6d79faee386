package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// historic is a cluster with a separate journal.
type historic struct {
	*foreseen
	kept journal.Journal
}

func (h historic) Asked(target.Output) (target.Asked, error) { return target.Asked{Target: h}, nil }

func (h historic) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	return &session.Session{Procedure: h.foreseen, Journal: h.kept, RunID: "run-1"}, nil
}

// unreadJournal is one that may not be read.
type unreadJournal struct{ journal.Memory }

func (*unreadJournal) Load(context.Context) (journal.State, error) {
	return journal.State{}, errors.New("forbidden")
}

// The history shows the journal; an unreadable journal is no empty history.
func TestHistory(t *testing.T) {
	kept := &journal.Memory{}
	if err := kept.Commit(t.Context(), &journal.State{Runs: []journal.Run{{ID: "a", Who: "ada@bastion", Start: "2026-11-21T09:00:00Z", Outcome: "died"}}}); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"text", "json"} {
		var out bytes.Buffer
		a := &app.App{Streams: console.Streams{Out: &out, Err: &out}, Output: output}
		cluster := &foreseen{script: wholeScript()}
		if err := showHistory(t.Context(), a, historic{cluster, kept}); err != nil || !strings.Contains(out.String(), "ada@bastion") {
			t.Errorf("%s: %v\n%s", output, err, out.String())
		}
		var doc view.HistoryDocument
		if err := json.Unmarshal(out.Bytes(), &doc); output == "json" && (err != nil || doc.Kind != "History" || len(doc.Runs) != 1 || doc.Target.Name != "demo") {
			t.Errorf("%v %+v", err, doc)
		}
		if err := showHistory(t.Context(), a, historic{cluster, &unreadJournal{}}); err == nil {
			t.Errorf("%s: a journal that cannot be read is told as one without runs", output)
		}
	}
}
