package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// HistoryDocument is the document of `status --history`.
type HistoryDocument struct {
	TypeMeta
	Target journal.Target `json:"target"`
	Runs   []journal.Run  `json:"runs"` // oldest first; the journal keeps only the last ones
}

// NewHistory returns the document of a journal's runs.
func NewHistory(target journal.Target, runs []journal.Run) HistoryDocument {
	return HistoryDocument{TypeMeta: KindOf("History"), Target: target, Runs: append([]journal.Run{}, runs...)}
}

// WriteHistory prints for each run its begin and duration, who started it, its outcome and its command.
func WriteHistory(streams console.Streams, doc HistoryDocument) {
	s := console.NewScreen(streams, streams.Out)
	if len(doc.Runs) == 0 {
		s.Line("the journal has no run of this cluster")
		return
	}
	for _, run := range doc.Runs {
		began, took := timesOf(run)
		prefix := fmt.Sprintf("%s  %7s  ", began, took)
		s.Prose(prefix, cmp.Or(run.Who, "unknown user")+": "+historyText(run))
		if run.Command != "" {
			s.Command(strings.Repeat(" ", len(prefix)), run.Command)
		}
	}
}

// timesOf returns when a run began, in UTC and whole seconds, and its duration, which is "" without a known
// end.
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

// historyText describes the outcome of a run.
func historyText(run journal.Run) string {
	text := cmp.Or(run.Outcome, "no end is recorded: it still runs, or it was killed")
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
