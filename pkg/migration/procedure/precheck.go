package procedure

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// refused says why a migration may not even begin. It is asked while a run is
// planned: what is refused here leaves no trace, neither lock nor journal. Once
// something was written, the same checks stop the preflight of a later run.
func (m *Migration) refused(ctx context.Context, seen migration.Snapshot) error {
	input := evidence.Input{Distribution: m.Distribution}
	m.Backend.Evidence(seen, &input)
	own := m.Backend.Checks(seen, input, migration.Prepared{})
	known := append(slices.Clone(own), verify.Bind(evidence.Input{}, checks.For(m.Distribution)...)...)
	if err := (verify.Report{Refused: verify.Refusals(known, m.Options.Checks(seen.Result.Position))}).Err(); err != nil {
		return err
	}
	if !nothingBegun(seen) {
		return nil
	}
	unsupported := slices.DeleteFunc(own, func(check verify.Bound) bool { return !check.Unsupported })
	return verify.RunAll(ctx, unsupported, verify.Options{Position: seen.Result.Position}).Err()
}

// Precheck implements runner.Procedure. Nothing is written beside an owner of the
// configuration whom nobody informed. On a cluster on which nothing was begun every
// check is run, before the lock is taken, so that a cluster which the preflight would
// stop at is left without a trace of us. Once something was written, the preflight of
// the run judges alone; a step that is in progress moves the cluster by our own doing,
// and is taken up whatever the checks find. Whether there is a way back is said by the
// plan of undo-preflight, which comes before the question.
func (m *Migration) Precheck(ctx context.Context, seen migration.Snapshot, says runner.Observation) error {
	if err := m.RequireInformed(seen); err != nil || m.back || says.InProgress() {
		return err
	}
	if !nothingBegun(seen) {
		return nil
	}
	fresh, err := m.Observe(ctx, journal.Record{})
	if err != nil {
		return err
	}
	report, _, err := m.auditor().Inspect(ctx, fresh, m.Writes(fresh))
	if err != nil {
		return err
	}
	return audit.JudgeReport(report, m.Options)
}

// nothingBegun says that a migration would begin here: what the journal has of one
// before it, which was taken back, does not count.
func nothingBegun(s migration.Snapshot) bool {
	return s.Result.Position == position.P0 && !s.Result.Mixed
}
