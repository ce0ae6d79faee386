package view

import (
	"cmp"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// HistoryDocument is what `status --history -o json` prints.
type HistoryDocument struct {
	TypeMeta
	Target journal.Target `json:"target"`
	Runs   []journal.Run  `json:"runs"` // oldest first; of many the journal keeps the last ones
}

// NewHistory is what a journal has of its runs.
func NewHistory(target journal.Target, runs []journal.Run) HistoryDocument {
	return HistoryDocument{TypeMeta: KindOf("History"), Target: target, Runs: append([]journal.Run{}, runs...)}
}

// WriteHistory prints for each run when it began and how long it took, who it was, what
// became of it and what was typed.
func WriteHistory(streams console.Streams, doc HistoryDocument) {
	s := console.NewScreen(streams, streams.Out)
	if len(doc.Runs) == 0 {
		s.Line("the journal has no run of this cluster")
		return
	}
	for _, run := range doc.Runs {
		began, took := timesOf(run)
		prefix := fmt.Sprintf("%s  %7s  ", began, took)
		for i, text := range []string{cmp.Or(run.Who, "by nobody known") + ": " + cameTo(run), run.Command} {
			if i > 0 {
				prefix = fmt.Sprintf("%*s", len(prefix), "")
			}
			for _, line := range console.TableRow(prefix, s.Plain(text), "", s.Width) {
				s.Line("%s", line)
			}
		}
	}
}

// timesOf are when a run began, in UTC and whole seconds, and how long it took; "" while
// no end of it is known.
func timesOf(run journal.Run) (began, took string) {
	start, err := time.Parse(time.RFC3339, run.Start)
	if err != nil {
		return run.Start, ""
	}
	if end, err := time.Parse(time.RFC3339, run.End); err == nil {
		took = end.Sub(start).Round(time.Second).String()
	}
	return start.UTC().Format("2006-01-02 15:04:05Z"), took
}

// cameTo is what became of a run.
func cameTo(run journal.Run) string {
	text := cmp.Or(run.Outcome, "no end of it is known: it goes on, or it died")
	if run.Guard {
		text += ", it only watched"
	}
	if run.Step != "" {
		text += " in step " + string(run.Step)
	}
	if run.Reason != "" {
		text += " (" + run.Reason + ")"
	}
	return text
}
