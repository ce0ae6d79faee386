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

// Judge says whether the CCM runs everywhere it should and leads, and if
// not, why.
func (c Chart) Judge(ctx context.Context, seen migration.Snapshot) (runner.Verdict, error) {
	roll, err := c.Rollout(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	v := ByChart(seen, runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager on every control plane",
		Seen: judged.Seen, Progress: judged.Token, Done: judged.Done, Total: judged.Total})
	if judged.State == rollout.Fault {
		return migration.Failed(judged.Err), nil
	}
	if err := c.installJobFault(ctx, seen); err != nil {
		return migration.Failed(err), nil
	}
	if judged.State != rollout.Ready {
		v.Counted = judged.Counted
		return v, nil
	}
	if err := c.missingRights(ctx, seen); err != nil {
		return migration.Failed(err), nil
	}
	main := lease.JudgeMain(seen.Reading.Leases.CCM, seen.Reading.RenewDeadline())
	if main.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the cloud controller manager to take its own lease", fmt.Sprintf("Lease kube-system/%s: %s", wellknown.CCMLease, main.Life)
		return v, nil
	}
	owner := seen.Reading.LeaseVerdict()
	if (owner.Owner != lease.KCM && owner.Owner != lease.CCM) || owner.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the migration lease to be held and renewing", fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
		return v, nil
	}
	v.Kind, v.Evidence = runner.Met, []string{judged.Seen + ", one of them leads"}
	return v, nil
}

// JudgeRolled judges as install-ccm does without the migration lease.
func (c Chart) JudgeRolled(ctx context.Context, seen migration.Snapshot) (runner.Verdict, error) {
	roll, err := c.Rollout(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	switch judged.State {
	case rollout.Fault:
		return migration.Failed(judged.Err), nil
	case rollout.Ready:
		return migration.Met(judged.Seen), nil
	case rollout.Waiting:
	}
	return ByChart(seen, runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM's rolling update", Seen: judged.Seen,
		Progress: judged.Token, Done: judged.Done, Total: judged.Total, Counted: judged.Counted}), nil
}

// ByChart says who goes on with the CCM's pods while some of them are not there yet:
// Rancher, as long as it still has to take up the document that installs the chart,
// and then the DaemonSet's controller. Both do whether or not a run watches.
func ByChart(s migration.Snapshot, v runner.Verdict) runner.Verdict {
	const pods = "pods of the CCM"
	switch {
	case v.Done >= v.Total:
	case s.InstallMethod == migration.InstallManifest && (s.Reading.Down.CCM == nil || len(s.Reading.Pending) > 0):
		v.By = runner.Roller{Name: "Rancher", Of: pods, Alone: true}
	default:
		v.By = runner.Roller{Name: "Kubernetes", Of: pods, Alone: true}
	}
	return v
}

// Rollout is the CCM's DaemonSet as the install verdict judges it.
func (c Chart) Rollout(ctx context.Context, seen migration.Snapshot) (rollout.Observation, error) {
	events, err := kube.EventsOf(ctx, c.Kube, wellknown.CCM)
	if err != nil {
		return rollout.Observation{}, migration.PartUnread(err)
	}
	down := seen.Reading.Down
	return rollout.Observation{Now: seen.At, Outage: seen.Outage, DaemonSet: down.CCM, Existed: seen.HadCCM, Pods: down.CCMPods,
		Nodes: seen.Reading.ControlPlaneNodes(), Events: events}, nil
}
