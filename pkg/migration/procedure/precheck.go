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

// requireSupported returns an error if a migration cannot even begin. It runs while a run is
// planned, so a refusal leaves no lock and no journal. After the first write, the same checks
// stop the preflight of a later run.
func (m *Migration) requireSupported(ctx context.Context, snap migration.Snapshot) error {
	input := evidence.Input{Distribution: m.Distribution}
	m.Backend.Evidence(ctx, snap, &input)
	own := m.Backend.Checks(snap, input, migration.Prepared{})
	known := append(slices.Clone(own), verify.Bind(evidence.Input{}, checks.For(m.Distribution)...)...)
	if err := (verify.Report{Refused: verify.Refusals(known, m.Options.Checks(snap.Result.Position))}).Err(); err != nil {
		return err
	}
	if !isUnstarted(snap) {
		return nil
	}
	unsupported := slices.DeleteFunc(own, func(check verify.Bound) bool { return !check.Unsupported })
	return verify.RunAll(ctx, unsupported, verify.Options{Position: snap.Result.Position}).Err()
}

// Precheck implements runner.Procedure. It refuses to write if the owner of the configuration
// is not informed. If the migration has not begun, it runs every check before the lock is
// taken, so a cluster that the preflight would refuse stays untouched. After the first write,
// only the preflight of the run judges. A step in progress continues regardless of the checks.
// The plan of undo-preflight judges whether rollback is possible, before the prompt.
func (m *Migration) Precheck(ctx context.Context, snap migration.Snapshot, says runner.Observation) error {
	if err := m.RequireInformed(snap); err != nil || m.isUndo || says.InProgress() {
		return err
	}
	if !isUnstarted(snap) {
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

// requireDecision returns an error if the cluster is paused because of a finding of an earlier run:
// only a user ends that pause, so waiting resolves nothing. A requested pause ends in the step that
// rolls out. A finding that is still there is reported instead: steps judge it first.
func (m *Migration) requireDecision(snap migration.Snapshot) error {
	i := slices.IndexFunc(snap.Reading.Pending, func(open migration.PendingCondition) bool { return open.OurPause })
	if i < 0 || snap.Record.RequestedPause != "" || m.isUndo {
		return nil
	}
	open := snap.Reading.Pending[i]
	return &fault.Error{Class: fault.Check, Reason: "PausedByRun", Object: open.Object, Seen: open.Seen + " because of a finding", Wanted: open.Wanted,
		Fix: "undo, or fix the cause, end the pause and run again: docs/going-back.md#after-a-pause"}
}

// isUnstarted reports whether a run would begin a migration here. An earlier migration that was
// undone does not count.
func isUnstarted(s migration.Snapshot) bool {
	return s.Result.Position == position.P0 && !s.Result.Mixed
}

// uninformedOwners returns the owners that no option marks as informed.
func (m *Migration) uninformedOwners(snap migration.Snapshot) []migration.Owner {
	if m.Options.HandOver {
		return nil // the owner writes
	}
	return slices.DeleteFunc(slices.Clone(snap.Reading.Owners), m.Options.Informed)
}

// RequireInformed refuses to write if an owner would revert the configuration. It also applies
// to a run that resumes another, and to an undo.
func (m *Migration) RequireInformed(snap migration.Snapshot) error {
	owners := m.uninformedOwners(snap)
	if len(owners) == 0 {
		return nil
	}
	names := make([]string, 0, len(owners))
	for _, o := range owners {
		names = append(names, o.String())
	}
	return &fault.Error{Class: fault.Check, Reason: fault.ReasonOwnerNotInformed, Object: snap.Reading.Object,
		Seen:   "is owned by " + strings.Join(names, ", ") + ": " + migration.OrElse(migration.RevertHarm(snap.Result.Position), migration.RevertHarm(position.Unknown)),
		Wanted: "an owner that knows the new configuration", Fix: migration.InformFix(owners)}
}

// ownerNotes returns notes for a plan on owners that prevent a run from writing.
func (m *Migration) ownerNotes(snap migration.Snapshot) []string {
	owners := m.uninformedOwners(snap)
	if len(owners) == 0 || !m.Writes(snap) {
		return nil
	}
	notes := make([]string, 0, len(owners))
	for _, o := range owners {
		notes = append(notes, "! owned by "+o.String()+": a run needs --owner-informed="+o.Word())
	}
	return notes
}

// Writes reports whether the run, in its direction, has a step left that writes. An audit has
// none.
func (m *Migration) Writes(snap migration.Snapshot) bool {
	if m.Options.ReadOnly {
		return false
	}
	now := m.progress(snap)
	judged, err := now.states(m.forwardOrder())
	if snap.Back {
		judged, err = now.undoStates(undoOrder())
	}
	if err != nil {
		return true // an unknown state may still need a write
	}
	for _, state := range judged.States {
		if state.Kind == runner.Todo || state.Kind == runner.InProgress {
			return true
		}
	}
	return false
}

// Foreseen is the result of a preview of the preflight.
type Foreseen struct {
	Report verify.Report // empty if the run makes no checks
	Stops  error         // why the run would stop, or nil
}

// Foresee runs every check as the preflight of a run does, for a plan. Like the preflight, it
// stops nothing while a step is in progress or a change of an earlier run rolls out, unless that
// rollout is paused because of a finding. It writes nothing. It returns an error if the checks
// could not run.
func (m *Migration) Foresee(ctx context.Context, snap migration.Snapshot) (Foreseen, error) {
	if m.isUndo {
		return m.foreseeUndo(snap), nil
	}
	var foreseen Foreseen
	if m.Writes(snap) {
		foreseen.Stops = m.requireDecision(snap)
	}
	if isUnstarted(snap) { // like Precheck
		var err error
		if snap, err = m.Observe(ctx, journal.Record{}); err != nil {
			return Foreseen{}, err
		}
	}
	report, _, err := m.auditor().Inspect(ctx, snap, m.Writes(snap))
	if err != nil {
		return Foreseen{}, err
	}
	foreseen.Report = report
	if foreseen.Stops == nil && m.inProgress(snap) == "" && (!snap.Record.LeftOpen || len(snap.Reading.Pending) == 0) {
		foreseen.Stops = audit.JudgeReport(report, m.Options)
	}
	return foreseen, nil
}

// Counts returns the counts of the report on one line.
func (f Foreseen) Counts() string { return audit.CountsOf(f.Report) }

// Lines returns all findings that are not ok, in full, without skipped checks.
func (f Foreseen) Lines() []string {
	var lines []string
	for _, result := range f.Results() {
		lines = append(lines, audit.ResultLines(result)...)
	}
	return lines
}

// Results returns the checks that are not ok, the worst first.
func (f Foreseen) Results() []verify.Result {
	var results []verify.Result
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		results = append(results, f.Report.With(status)...)
	}
	return results
}

// foreseeUndo returns the result of the undo's own preflight, which makes no checks.
func (m *Migration) foreseeUndo(snap migration.Snapshot) Foreseen {
	stops := judgeUndo(snap)
	rolling := m.Undoing(snap) || snap.Record.LeftOpen && len(snap.Reading.Pending) > 0
	if stops == nil && !rolling {
		stops = m.requireRestOrOurPause(snap)
	}
	return Foreseen{Stops: stops}
}
