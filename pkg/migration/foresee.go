package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
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
func (c *Core) Foresee(ctx context.Context, record runner.Record) (Foreseen, error) {
	if c.Result.Position == position.P0 && !c.Result.Mixed {
		record = runner.Record{} // as Precheck
	}
	report, _, err := c.inspect(ctx, record)
	if err != nil {
		return Foreseen{}, err
	}
	seen := Foreseen{Report: report}
	if c.inProgress(record) == "" && (!record.LeftOpen || len(c.Reading.Unrest) == 0) {
		seen.Stops = JudgeReport(report, c.Options)
	}
	return seen, nil
}

// Counts are the counts of a report on one line.
func (f Foreseen) Counts() string { return countsOf(f.Report) }

// Lines are all findings that are not ok, in full, without what was skipped.
func (f Foreseen) Lines() []string {
	var lines []string
	for _, result := range f.Results() {
		lines = append(lines, resultLines(result)...)
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

// Foresee is what the undo's own preflight would come to: it makes no checks.
func (u *Undo) Foresee(_ context.Context, record runner.Record) (Foreseen, error) {
	stops := u.core.undoRefused(record)
	moving := u.core.Undoing(record) || record.LeftOpen && len(u.core.Reading.Unrest) > 0
	if stops == nil && !moving {
		stops = u.core.requireRestOrOurPause()
	}
	return Foreseen{Stops: stops}, nil
}
