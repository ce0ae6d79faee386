package chart

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Judge returns the verdict on whether the CCM runs on every control plane and leads.
func (c Chart) Judge(ctx context.Context, snap migration.Snapshot) (runner.Verdict, error) {
	roll, err := c.Rollout(ctx, snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	v := ByChart(snap, runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager on every control plane",
		Seen: judged.Seen, Progress: judged.Token, Done: judged.Done, Total: judged.Total})
	if judged.State == rollout.Fault {
		return migration.Failed(judged.Err), nil
	}
	if err := c.installJobFault(ctx, snap); err != nil {
		return migration.Failed(err), nil
	}
	if judged.State != rollout.Ready {
		v.Counted = judged.Counted
		return v, nil
	}
	if err := c.missingRights(ctx, snap); err != nil {
		return migration.Failed(err), nil
	}
	main := lease.JudgeMain(snap.Reading.Leases.CCM, snap.Reading.RenewDeadline())
	if main.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the cloud controller manager to take its own lease", fmt.Sprintf("Lease kube-system/%s: %s", wellknown.CCMLease, main.Life)
		return v, nil
	}
	owner := snap.Reading.LeaseVerdict()
	if (owner.Owner != lease.KCM && owner.Owner != lease.CCM) || owner.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the migration lease to be held and renewing", fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
		return v, nil
	}
	v.Kind, v.Evidence = runner.Met, []string{judged.Seen + ", one of them leads"}
	return v, nil
}

// JudgeRolled returns the verdict on the CCM's rolling update: its DaemonSet, then its leader. If the
// last pod that was replaced led, the others wait until its lease has expired.
func (c Chart) JudgeRolled(ctx context.Context, snap migration.Snapshot) (runner.Verdict, error) {
	roll, err := c.Rollout(ctx, snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	switch judged.State {
	case rollout.Fault:
		return migration.Failed(judged.Err), nil
	case rollout.Ready:
		if snap.Reading.CCMLeads() {
			return migration.Met(judged.Seen), nil
		}
		main := lease.JudgeMain(snap.Reading.Leases.CCM, snap.Reading.RenewDeadline())
		seen := "main lease: " + main.Text()
		if main.Life == lease.Alive {
			seen = "main lease: last renewed by a pod that was replaced"
		}
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "a CCM to lead", Seen: seen, Progress: main.Holder}, nil
	case rollout.Waiting:
	}
	return ByChart(snap, runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM's rolling update", Seen: judged.Seen,
		Progress: judged.Token, Done: judged.Done, Total: judged.Total, Counted: judged.Counted}), nil
}

// ByChart sets the Roller of a verdict while pods of the CCM are missing. It is Rancher until
// it has applied the document that installs the chart, then the DaemonSet controller. Both
// continue even if no run watches.
func ByChart(s migration.Snapshot, v runner.Verdict) runner.Verdict {
	const pods = "pods of the CCM"
	switch {
	case v.Done >= v.Total, s.Reading.Down.CCM != nil && s.Reading.Down.CCM.OnDelete: // the run replaces them
	case s.InstallMethod == migration.InstallManifest && (s.Reading.Down.CCM == nil || len(s.Reading.Pending) > 0):
		v.By = runner.Roller{Name: "Rancher", Of: pods, Alone: true}
	default:
		v.By = runner.Roller{Name: "Kubernetes", Of: pods, Alone: true}
	}
	return v
}

// Rollout returns the observation of the CCM's DaemonSet that the verdicts judge.
func (c Chart) Rollout(ctx context.Context, snap migration.Snapshot) (rollout.Observation, error) {
	events, err := kube.EventsOf(ctx, c.Kube, wellknown.CCM)
	if err != nil {
		return rollout.Observation{}, migration.PartUnread(err)
	}
	down := snap.Reading.Down
	return rollout.Observation{Now: snap.At, Outage: snap.Outage, DaemonSet: down.CCM, Existed: snap.HadCCM, Pods: down.CCMPods,
		Nodes: snap.Reading.ControlPlaneNodes(), Events: events}, nil
}
