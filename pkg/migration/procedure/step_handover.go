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

// handOver makes the CCM lead while every kube-controller-manager is still in-tree. Faults of a
// leading CCM then appear while rollback is still short. It fences the holder of the migration
// lease; see awsccm.Fence. If a condition is missing, the lease changes hands during the switch
// instead.
type handOver struct{ base }

func (s *handOver) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	services, err := s.ReadServices(ctx)
	if err != nil {
		return runner.Plan{}, err
	}
	pauses, pause := runner.Pauses{Least: 1, Most: 1, EachLeast: 3, EachMost: 7}, "one hand-over, 3 to 7 s without service, route and cloud-node-lifecycle controllers"
	if snap.Reading.StaticPods { // a kubelet shows the container
		pauses.EachLeast = 1
		pause = "one hand-over, 1 to 3 s without service, route and cloud-node-lifecycle controllers if a kubelet shows the end of the former holder, else 3 to 7 s"
	}
	return runner.Plan{
		Summary: []string{"~ " + migrationLeaseObject + ": its holder steps down, the cloud controller manager takes it"},
		Takes:   runner.Minute,
		Pauses:  pauses,
		Changes: []runner.Change{{Object: migrationLeaseObject, Location: "spec.holderIdentity", Before: wellknown.KCM, After: wellknown.CCM,
			Diff: "- " + wellknown.KCM + "\n+ " + wellknown.CCM + "\n"}},
		Notes: []string{
			pause,
			"one kube-controller-manager restarts; all of its other controllers pause once more, for 13 to 24 s",
			fmt.Sprintf("load balancers that the cloud controller manager reconciles then: %d; a change of one stops the run", countLoadBalancers(services)),
			"left to switch-provider if a condition of docs/steps/hand-over.md is missing",
		},
	}, nil
}

func (s *handOver) Do(ctx context.Context, _ *runner.Tx, snap migration.Snapshot) error {
	if s.ccmLeads(snap) || reasonNotToFence(snap) != "" {
		return nil
	}
	if err := guard.RequireSameControlPlanes(snap); err != nil {
		return err
	}
	return audit.RequireAlone(ctx, s.Access, snap)
}

// ccmLeads reports whether the CCM holds the migration lease, or will take it from the fence.
func (s *handOver) ccmLeads(snap migration.Snapshot) bool {
	owner := snap.Reading.LeaseVerdict()
	return owner.Owner == lease.HandingOver || owner.Owner == lease.CCM && owner.Life == lease.Alive
}

func (s *handOver) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(snap)); err != nil {
		return guardVerdict(err, "nothing is lost, every kube-controller-manager is still in-tree"), nil
	}
	if err := s.requireDecision(snap); err != nil {
		return migration.Failed(err), nil
	}
	owner := snap.Reading.LeaseVerdict()
	fence, fenced := fenceOf(tx.Record(), tx.Run())
	switch {
	case owner.Owner == lease.CCM && owner.Life == lease.Alive:
		return s.judgeTakeover(ctx, snap, owner)
	case fenced && fence.Token != owner.Holder:
		return s.judgeAfterFence(owner), nil
	case owner.Owner == lease.HandingOver:
		return waitForTakeOver(owner), nil
	}
	return s.judgeBeforeFence(ctx, snap)
}

func ccmLogs() string {
	return fault.Command("kubectl", "-n", wellknown.System, "logs", "ds/"+wellknown.CCM, "--previous")
}

// judgeBeforeFence judges whether the holder may be fenced, or what the step waits for.
func (s *handOver) judgeBeforeFence(ctx context.Context, snap migration.Snapshot) (runner.Verdict, error) {
	if why := reasonNotToFence(snap); why != "" {
		v := migration.Met("left to switch-provider: " + why)
		v.Stable, v.AtRest = 1, true
		return v, nil
	}
	missing, err := s.missingForHandOver(ctx, snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	if len(missing) == 0 { // WhileWaiting writes the fence
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the kube-controller-manager that leads to step down", Seen: "all conditions of the hand-over are met", AtRest: true}, nil
	}
	wait := strings.Join(missing, "; ")
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "all conditions of the hand-over", Seen: wait, Progress: wait, AtRest: true, Err: snap.Reading.HeldUpBy()}, nil
}

// missingForHandOver lists all conditions of the fence that are not met yet.
func (s *handOver) missingForHandOver(ctx context.Context, snap migration.Snapshot) ([]string, error) {
	missing := missingForFence(snap)
	if pending := snap.Reading.Pending; len(pending) > 0 {
		missing = append(missing, migration.SummarizePending(pending))
	}
	old, err := s.findOldProcesses(ctx, snap.Reading) // counts renewals during other waits, too
	if len(missing) > 0 {
		return missing, nil
	}
	return old, err
}

// WhileWaiting implements runner.WaitingStep: it fences the holder once all conditions are met.
// A guard writes nothing forward.
func (s *handOver) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if s.isGuard || s.ccmLeads(snap) || reasonNotToFence(snap) != "" {
		return nil
	}
	held := snap.Reading.Leases.Migration.Last
	if fence, fenced := fenceOf(tx.Record(), tx.Run()); fenced && fence.Token != held.Holder {
		return nil // one fence per run
	}
	if missing, err := s.missingForHandOver(ctx, snap); err != nil || len(missing) > 0 {
		return err
	}
	if read, err := s.noteBalancers(ctx, tx, snap); err != nil || read {
		return err // the conditions are judged again after the reading
	}
	if err := audit.RequireAlone(ctx, s.Access, snap); err != nil {
		return err
	}
	fence := awsccm.FenceOf(tx.Run(), held, maxLeaseDuration(snap.Reading))
	inverse, err := json.Marshal(map[string]string{"expires": fence.Identity()})
	if err != nil {
		return err
	}
	intent := journal.Intent{What: "fence " + migrationLeaseObject + ", for " + held.Holder + " to step down", Object: migrationLeaseObject,
		Token: held.Holder, Inverse: inverse}
	if err := tx.Effect(ctx, intent, func(ctx context.Context) error { return fence.Write(ctx, s.Kube, s.Clock.Now()) }); err != nil || !snap.Reading.StaticPods {
		return err
	}
	return s.clearFence(ctx, tx, snap.Reading, fence)
}

// fenceOf returns the last fence that a run announced, or false.
func fenceOf(record journal.Record, run string) (journal.Intent, bool) {
	for _, intent := range slices.Backward(record.Intents) {
		if intent.Step == migration.StepHandOver && intent.Run == run {
			return intent, true
		}
	}
	return journal.Intent{}, false
}

// judgeAfterFence judges which process took the lease after the fence of this run.
func (s *handOver) judgeAfterFence(owner lease.Verdict) runner.Verdict {
	if owner.Owner == lease.KCM && owner.Life == lease.Alive {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "TakenBack", Object: migrationLeaseObject,
			Seen:   fmt.Sprintf("the cloud controller manager did not take it, or did not keep it: held by %s (kube-controller-manager) again", owner.Holder),
			Wanted: "the cloud controller manager, which waited for it",
			Fix:    "nothing is lost, every kube-controller-manager is still in-tree; see why in " + ccmLogs() + ", then run again, with --hand-over natural to leave it to the switch, or undo"})
	}
	return waitForTakeOver(owner)
}

func waitForTakeOver(owner lease.Verdict) runner.Verdict {
	state := fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
	if owner.Owner == lease.HandingOver {
		state = owner.Why
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to take the migration lease", Seen: state, Progress: string(owner.Owner) + owner.Holder}
}

// judgeTakeover judges a leading CCM: it must keep the lease, the former holder must be Ready
// again, and no load balancer may change.
func (s *handOver) judgeTakeover(ctx context.Context, snap migration.Snapshot, owner lease.Verdict) (runner.Verdict, error) {
	verdict, err := s.Chart().Judge(ctx, snap)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	services, err := s.ReadServices(ctx)
	if err != nil {
		return runner.Verdict{}, err
	}
	before, known, err := guard.Fingerprint(snap.Record)
	if err != nil {
		return runner.Verdict{}, err
	}
	if changed := continuity.LoadBalancers(before, services); known && len(changed) > 0 {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "LoadBalancerChanged", Object: changed[0].Object, Seen: changed[0].Seen,
			Wanted: changed[0].Wanted, Fix: changed[0].Fix + "; undo gives the cloud controllers back to kube-controller-manager"}), nil
	}
	if missing := s.missingForReturn(snap); len(missing) > 0 {
		wait := strings.Join(missing, "; ")
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the kube-controller-manager that stepped down to be back", Seen: wait, Progress: wait, Err: snap.Reading.HeldUpBy()}, nil
	}
	if verdict = s.judgeLeadTime(snap, owner); verdict.Kind != runner.Met {
		return verdict, nil
	}
	inAWS, err := s.judgeBalancers(ctx, snap, before, services)
	if err != nil || inAWS.Kind != runner.Met {
		return inAWS, err
	}
	if before.HasBalancers() {
		verdict.Stable, verdict.Evidence = 1, append(verdict.Evidence, inAWS.Evidence...)
	}
	if known {
		same := before.UnchangedLoadBalancers(downstream.Facts{Services: verify.Got(services)}).Same
		verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("load balancers with the host names of before: %d", same))
	}
	return verdict, nil
}

// judgeLeadTime returns Met once the same CCM has led for one lease duration, by its own clock.
// Time that passed during other waits counts.
func (s *handOver) judgeLeadTime(snap migration.Snapshot, owner lease.Verdict) runner.Verdict {
	if led, wanted := leadTime(snap.Reading.Leases.Migration), settleTime(snap.Reading)/2; led < wanted {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: fmt.Sprintf("the same cloud controller manager to lead for %s", wanted),
			Seen: fmt.Sprintf("%s leads, and renews", lease.Host(owner.Holder)), Progress: owner.Holder}
	}
	return migration.Met(fmt.Sprintf("migration lease: %s (%s), renewing, while every kube-controller-manager is in-tree", lease.Host(owner.Holder), owner.Owner))
}

// missingForReturn lists what differs from the state before the fence.
func (s *handOver) missingForReturn(snap migration.Snapshot) []string {
	missing := missingForKCMs(snap.Reading)
	if pending := snap.Reading.Pending; len(pending) > 0 {
		missing = append(missing, migration.SummarizePending(pending))
	}
	return missing
}
