package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// preflight runs every check and records the fingerprint.
type preflight struct{ base }

func (s *preflight) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	if err := s.requireSupported(ctx, snap); err != nil {
		return runner.Plan{}, err
	}
	return runner.Plan{Summary: []string{s.checkCount(snap)}, Notes: s.ownerNotes(snap), Takes: 10}, nil
}

func (s *preflight) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := guard.UpdateUIDs(ctx, tx, snap); err != nil {
		return runner.Verdict{}, err
	}
	snap.Record = tx.Record()
	report, facts, stop, err := s.runChecks(ctx, tx, snap)
	if err != nil || stop != nil {
		return orZero(stop), err
	}
	if err := guard.NoteFingerprint(ctx, tx, snap, facts.Facts, facts.Cloud, isBegun(snap)); err != nil {
		return runner.Verdict{}, err
	}
	if err := guard.NoteControlPlanes(ctx, tx, snap); err != nil {
		return runner.Verdict{}, err
	}
	return migration.Met(audit.CheckSummary(report)...), nil
}

// finalAudit compares the cluster with the fingerprint, using the checks of the preflight.
type finalAudit struct{ base }

func (s *finalAudit) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{s.checkCount(snap) + ", compared with the fingerprint of preflight"}, Takes: 10}, nil
}

func (s *finalAudit) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	report, facts, stop, err := s.runChecks(ctx, tx, snap)
	if err != nil || stop != nil {
		return orZero(stop), err
	}
	v := migration.Met(audit.CheckSummary(report)...)
	v.Compared = compareWithFingerprint(snap, facts)
	if !s.isUndo {
		return v, nil
	}
	as, err := migration.CompareBeginning(snap.Record, snap.Reading.Object, snap.Reading.Places)
	if err != nil {
		return migration.Failed(err), nil
	}
	if as != "" {
		v.Evidence = append(v.Evidence, as)
	}
	return v, nil
}

// Settle implements runner.Settler: the end of an undo notes all steps as undone, also those
// that the cluster had left before the undo began.
func (s *finalAudit) Settle(ctx context.Context, tx *runner.Tx) error {
	if !s.isUndo {
		return nil
	}
	if err := noteUndone(ctx, tx, idsOf(migrationRows())...); err != nil {
		return err
	}
	return migration.ForgetBeginning(ctx, tx)
}

// runChecks runs every check and returns a stop if one fails, unless a step is in progress. Its
// write is already made, and stopping halfway helps no user. The step's own waits, the guard
// and its final audit judge it, and the next write requires a cluster at rest. If the rollout
// is complete and only its end is unconfirmed, a failure may pass, so the verdict waits.
func (m *Migration) runChecks(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (verify.Report, evidence.Input, *runner.Verdict, error) {
	report, facts, err := m.inspect(ctx, snap, true)
	if err != nil {
		return report, facts, nil, err
	}
	if err := audit.JudgeReport(report, m.Options); err != nil {
		step := m.inProgress(snap)
		ending := len(snap.Reading.Pending) == 0 && m.progress(snap).endUnconfirmed(step) && !m.isPartlyCommitted(ctx, snap, step)
		if step == "" || ending {
			wait := m.waitForInterruptedRun(tx, snap)
			if ending {
				wait = &runner.Verdict{Kind: runner.Waiting, WaitingFor: "the end of an earlier run's rollout"}
			}
			stop, err := m.judgeFailure(snap, step, wait, err)
			return report, facts, &stop, err
		}
		tx.Warn(fmt.Sprintf("%s is in progress and continues although %v", step, err))
	}
	return report, facts, nil, nil
}

// inspect runs every check and passes the report to OnAudit. detail also reads the aspects of load
// balancers that need a request for each of them.
func (m *Migration) inspect(ctx context.Context, snap migration.Snapshot, detail bool) (verify.Report, evidence.Input, error) {
	auditor := m.auditor()
	auditor.Detail = detail
	report, facts, err := auditor.Inspect(ctx, snap, m.Writes(snap))
	if err == nil && m.Options.OnAudit != nil {
		m.Options.OnAudit(report)
	}
	return report, facts, err
}

// judgeFailure returns the verdict for failing checks. While it waits for a change of an
// earlier run, it writes nothing and shows the failure. A failure that no wait resolves leads
// to a pause, as in the step itself. wait is nil if there is nothing to wait for.
func (m *Migration) judgeFailure(snap migration.Snapshot, step journal.StepID, wait *runner.Verdict, fails error) (runner.Verdict, error) {
	if wait == nil {
		return migration.Failed(fails), nil
	}
	signals, err := signalsOf(step, snap).WithPast(snap)
	if err != nil {
		return *wait, err
	}
	if harm := m.Guard.Judge(signals); harm != nil {
		return migration.MustPause(harm), nil
	}
	if err := m.requireDecision(snap); err != nil {
		return migration.Failed(err), nil
	}
	if f, ok := fault.As(fails); ok {
		wait.Seen = f.Seen
	}
	return *wait, nil
}

func orZero(v *runner.Verdict) runner.Verdict {
	if v == nil {
		return runner.Verdict{}
	}
	return *v
}

// Audited returns Met if the audit of a finished step has no failing check. A failing check
// fails the step: nothing rolls out, so waiting cannot resolve it.
func (m *Migration) Audited(ctx context.Context, snap migration.Snapshot, evidence ...string) (runner.Verdict, error) {
	report, facts, err := m.inspect(ctx, snap, false)
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := audit.JudgeReport(report, m.Options); err != nil {
		return migration.Failed(err), nil
	}
	v := migration.Met(append(evidence, "audit: "+audit.CountsOf(report))...)
	v.Stable, v.Compared = 1, compareWithFingerprint(snap, facts)
	return v, nil
}

func (m *Migration) checkCount(snap migration.Snapshot) string {
	own := m.Backend.Checks(snap, evidence.Input{}, migration.Prepared{})
	return fmt.Sprintf("%d checks", len(own)+len(checks.For(m.Distribution)))
}
