package procedure

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/replace"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const mainLeaseObject = "Lease " + wellknown.System + "/" + wellknown.CCMLease

// planFlag adds the changes to plan that give the CCM the migration flag or take it away. later
// reports whether the installation with the other flag is not made yet.
func (m *Migration) planFlag(ctx context.Context, snap migration.Snapshot, plan runner.Plan, flagged, later bool) (runner.Plan, error) {
	replaces, err := m.replaces(ctx, snap, flagged)
	if err != nil {
		return plan, err
	}
	add, compute := addLeaderPauses, m.Chart().Plan
	switch {
	case replaces:
		add, compute = addReplacementPause, func(ctx context.Context, snap migration.Snapshot, flagged bool) (runner.Plan, error) {
			return m.Chart().PlanReplacement(ctx, snap, flagged, later)
		}
	case later:
		compute = m.Chart().PlanAfterInstall
	}
	add(&plan, snap)
	changes, err := compute(ctx, snap, flagged)
	plan.Changes = changes.Changes
	return plan, err
}

// replaces reports whether a run has to replace the CCM's pods for the migration flag, or to
// take it away. A DaemonSet that rolls already is left to roll.
func (m *Migration) replaces(ctx context.Context, snap migration.Snapshot, flagged bool) (bool, error) {
	if set := snap.Reading.Down.CCM; set != nil && snap.Reading.CCMEvidence().Migration == flagged &&
		(!set.OnDelete || len(replace.Left(snap.Reading, flagged)) == 0) {
		return false, nil
	}
	return m.Chart().MayReplace(ctx, snap, flagged)
}

// applyFlag gives the CCM the migration flag or takes it away. Its pods follow by a rolling
// update, or one by one in replaceNext.
func (m *Migration) applyFlag(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, flagged bool) error {
	ccm := m.Chart()
	var err error
	if ccm.OnDelete, err = m.replaces(ctx, snap, flagged); err != nil {
		return err
	}
	if snap.Reading.CCMEvidence().Migration != flagged {
		m.history.rollout.ends = replace.Begin(replace.Left(snap.Reading, flagged))
	}
	return ccm.Apply(ctx, tx, snap, flagged)
}

// replaceNext replaces the next pod of the CCM that differs from the wanted flag, and gives the
// DaemonSet its own strategy back after the last one. busy is false if there is nothing to do.
func (m *Migration) replaceNext(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, flagged bool) (busy bool, err error) {
	r := snap.Reading
	if r.Down.CCM == nil || !r.Down.CCM.OnDelete || r.CCMEvidence().Migration != flagged {
		return false, nil
	}
	if m.isGuard {
		return true, nil
	}
	move := replace.Next(r, flagged)
	switch {
	case move.Wait != "":
		return true, nil
	case move.Pod != nil:
		return true, m.replacePod(ctx, tx, r, move)
	case move.Roll != "":
		tx.Warn("the DaemonSet replaces the cloud controller manager's pods in any order: " + move.Roll)
	}
	if len(r.AllPending()) > 0 {
		return true, nil
	}
	return true, m.Chart().Apply(ctx, tx, snap, flagged)
}

// withReplacement adds to a verdict what the replacement of the pods waits for.
func withReplacement(v runner.Verdict, r migration.Reading, flagged bool) runner.Verdict {
	if v.Kind != runner.Waiting || r.Down.CCM == nil || !r.Down.CCM.OnDelete {
		return v
	}
	if wait := replace.Next(r, flagged).Wait; wait != "" {
		v.Seen += "; " + wait
	}
	return v
}

// restoreStrategy gives the release the chart's own strategy after a replacement, also if another
// program has changed only the DaemonSet.
func (b base) restoreStrategy(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, flagged bool) error {
	upgraded := func(i journal.Intent) bool { return i.Step == b.ID && i.Object == chart.HelmObject }
	if !slices.ContainsFunc(tx.Record().Intents, upgraded) {
		return nil
	}
	return b.Chart().Apply(ctx, tx, snap, flagged)
}

// replacePod deletes one pod while it is watched. It frees the main lease if the pod led.
func (m *Migration) replacePod(ctx context.Context, tx *runner.Tx, r migration.Reading, move replace.Move) error {
	now, err := m.ReadLeases(ctx)
	if err != nil || !replace.SameLeader(r, now) {
		return err
	}
	watched, same, err := replace.Watch(ctx, m.Kube, r.Down.CCM.Name, *move.Pod)
	if err != nil || !same {
		return err
	}
	defer watched.Stop()
	object := "Pod " + wellknown.System + "/" + move.Pod.Name
	intent := journal.Intent{What: "delete " + object + ", for the DaemonSet to replace it", Object: object, Token: move.Pod.UID}
	if err := tx.Effect(ctx, intent, func(ctx context.Context) error { return watched.Delete(ctx, m.Kube) }); err != nil {
		return err
	}
	ended := false
	if move.Leads {
		ended, err = m.freeMainLease(ctx, tx, watched, move, r.Leases.CCM.Last)
	} else {
		ended = watched.AwaitEnd(ctx, m.Clock, replace.Container(*move.Pod))
	}
	m.history.rollout.ends = m.history.rollout.ends.Note(*move.Pod, ended)
	return err
}

// freeMainLease frees the main lease as soon as the kubelet shows the end of the holder's
// container. Another pod then leads at its next attempt. Without that proof the lease expires as
// after any lost holder, so nothing here stops a run.
func (m *Migration) freeMainLease(ctx context.Context, tx *runner.Tx, watched *replace.Watched, move replace.Move, held lease.Observation) (ended bool, err error) {
	if move.End == "" {
		tx.Warn("the main lease is left to expire: " + move.Unproven)
		return false, nil
	}
	intent := journal.Intent{What: "free " + mainLeaseObject + ", once container " + move.End + " has ended", Object: mainLeaseObject, Token: held.Holder}
	err = tx.Effect(ctx, intent, func(ctx context.Context) error {
		if ended = watched.AwaitEnd(ctx, m.Clock, move.End); !ended {
			tx.Warn("the main lease is left to expire: no kubelet has shown the end of container " + move.End)
			return nil
		}
		if _, err := awsccm.FreeMainLease(ctx, m.Kube, held); err != nil {
			tx.Warn("the main lease is left to expire", err.Error())
		}
		return nil
	})
	return ended, err
}

// flaggedEnded reports whether no process with the flag can be left: this run has seen the end
// of each, and a pod without it leads. Without holding the main lease no process takes the
// migration lease.
func (m *Migration) flaggedEnded(r migration.Reading) bool {
	return m.history.rollout.ends.AllShown() && replace.LedBy(r, false)
}
