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

// editing is a step that edits the configuration and watches it rolled out. It is
// the same wherever the configuration is kept; what differs is the Backend's Editor.
type editing struct {
	base
	rules editRules
}

// editRules are what sets one editing step apart from the others.
type editRules struct {
	waitingFor string
	// rolledOut is the sentence, with two numbers to fill in, that proves the end.
	rolledOut string
	// precondition is asked in the write, beside a cluster at rest.
	precondition func(ctx context.Context, m *Migration, seen migration.Snapshot) error
	// handedOver waits for the leases, and gives the evidence of their holders.
	handedOver func(roll *migration.RolloutJudgement, seen migration.Snapshot)
	// pauses adds to a plan how often the cloud controllers change hands; nil: never.
	pauses func(plan *runner.Plan, seen migration.Snapshot)
	// then is judged once all of it is rolled out; nil: the step ends there.
	then func(ctx context.Context, m *Migration, seen migration.Snapshot, rolled runner.Verdict) (runner.Verdict, error)
	// meanwhile is due after every verdict that is Waiting; nil: nothing.
	meanwhile func(ctx context.Context, m *Migration, tx *runner.Tx, seen migration.Snapshot) error
}

// back says whether the step takes another one back.
func (s *editing) back() bool { return undoes(s.ID) != "" }

// step describes the step to a Backend.
func (b base) step() migration.Editing { return EditingOf(b.ID, b.Options) }

// Plan implements runner.Step.
func (s *editing) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	var plan runner.Plan
	edit, err := s.Backend.Edit(ctx, seen, StepsTo(s.Options, seen, s.ID)...)
	if err == nil {
		plan, err = edit.Plan()
	}
	if err != nil && s.Options.HandOver && s.moving(seen) { // what was committed may be anything
		return runner.Plan{Summary: []string{"watch what was committed"}}, nil
	}
	if err == nil && s.rules.pauses != nil {
		s.rules.pauses(&plan, seen)
	}
	return plan, err
}

// Do implements runner.Step. Called again after a crash it finds the edit made. A way
// back takes all edits of its step back, one after the other.
func (s *editing) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if s.Options.HandOver {
		return s.handOver(ctx, tx, seen)
	}
	made := map[string]bool{}
	for {
		edit, err := s.Backend.Edit(ctx, seen, s.step())
		if err != nil {
			return err
		}
		if edit.Empty() || len(made) > 0 && !s.back() {
			return s.Backend.Apply(ctx, tx, seen, s.step())
		}
		if made[edit.Key()] { // with somebody who takes it back it would go on for ever
			return migration.TakenBack(edit.Object, edit.Locations(), edit.By).Err
		}
		made[edit.Key()] = true
		if err := s.mayWrite(ctx, seen, edit); err != nil {
			return err
		}
		if err := s.noteBeginning(ctx, tx, seen, edit); err != nil {
			return err
		}
		if err := edit.Write(ctx, tx); err != nil {
			return err
		}
		tx.Wrote(edit.Changes...)
		if seen, err = s.Observe(ctx, tx.Record()); err != nil {
			return err
		}
	}
}

// noteBeginning keeps the configuration from before a migration that begins with this edit.
// One that others have begun is not known from before.
func (s *editing) noteBeginning(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, edit migration.Edit) error {
	if s.back() || seen.Result.Position >= position.P2 || seen.Result.Mixed {
		return nil
	}
	return migration.NoteBeginning(ctx, tx, edit.Object, seen.Reading.Places)
}

// mayWrite refuses an edit on a cluster that is not at rest, or that it does not suit.
// In the middle of a rollout, or behind the brake, a way back does not wait for rest:
// the rest of that rollout is what it prevents.
func (s *editing) mayWrite(ctx context.Context, seen migration.Snapshot, edit migration.Edit) error {
	if edit.Refused != nil {
		return edit.Refused
	}
	if !s.back() || !s.Undoing(seen) {
		if err := s.requireRest(seen); err != nil {
			return err
		}
	}
	if s.rules.precondition == nil || s.halfway(seen) {
		return nil
	}
	return s.rules.precondition(ctx, s.Migration, seen)
}

// Verify implements runner.Step.
func (s *editing) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := seen.Reading.Frozen(); err != nil {
		return migration.Failed(err), nil
	}
	if err := s.Guard.Judge(guard.SignalsOf(seen)); err != nil {
		return migration.Braked(err), nil
	}
	if err := s.Guard.KeepRestarts(ctx, tx, seen); err != nil {
		return runner.Verdict{}, err
	}
	if s.Options.HandOver {
		if err := s.harm(seen); err != nil {
			return migration.Braked(err), nil
		}
		if verdict, differs, err := s.othersChange(ctx, tx, seen); err != nil || differs {
			return verdict, err
		}
	}
	step := s.step()
	now, err := s.Backend.Rollout(ctx, tx, seen, step, s.before.rollout.whole[s.ID])
	if err != nil {
		return runner.Verdict{}, err
	}
	s.before.rollout.whole[s.ID] = now.Whole
	if err := s.before.rollout.exits.Crash(seen); err != nil {
		crash := migration.Failed(err)
		crash.Progress, now.Verdict = now.Progress, &crash
	}
	reached := seen.Reading.Reach(step.Target, now.Unrestarted, now.Doing)
	if now.Verdict != nil {
		verdict := *now.Verdict
		verdict.Machines = reached.Machines
		return verdict, nil
	}
	verdict, err := s.judge(ctx, seen, now, reached)
	if err != nil || verdict.Kind != runner.Met || s.rules.then == nil {
		return verdict, err
	}
	verdict.Done, verdict.Total = reached.Done, reached.Total
	return s.rules.then(ctx, s.Migration, seen, verdict)
}

// judge says what of a rollout is open: first the Nodes that others may wait for, then
// what applies the edit, the machines, the leases.
func (s *editing) judge(ctx context.Context, seen migration.Snapshot, now migration.Rollout, reached migration.Reached) (runner.Verdict, error) {
	roll := &migration.RolloutJudgement{WaitingFor: s.rules.waitingFor, Done: reached.Done, Total: reached.Total, Machines: reached.Machines, Progress: now.Progress, By: now.By}
	for _, line := range now.Applying {
		roll.Wait("%s", line)
	}
	roll.WaitForNodes(seen.Reading)
	for _, open := range guard.OpenCordons(seen) {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	for _, line := range slices.Concat(reached.Open, now.Left) {
		roll.Wait("%s", line)
	}
	proof := fmt.Sprintf(s.rules.rolledOut, reached.Done, reached.Total)
	if now.Evidence != "" {
		proof = now.Evidence + "; " + proof
	}
	roll.Evidence = []string{proof}
	if s.rules.handedOver != nil {
		s.rules.handedOver(roll, seen)
	}
	if roll.Waits() {
		return roll.Verdict(), nil
	}
	outlived, err := s.outlived(ctx, seen.Reading)
	for _, line := range outlived {
		roll.Wait("%s", line)
	}
	return roll.Verdict(), err
}

// WhileWaiting implements runner.WaitingStep: cordons of the user's that a rollout removed are set
// again at once.
func (s *editing) WhileWaiting(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	busy, err := s.Backend.WhileRolling(ctx, tx, seen, s.step())
	if err != nil || busy {
		return err
	}
	if err := s.RestoreUserCordons(ctx, tx, seen); err != nil || s.rules.meanwhile == nil {
		return err
	}
	return s.rules.meanwhile(ctx, s.Migration, tx, seen)
}

// Finish implements runner.Finisher.
func (s *editing) Finish(ctx context.Context, tx *runner.Tx, graceful bool) error {
	return s.Backend.Finish(ctx, tx, s.ID, graceful)
}
