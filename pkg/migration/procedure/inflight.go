package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// rollingStep is the step whose edit Rancher still rolls out although the cluster is
// at one position: no control plane has the edit yet, or all of them have and
// workers are being restarted. Empty if the journal announced none. A run that
// is taken up there has to watch that roll, not to wait outside until it is over.
func (s progress) rollingStep(at position.Position) journal.StepID {
	if s.upgrading() {
		return migration.StepUpgrade
	}
	step := lastIntended(s.Record)
	if !rolls(s.Options, step) {
		return ""
	}
	if len(s.Reading.Pending) == 0 && !s.cordonsOpen(step) {
		if s.endUnseen(step) && reaches(step) == at {
			return step
		}
		return ""
	}
	if reached := reaches(step); reached == at || reached == at+1 {
		return step
	}
	return ""
}

// endUnseen says whether no run has seen the end of a roll that the journal announced
// last. What a roll waits for at its end shows in no position: that no process of
// before runs beside the new ones.
func (s progress) endUnseen(step journal.StepID) bool {
	return changesModes(step) && s.Reading.MayOutlive && s.leftOpenAt(step)
}

// outlived returns one line for each process of a control plane that may still run from
// before its last restart. It reads the leases of their Nodes, so it is asked last.
func (m *Migration) outlived(ctx context.Context, r migration.Reading) ([]string, error) {
	kubelets, open, err := m.before.rollout.kubelets.Next(ctx, m.Kube, r)
	m.before.rollout.kubelets = kubelets
	return open, err
}

// leftOpenAt says whether the last thing that the journal announced is of a step that no
// run has ended.
func (s progress) leftOpenAt(step journal.StepID) bool {
	n := len(s.Record.Intents)
	return n > 0 && s.Record.LeftOpen && s.Record.Intents[n-1].Step == step
}

// cordonsOpen says whether the last thing that the journal announced is a step's
// roll that removed cordons of the user's which nobody has set again: a run that
// was killed in between must not leave that to the user. After a run that came to
// its end it was the user who removed them.
func (s progress) cordonsOpen(step journal.StepID) bool {
	if !s.leftOpenAt(step) {
		return false
	}
	before, known, err := guard.Fingerprint(s.Record)
	return err == nil && known && len(guard.LostSince(before, s.Reading.Down.Nodes)) > 0
}

// waitForInterruptedRun waits while the cluster moves by what an earlier run began and nobody
// has seen to its end; nil: it does not.
func (m *Migration) waitForInterruptedRun(tx *runner.Tx, seen migration.Snapshot) *runner.Verdict {
	record := seen.Record
	if !record.LeftOpen || record.Intents[len(record.Intents)-1].Run == tx.Run() || len(seen.Reading.Pending) == 0 {
		return nil
	}
	open := migration.SummarizePending(seen.Reading.Pending)
	return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "what an earlier run began to come to its end", Seen: open, Progress: open, Err: seen.Reading.HeldUpBy()}
}

// upgrading says whether the last thing that the journal announced is an upgrade
// that is still being rolled out, and that this run is to end. It brings the cluster to no position of its own.
func (s progress) upgrading() bool {
	intents := s.Record.Intents
	return s.Options.KubernetesVersion != "" && len(intents) > 0 && intents[len(intents)-1].Step == migration.StepUpgrade && len(s.Reading.Pending) > 0
}

// deferEarlier puts off what comes before a step that Rancher is still working on:
// the preflight cannot pass on a cluster that moves by our own doing, and it did
// pass before that step began. It runs when the step is done, before the next
// write, and the step itself refuses to write while the cluster moves.
func (s progress) deferEarlier(ids []journal.StepID, states map[journal.StepID]runner.State, now current) {
	step := now.step
	if states[migration.StepSnapshot].Kind == runner.InProgress {
		step = migration.StepSnapshot
	}
	if len(s.Reading.Pending) == 0 || (step != migration.StepSnapshot && !rolls(s.Options, step)) {
		return
	}
	for _, id := range ids {
		if id == step {
			return
		}
		switch states[id].Kind {
		case runner.Todo:
			states[id] = runner.State{Kind: runner.Skipped, Reason: "put off: step " + string(step) + " is under way"}
		case runner.Always:
			states[id] = runner.State{Kind: runner.Skipped, Reason: "it was made before step " + string(step) + " began, and is made again after it"}
		case runner.Done, runner.InProgress, runner.Skipped:
		}
	}
}
