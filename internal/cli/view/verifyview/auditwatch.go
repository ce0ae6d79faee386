package verifyview

import (
	"cmp"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Watch prints the first report of a cluster in full, and then the changes.
type Watch struct {
	streams console.Streams
	format  string
	screen  console.Screen
	last    *AuditDocument // the last report, or nil
	failed  error          // the error of all later readings, or nil
}

// NewWatch returns a Watch without a report.
func NewWatch(streams console.Streams, format string) *Watch {
	return &Watch{streams: streams, format: format, screen: console.NewScreen(streams, streams.Out)}
}

// Began reports whether there was a report.
func (w *Watch) Began() bool { return w.last != nil }

// Report prints the first report in full, and the changes of later ones.
func (w *Watch) Report(at time.Time, doc AuditDocument) error {
	if w.last == nil {
		w.last = &doc
		return WriteAudit(w.streams, w.format, doc)
	}
	w.compare(at, doc)
	return nil
}

func (w *Watch) writeLine(at time.Time, line string) {
	w.screen.Prose(at.UTC().Format(time.TimeOnly)+"  ", line)
}

// Missed prints that a reading failed, once for the same reason.
func (w *Watch) Missed(at time.Time, err error) {
	if w.failed == nil || w.failed.Error() != err.Error() {
		w.writeLine(at, "could not look: "+err.Error())
	}
	w.failed = err
}

func (w *Watch) compare(at time.Time, doc AuditDocument) {
	if w.failed != nil {
		w.writeLine(at, "can look again")
	}
	for _, line := range changeLines(*w.last, doc) {
		w.writeLine(at, line)
	}
	w.last, w.failed = &doc, nil
}

// End prints the counts of the last report and returns the error of the last reading.
func (w *Watch) End() error {
	if w.last == nil {
		return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Seen: "interrupted before the first report"}
	}
	err := w.last.outcome
	if w.failed != nil {
		err = w.failed
	}
	w.screen.Line("%s   exit %d", auditCounts(*w.last), view.ExitCode(err))
	return view.Shown(err)
}

// changeLines returns the change of the position and the results that differ.
func changeLines(before, after AuditDocument) []string {
	var lines []string
	if before.Position != after.Position || before.Summary != after.Summary {
		lines = append(lines, "now  "+before.where+"  →  "+after.where)
	}
	then := map[string]verify.Result{}
	for _, result := range before.Results {
		then[result.ID] = result
	}
	for _, result := range after.Results {
		was, known := then[result.ID]
		if known && was.Status == result.Status && firstFinding(was) == firstFinding(result) || after.Elsewhere(result) && before.Elsewhere(was) {
			continue
		}
		lines = append(lines, cmp.Or(auditMarks[was.Status], "new")+" → "+shortLine(result))
	}
	return lines
}

func firstFinding(result verify.Result) verify.Finding {
	for _, finding := range decidingFindings(result) {
		if finding.Status != verify.OK {
			return finding
		}
	}
	return verify.Finding{}
}
