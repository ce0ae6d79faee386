package procedure

import (
	"context"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
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

// uninformed are the owners that nobody says were informed.
func (m *Migration) uninformed(seen migration.Snapshot) []migration.Owner {
	if m.Options.HandOver {
		return nil // it is the owner who writes
	}
	return slices.DeleteFunc(slices.Clone(seen.Reading.Owners), m.Options.Informed)
}

// RequireInformed refuses to write beside an owner who would put the old
// configuration back. A run that takes up another, and an undo, is asked anew.
func (m *Migration) RequireInformed(seen migration.Snapshot) error {
	owners := m.uninformed(seen)
	if len(owners) == 0 {
		return nil
	}
	names := make([]string, 0, len(owners))
	for _, o := range owners {
		names = append(names, o.String())
	}
	return &fault.Error{Class: fault.Check, Reason: "OwnerNotInformed", Object: seen.Reading.Object,
		Seen:   "is kept by " + strings.Join(names, ", ") + ": " + migration.OrElse(migration.RevertHarm(seen.Result.Position), migration.RevertHarm(position.P3)),
		Wanted: "an owner who has what is written", Fix: migration.InformFix(owners)}
}

// ownerNotes are for a plan: what keeps a run from writing.
func (m *Migration) ownerNotes(seen migration.Snapshot) []string {
	owners := m.uninformed(seen)
	if len(owners) == 0 || !m.Writes(seen) {
		return nil
	}
	notes := make([]string, 0, len(owners))
	for _, o := range owners {
		notes = append(notes, "! kept by "+o.String()+": a run needs --owner-informed="+o.Word())
	}
	return notes
}

// Writes says whether the run, in its direction, has a step left that writes. An
// audit has none.
func (m *Migration) Writes(seen migration.Snapshot) bool {
	if m.Options.ReadOnly {
		return false
	}
	now := m.progress(seen)
	judged, err := now.states(m.forward())
	if seen.Back {
		judged, err = now.undoStates(undoOrder())
	}
	if err != nil {
		return true // what cannot be judged is not known to be finished
	}
	for _, state := range judged.States {
		if state.Kind == runner.Todo || state.Kind == runner.InProgress {
			return true
		}
	}
	return false
}

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
