package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// rollingStep returns the step whose edit still rolls out although the cluster is at one
// position, or empty. Either no control plane has the edit yet, or all have it and workers
// restart. A run that resumes there must watch the rollout rather than wait for its end.
func (s progress) rollingStep(at position.Position) journal.StepID {
	if s.isUpgrading() {
		return migration.StepUpgrade
	}
	step := lastIntended(s.Record)
	if !rolls(s.Options, step) {
		return ""
	}
	if len(s.Reading.Pending) == 0 && !s.cordonsUnrestored(step) {
		if s.endUnconfirmed(step) && positionOf(step) == at {
			return step
		}
		return ""
	}
	if reached := positionOf(step); reached == at || reached == at+1 {
		return step
	}
	return ""
}

// endUnconfirmed reports whether no run has seen the end of the last announced rollout. No
// position shows that end: every process from before the restart must have exited.
func (s progress) endUnconfirmed(step journal.StepID) bool {
	return changesModes(step) && s.Reading.MayOutlive && s.leftOpenAt(step)
}

// findOldProcesses returns one line for each control-plane process that may still run from
// before its last restart. It reads the leases of the Nodes that prove nothing yet, and a
// renewal counts from the first sight of the restart. So callers ask it during a whole rollout.
func (m *Migration) findOldProcesses(ctx context.Context, r migration.Reading) ([]string, error) {
	kubelets, open, err := m.history.rollout.kubelets.Next(ctx, m.Kube, r)
	m.history.rollout.kubelets = kubelets
	return open, err
}

// leftOpenAt reports whether the last announced step is the given one and no run has ended it.
func (s progress) leftOpenAt(step journal.StepID) bool {
	n := len(s.Record.Intents)
	return n > 0 && s.Record.LeftOpen && s.Record.Intents[n-1].Step == step
}

// cordonsUnrestored reports whether the rollout of the last announced step removed user cordons
// that are not restored. A run that was killed in between must not leave that to the user. If
// the run finished, the user removed them.
func (s progress) cordonsUnrestored(step journal.StepID) bool {
	if !s.leftOpenAt(step) {
		return false
	}
	before, known, err := guard.Fingerprint(s.Record)
	return err == nil && known && len(guard.LostSince(before, s.Reading.Down.Nodes)) > 0
}

// waitForInterruptedRun returns a waiting verdict while a change of an earlier run still rolls
// out, or nil.
func (m *Migration) waitForInterruptedRun(tx *runner.Tx, snap migration.Snapshot) *runner.Verdict {
	record := snap.Record
	if !record.LeftOpen || record.Intents[len(record.Intents)-1].Run == tx.Run() || len(snap.Reading.Pending) == 0 {
		return nil
	}
	pending := migration.SummarizePending(snap.Reading.Pending)
	return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "the change of an earlier run to finish", Seen: pending, Progress: pending, Err: snap.Reading.HeldUpBy()}
}

// isUpgrading reports whether the last announced step is an upgrade that still rolls out and
// that this run must finish. An upgrade has no separate position.
func (s progress) isUpgrading() bool {
	intents := s.Record.Intents
	return s.Options.KubernetesVersion != "" && len(intents) > 0 && intents[len(intents)-1].Step == migration.StepUpgrade && len(s.Reading.Pending) > 0
}

// skipEarlier marks the steps before a step that still rolls out as skipped. The preflight
// cannot pass while our own change rolls out, and it passed before that step began. It runs
// once the step is done, before the next write, and the step itself refuses to write while the
// cluster changes.
func (s progress) skipEarlier(ids []journal.StepID, states map[journal.StepID]runner.State, now current) {
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
			states[id] = runner.State{Kind: runner.Skipped, Reason: "put off: step " + string(step) + " is in progress"}
		case runner.Always:
			states[id] = runner.State{Kind: runner.Skipped, Reason: "it ran before step " + string(step) + " began, and runs again after it"}
		case runner.Done, runner.InProgress, runner.Skipped:
		}
	}
}
