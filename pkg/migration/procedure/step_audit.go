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
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// preflight runs every check and takes the fingerprint.
type preflight struct{ base }

func (s *preflight) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	if err := s.refused(ctx, seen); err != nil {
		return runner.Plan{}, err
	}
	return runner.Plan{Summary: []string{s.checkCount(seen)}, Notes: s.ownerNotes(seen), Takes: 10}, nil
}

func (s *preflight) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := guard.TakeAgain(ctx, tx, seen); err != nil {
		return runner.Verdict{}, err
	}
	seen.Record = tx.Record()
	report, facts, stop, err := s.checked(ctx, tx, seen)
	if err != nil || stop != nil {
		return orZero(stop), err
	}
	if err := guard.NoteFingerprint(ctx, tx, seen, facts, begun(seen)); err != nil {
		return runner.Verdict{}, err
	}
	if err := guard.NoteControlPlanes(ctx, tx, seen); err != nil {
		return runner.Verdict{}, err
	}
	return migration.Met(audit.CheckSummary(report)...), nil
}

// finalAudit compares the cluster with the fingerprint, by the same checks.
type finalAudit struct{ base }

func (s *finalAudit) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{s.checkCount(seen) + ", compared with the fingerprint of preflight"}, Takes: 10}, nil
}

func (s *finalAudit) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	report, facts, stop, err := s.checked(ctx, tx, seen)
	if err != nil || stop != nil {
		return orZero(stop), err
	}
	v := migration.Met(audit.CheckSummary(report)...)
	v.Compared = compared(seen, facts)
	if !s.back {
		return v, nil
	}
	as, err := migration.CompareBeginning(seen.Record, seen.Reading.Object, seen.Reading.Places)
	if err != nil {
		return migration.Failed(err), nil
	}
	if as != "" {
		v.Evidence = append(v.Evidence, as)
	}
	return v, nil
}

// Settle implements runner.Settler: at the end of an undo all steps are taken back, also
// those that the cluster had left before it began.
func (s *finalAudit) Settle(ctx context.Context, tx *runner.Tx) error {
	if !s.back {
		return nil
	}
	if err := noteTakenBack(ctx, tx, idsOf(forward())...); err != nil {
		return err
	}
	return migration.ForgetBeginning(ctx, tx)
}

// checked runs every check and stops where one fails, unless a step is in
// progress: the write that this would prevent has been made, and leaving it
// alone half way helps nobody. Its own waits, the guard and the audit at its end
// judge it, and the next write demands a cluster at rest. Where all of it is rolled
// out and only its end was not seen, what fails may pass with it, and is waited for.
func (m *Migration) checked(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (verify.Report, downstream.Facts, *runner.Verdict, error) {
	report, facts, err := m.inspect(ctx, seen)
	if err != nil {
		return report, facts, nil, err
	}
	if err := audit.JudgeReport(report, m.Options); err != nil {
		begun := m.inProgress(seen)
		ending := len(seen.Reading.Pending) == 0 && m.progress(seen).endUnseen(begun) && !m.halfCommitted(ctx, seen, begun)
		if begun == "" || ending {
			wait := m.waitForInterruptedRun(tx, seen)
			if ending {
				wait = &runner.Verdict{Kind: runner.Waiting, WaitingFor: "the end of what an earlier run rolled out"}
			}
			stop, err := m.stopped(seen, begun, wait, err)
			return report, facts, &stop, err
		}
		tx.Warn(fmt.Sprintf("%s is in progress and is taken up again although %v", begun, err))
	}
	return report, facts, nil, nil
}

// inspect makes every check, and tells whoever keeps what they came to.
func (m *Migration) inspect(ctx context.Context, seen migration.Snapshot) (verify.Report, downstream.Facts, error) {
	report, facts, err := m.auditor().Inspect(ctx, seen, m.Writes(seen))
	if err == nil && m.Options.OnAudit != nil {
		m.Options.OnAudit(report)
	}
	return report, facts, err
}

// stopped is what failing checks come to. In a wait for what an earlier run began nothing
// is written, and what fails is shown; what no wait cures is braked, as the step itself
// would. wait is nil where there is none.
func (m *Migration) stopped(seen migration.Snapshot, begun journal.StepID, wait *runner.Verdict, fails error) (runner.Verdict, error) {
	if wait == nil {
		return migration.Failed(fails), nil
	}
	signals, err := signalsOf(begun, seen).WithPast(seen)
	if err != nil {
		return *wait, err
	}
	if harm := m.Guard.Judge(signals); harm != nil {
		return migration.Braked(harm), nil
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

// Audited is Met once the audit of a finished step has no failing check. What
// it lists then is a fault and not a wait: nothing moves any more.
func (m *Migration) Audited(ctx context.Context, seen migration.Snapshot, evidence ...string) (runner.Verdict, error) {
	report, facts, err := m.inspect(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := audit.JudgeReport(report, m.Options); err != nil {
		return migration.Failed(err), nil
	}
	v := migration.Met(append(evidence, "audit: "+audit.CountsOf(report))...)
	v.Stable, v.Compared = 1, compared(seen, facts)
	return v, nil
}

func (m *Migration) checkCount(seen migration.Snapshot) string {
	own := m.Backend.Checks(seen, evidence.Input{}, migration.Prepared{})
	return fmt.Sprintf("%d checks", len(own)+len(checks.For(m.Distribution)))
}
