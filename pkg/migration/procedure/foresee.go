package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Foreseen is what the preflight of a run would come to now.
type Foreseen struct {
	Report verify.Report // no check, where a run makes none
	Stops  error         // what would stop the run; nil: nothing
}

// Foresee runs every check as the preflight of a run does, for a plan. Like that
// preflight it stops nothing while a step is in progress, and waits for what an
// earlier run left moving. It writes nothing. Its error means that the checks
// could not be made.
func (m *Migration) Foresee(ctx context.Context, seen migration.Snapshot) (Foreseen, error) {
	if m.back {
		return m.foreseeUndo(seen), nil
	}
	if nothingBegun(seen) { // as Precheck
		var err error
		if seen, err = m.Observe(ctx, journal.Record{}); err != nil {
			return Foreseen{}, err
		}
	}
	report, _, err := m.auditor().Inspect(ctx, seen, m.Writes(seen))
	if err != nil {
		return Foreseen{}, err
	}
	foreseen := Foreseen{Report: report}
	if m.inProgress(seen) == "" && (!seen.Record.LeftOpen || len(seen.Reading.Pending) == 0) {
		foreseen.Stops = audit.JudgeReport(report, m.Options)
	}
	return foreseen, nil
}

// Counts are the counts of a report on one line.
func (f Foreseen) Counts() string { return audit.CountsOf(f.Report) }

// Lines are all findings that are not ok, in full, without what was skipped.
func (f Foreseen) Lines() []string {
	var lines []string
	for _, result := range f.Results() {
		lines = append(lines, audit.ResultLines(result)...)
	}
	return lines
}

// Results are the checks that are not ok, the worst first.
func (f Foreseen) Results() []verify.Result {
	var results []verify.Result
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		results = append(results, f.Report.With(status)...)
	}
	return results
}

// foreseeUndo is what the undo's own preflight would come to: it makes no checks.
func (m *Migration) foreseeUndo(seen migration.Snapshot) Foreseen {
	stops := undoRefused(seen)
	moving := m.Undoing(seen) || seen.Record.LeftOpen && len(seen.Reading.Pending) > 0
	if stops == nil && !moving {
		stops = m.requireRestOrOurPause(seen)
	}
	return Foreseen{Stops: stops}
}
