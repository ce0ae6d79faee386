package procedure

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const migrationLeaseObject = "Lease " + wellknown.System + "/" + wellknown.MigrationLease

// handOver has the cloud controller manager lead while every kube-controller-manager is
// still in-tree, so that faults which show only in one that leads come up where the way
// back is short. It fences the holder of the migration lease; see awsccm.Fence. Where a
// condition is missing, the lease changes hands with the switch instead.
type handOver struct{ base }

func (s *handOver) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	services, err := s.ReadServices(ctx)
	if err != nil {
		return runner.Plan{}, err
	}
	pauses, pause := runner.Pauses{Least: 1, Most: 1, EachLeast: 3, EachMost: 7}, "one hand-over, 3 to 7 s without service, route and cloud-node-lifecycle controllers"
	if s.Options.ClearFence {
		pauses.EachLeast = 1
		pause = "one hand-over, 1 to 3 s without service, route and cloud-node-lifecycle controllers where a kubelet shows the end of the one before, else 3 to 7 s"
	}
	return runner.Plan{
		Summary: []string{"~ " + migrationLeaseObject + ": its holder steps down, the cloud controller manager takes it"},
		Takes:   runner.Minute,
		Pauses:  pauses,
		Changes: []runner.Change{{Object: migrationLeaseObject, Location: "spec.holderIdentity", Before: wellknown.KCM, After: wellknown.CCM,
			Diff: "- " + wellknown.KCM + "\n+ " + wellknown.CCM + "\n"}},
		Notes: []string{
			pause,
			"one kube-controller-manager is started again; all other controllers pause for 13 to 24 s",
			fmt.Sprintf("load balancers that the cloud controller manager reconciles then: %d; another host name stops the run", countLoadBalancers(services)),
			"left to switch-provider where a condition of docs/steps/hand-over.md is missing",
		},
	}, nil
}

func (s *handOver) Do(ctx context.Context, _ *runner.Tx, seen migration.Snapshot) error {
	if s.leads(seen) || leftToSwitch(seen) != "" {
		return nil
	}
	if err := guard.RequireSameControlPlanes(seen); err != nil {
		return err
	}
	return audit.RequireAlone(ctx, s.Access, seen)
}

// leads says whether the cloud controller manager holds the migration lease, or is about to.
func (s *handOver) leads(seen migration.Snapshot) bool {
	owner := seen.Reading.LeaseVerdict()
	return owner.Owner == lease.HandingOver || owner.Owner == lease.CCM && owner.Life == lease.Alive
}

func (s *handOver) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(seen)); err != nil {
		return stoppedAtHandOver(err), nil
	}
	owner := seen.Reading.LeaseVerdict()
	fence, fenced := fenceOf(tx.Record(), tx.Run())
	switch {
	case owner.Owner == lease.CCM && owner.Life == lease.Alive:
		return s.tookOver(ctx, seen, owner)
	case fenced && fence.Token != owner.Holder:
		return s.afterFence(owner), nil
	case owner.Owner == lease.HandingOver:
		return waitForTakeOver(owner), nil
	}
	return s.beforeFence(ctx, seen)
}

// stoppedAtHandOver is the guard's verdict. A cloud controller manager that ends and is
// started again needs no brake: nothing rolls, and every kube-controller-manager can take
// its controllers back.
func stoppedAtHandOver(err error) runner.Verdict {
	if f, ok := fault.As(err); ok && f.Reason == guard.ReasonCCMRestarts {
		f.Fix = "nothing is lost, every kube-controller-manager is still in-tree; see why in " + ccmLogs() + ", then run again, or undo"
		return migration.Failed(f)
	}
	return migration.Braked(err)
}

func ccmLogs() string {
	return fault.Command("kubectl", "-n", wellknown.System, "logs", "ds/"+wellknown.CCM, "--previous")
}

// beforeFence judges whether the holder may be fenced, and until when.
func (s *handOver) beforeFence(ctx context.Context, seen migration.Snapshot) (runner.Verdict, error) {
	if why := leftToSwitch(seen); why != "" {
		v := migration.Met("left to switch-provider: " + why)
		v.Stable, v.AtRest = 1, true
		return v, nil
	}
	open, err := s.awaited(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	if len(open) == 0 { // the fence comes next
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the kube-controller-manager that leads to step down", Seen: "all that a hand-over needs is there", AtRest: true}, nil
	}
	wait := strings.Join(open, "; ")
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "everything that a hand-over needs", Seen: wait, Progress: wait, AtRest: true, Err: seen.Reading.HeldUpBy()}, nil
}

// awaited is all that has to be seen before the fence.
func (s *handOver) awaited(ctx context.Context, seen migration.Snapshot) ([]string, error) {
	open := untilFence(seen)
	if pending := seen.Reading.Pending; len(pending) > 0 {
		open = append(open, migration.SummarizePending(pending))
	}
	if len(open) > 0 {
		return open, nil
	}
	return s.outlived(ctx, seen.Reading)
}

// WhileWaiting implements runner.WaitingStep: it fences once nothing is missing. A guard
// writes nothing forward.
func (s *handOver) WhileWaiting(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if s.watches || s.leads(seen) || leftToSwitch(seen) != "" {
		return nil
	}
	held := seen.Reading.Leases.Migration.Last
	if fence, fenced := fenceOf(tx.Record(), tx.Run()); fenced && fence.Token != held.Holder {
		return nil // once in a run
	}
	if open, err := s.awaited(ctx, seen); err != nil || len(open) > 0 {
		return err
	}
	if err := audit.RequireAlone(ctx, s.Access, seen); err != nil {
		return err
	}
	fence := awsccm.FenceOf(tx.Run(), held, longestLease(seen.Reading))
	inverse, err := json.Marshal(map[string]string{"expires": fence.Identity()})
	if err != nil {
		return err
	}
	intent := journal.Intent{What: "fence " + migrationLeaseObject + ", for " + held.Holder + " to step down", Object: migrationLeaseObject,
		Token: held.Holder, Inverse: inverse}
	if err := tx.Effect(ctx, intent, func(ctx context.Context) error { return fence.Write(ctx, s.Kube, s.Clock.Now()) }); err != nil || !s.Options.ClearFence {
		return err
	}
	return s.clearFence(ctx, tx, seen.Reading, fence)
}

// fenceOf returns the last fence that a run announced; false if it announced none.
func fenceOf(record journal.Record, run string) (journal.Intent, bool) {
	for _, intent := range slices.Backward(record.Intents) {
		if intent.Step == migration.StepHandOver && intent.Run == run {
			return intent, true
		}
	}
	return journal.Intent{}, false
}

// afterFence judges who took the lease from the fence of this run.
func (s *handOver) afterFence(owner lease.Verdict) runner.Verdict {
	if owner.Owner == lease.KCM && owner.Life == lease.Alive {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "TakenBack", Object: migrationLeaseObject,
			Seen:   fmt.Sprintf("the cloud controller manager did not take it, or did not keep it: held by %s (kube-controller-manager) again", owner.Holder),
			Wanted: "the cloud controller manager, which waited for it",
			Fix:    "nothing is lost, every kube-controller-manager is still in-tree; see why in " + ccmLogs() + ", then run again, with --hand-over natural to leave it to the switch, or undo"})
	}
	return waitForTakeOver(owner)
}

func waitForTakeOver(owner lease.Verdict) runner.Verdict {
	seen := fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
	if owner.Owner == lease.HandingOver {
		seen = owner.Why
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to take the migration lease", Seen: seen, Progress: string(owner.Owner) + owner.Holder}
}

// tookOver judges a cloud controller manager that leads: that it goes on, that whoever
// stepped down is back, and that no load balancer is another.
func (s *handOver) tookOver(ctx context.Context, seen migration.Snapshot, owner lease.Verdict) (runner.Verdict, error) {
	verdict, err := s.Chart().Judge(ctx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	services, err := s.ReadServices(ctx)
	if err != nil {
		return runner.Verdict{}, err
	}
	before, known, err := guard.Fingerprint(seen.Record)
	if err != nil {
		return runner.Verdict{}, err
	}
	if changed := continuity.LoadBalancers(before, services); known && len(changed) > 0 {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "LoadBalancerChanged", Object: changed[0].Object, Seen: changed[0].Seen,
			Wanted: changed[0].Wanted, Fix: changed[0].Fix + "; undo gives the cloud controllers back to kube-controller-manager"}), nil
	}
	if open := s.untilBack(seen); len(open) > 0 {
		wait := strings.Join(open, "; ")
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the kube-controller-manager that stepped down to be back", Seen: wait, Progress: wait, Err: seen.Reading.HeldUpBy()}, nil
	}
	if verdict = s.leadsOn(seen, owner); verdict.Kind != runner.Met {
		return verdict, nil
	}
	if known {
		same := before.UnchangedLoadBalancers(downstream.Facts{Services: verify.Got(services)}).Same
		verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("load balancers with the host names of before: %d", same))
	}
	return verdict, nil
}

// leadsOn is Met once the same cloud controller manager has led for the duration of a lease,
// by its own clock. It may have done so while others were waited for.
func (s *handOver) leadsOn(seen migration.Snapshot, owner lease.Verdict) runner.Verdict {
	if led, wanted := leads(seen.Reading.Leases.Migration), settleTime(seen.Reading)/2; led < wanted {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: fmt.Sprintf("the same cloud controller manager to lead for %s", wanted),
			Seen: fmt.Sprintf("%s leads, and renews", lease.Host(owner.Holder)), Progress: owner.Holder}
	}
	return migration.Met(fmt.Sprintf("migration lease: %s (%s), renewing, while every kube-controller-manager is in-tree", lease.Host(owner.Holder), owner.Owner))
}

// untilBack is what is not yet as it was before the fence.
func (s *handOver) untilBack(seen migration.Snapshot) []string {
	open := untilKCMsLead(seen.Reading)
	if pending := seen.Reading.Pending; len(pending) > 0 {
		open = append(open, migration.SummarizePending(pending))
	}
	return open
}
