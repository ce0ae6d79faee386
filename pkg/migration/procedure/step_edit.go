package procedure

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// editStep edits the configuration and watches the rollout. It is the same for every Backend;
// the Backend's Editor makes the difference.
type editStep struct {
	base
	rules editRules
}

// editRules describes the differences between editing steps.
type editRules struct {
	waitingFor string
	// proofFormat is the evidence at the end, with two numbers to fill in.
	proofFormat string
	// handsOver reports whether the edit gives the cloud controllers to the CCM if no step before did.
	handsOver bool
	// precondition must hold at the write, in addition to a cluster at rest.
	precondition func(ctx context.Context, m *Migration, snap migration.Snapshot) error
	// judgeLease waits for the leases, and adds the evidence of their holders.
	judgeLease func(roll *migration.RolloutJudgement, snap migration.Snapshot)
	// addPauses adds the expected hand-overs of the cloud controllers to a plan. It may be nil.
	addPauses func(plan *runner.Plan, snap migration.Snapshot)
	// afterRollout judges the cluster after the rollout. If nil, the step ends with the
	// rollout.
	afterRollout func(ctx context.Context, m *Migration, snap migration.Snapshot, rolled runner.Verdict) (runner.Verdict, error)
	// whileWaiting runs after every waiting verdict. It may be nil.
	whileWaiting func(ctx context.Context, m *Migration, tx *runner.Tx, snap migration.Snapshot) error
}

// undoesStep reports whether the step undoes another one.
func (s *editStep) undoesStep() bool { return undoneStep(s.ID) != "" }

// step describes the step to a Backend.
func (b base) step() migration.Editing { return EditingOf(b.ID, b.Options) }

// Plan implements runner.Step.
func (s *editStep) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	var plan runner.Plan
	edit, err := s.Backend.Edit(ctx, snap, StepsTo(s.Options, snap, s.ID)...)
	if err == nil {
		plan, err = edit.Plan()
	}
	if err != nil && s.Options.HandOver && s.isRolling(snap) { // the commit may contain anything
		return runner.Plan{Summary: []string{"watch the commit"}}, nil
	}
	if err == nil && s.rules.addPauses != nil {
		s.rules.addPauses(&plan, snap)
	}
	return plan, err
}

// Do implements runner.Step. After a crash it finds the edit already made. An undo reverts all
// edits of its step in sequence.
func (s *editStep) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if s.Options.HandOver {
		return s.handOff(ctx, tx, snap)
	}
	made := map[string]bool{}
	for {
		edit, err := s.Backend.Edit(ctx, snap, s.step())
		if err != nil {
			return err
		}
		if edit.Empty() || len(made) > 0 && !s.undoesStep() {
			return s.Backend.Apply(ctx, tx, snap, s.step())
		}
		if made[edit.Key()] { // a foreign writer that reverts it would keep this loop running
			return migration.EditReverted(edit.Object, edit.Locations(), edit.By).Err
		}
		made[edit.Key()] = true
		if s.rules.handsOver && !s.undoesStep() {
			if _, err := s.noteBalancers(ctx, tx, snap); err != nil {
				return err
			}
		}
		if err := s.requireWritable(ctx, snap, edit); err != nil {
			return err
		}
		if err := s.noteBeginning(ctx, tx, snap, edit); err != nil {
			return err
		}
		if err := edit.Write(ctx, tx); err != nil {
			return err
		}
		tx.Wrote(edit.Changes...)
		if snap, err = s.Observe(ctx, tx.Record()); err != nil {
			return err
		}
	}
}

// noteBeginning records the configuration from before a migration that begins with this edit.
// If a user began the migration, the earlier configuration is unknown.
func (s *editStep) noteBeginning(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, edit migration.Edit) error {
	if s.undoesStep() || snap.Result.Position >= position.P2 || snap.Result.Mixed {
		return nil
	}
	return migration.NoteBeginning(ctx, tx, edit.Object, snap.Reading.Places)
}

// requireWritable refuses an edit on a cluster that is not at rest or that does not meet its
// conditions. During a rollout or our pause, an undo does not wait for rest: it prevents the
// remainder of that rollout.
func (s *editStep) requireWritable(ctx context.Context, snap migration.Snapshot, edit migration.Edit) error {
	if edit.Refused != nil {
		return edit.Refused
	}
	if !s.undoesStep() || !s.Undoing(snap) {
		if err := s.requireRest(snap); err != nil {
			return err
		}
	}
	if s.rules.precondition == nil || s.isPartlyApplied(snap) {
		return nil
	}
	return s.rules.precondition(ctx, s.Migration, snap)
}

// Verify implements runner.Step.
func (s *editStep) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := snap.Reading.Frozen(); err != nil {
		return migration.Failed(err), nil
	}
	if err := s.Guard.Judge(guard.SignalsOf(snap)); err != nil {
		return migration.MustPause(err), nil
	}
	if err := s.Guard.KeepRestarts(ctx, tx, snap); err != nil {
		return runner.Verdict{}, err
	}
	if s.Options.HandOver {
		if err := s.findHarm(snap); err != nil {
			return migration.MustPause(err), nil
		}
		if verdict, differs, err := s.judgeOwnerChange(ctx, tx, snap); err != nil || differs {
			return verdict, err
		}
	}
	if err := s.requireDecision(snap); err != nil {
		return migration.Failed(err), nil
	}
	step := s.step()
	now, err := s.Backend.Rollout(ctx, tx, snap, step, s.history.rollout.applied[s.ID])
	if err != nil {
		return runner.Verdict{}, err
	}
	s.history.rollout.applied[s.ID] = now.Whole
	if err := s.history.rollout.exits.Crash(snap); err != nil {
		crash := migration.Failed(err)
		crash.Progress, now.Verdict = now.Progress, &crash
	}
	reached := snap.Reading.Reach(step.Target, now.Unrestarted, now.Doing)
	if now.Verdict != nil {
		verdict := *now.Verdict
		verdict.Machines = reached.Machines
		return verdict, nil
	}
	verdict, err := s.judge(ctx, snap, now, reached)
	if err != nil || verdict.Kind != runner.Met || s.rules.afterRollout == nil {
		return verdict, err
	}
	verdict.Done, verdict.Total = reached.Done, reached.Total
	return s.rules.afterRollout(ctx, s.Migration, snap, verdict)
}

// judge lists the pending parts of a rollout: first the Nodes, which others may wait for, then
// the writer that applies the edit, the machines and the leases.
func (s *editStep) judge(ctx context.Context, snap migration.Snapshot, now migration.Rollout, reached migration.Reached) (runner.Verdict, error) {
	roll := &migration.RolloutJudgement{WaitingFor: s.rules.waitingFor, Done: reached.Done, Total: reached.Total, Machines: reached.Machines, Progress: now.Progress, By: now.By}
	for _, line := range now.Applying {
		roll.Wait("%s", line)
	}
	roll.WaitForNodes(snap.Reading)
	for _, open := range guard.OpenCordons(snap) {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	for _, line := range slices.Concat(reached.Open, now.Left) {
		roll.Wait("%s", line)
	}
	proof := fmt.Sprintf(s.rules.proofFormat, reached.Done, reached.Total)
	if now.Evidence != "" {
		proof = now.Evidence + "; " + proof
	}
	roll.Evidence = []string{proof}
	if s.rules.judgeLease != nil {
		s.rules.judgeLease(roll, snap)
	}
	old, err := s.findOldProcesses(ctx, snap.Reading) // counts renewals during other waits, too
	if roll.Waits() {
		return roll.Verdict(), nil
	}
	for _, line := range old {
		roll.Wait("%s", line)
	}
	return roll.Verdict(), err
}

// WhileWaiting implements runner.WaitingStep: it restores user cordons immediately after a
// rollout removed them.
func (s *editStep) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	busy, err := s.Backend.WhileRolling(ctx, tx, snap, s.step())
	if err != nil || busy {
		return err
	}
	if err := s.RestoreUserCordons(ctx, tx, snap); err != nil || s.rules.whileWaiting == nil {
		return err
	}
	return s.rules.whileWaiting(ctx, s.Migration, tx, snap)
}

// Finish implements runner.Finisher.
func (s *editStep) Finish(ctx context.Context, tx *runner.Tx, graceful bool) error {
	return s.Backend.Finish(ctx, tx, s.ID, graceful)
}
