package procedure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// noteBalancers records the load balancers in AWS before the CCM leads, once per run, and warns of
// what changed since the preflight. It does nothing if the CCM leads or if the preflight did not
// read AWS, and returns an error if AWS does not answer now. It keeps a record from before an
// earlier hand-over, because that CCM may have changed a load balancer. done reports whether it
// read AWS.
func (m *Migration) noteBalancers(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (done bool, err error) {
	if owner := snap.Reading.LeaseVerdict().Owner; owner == lease.CCM || owner == lease.HandingOver {
		return false, nil
	}
	before, known, err := guard.Fingerprint(tx.Record())
	if err != nil || !known || !before.HasBalancers() {
		return false, err
	}
	run, err := guard.BalancersRun(tx.Record())
	if err != nil || run == tx.Run() || run != "" && hasHandedOver(tx.Record()) {
		return false, err
	}
	facts, found, err := audit.LoadBalancers(ctx, m.Access, snap)
	if err != nil {
		return false, err
	}
	if changes, _ := before.BalancerChanges(facts, found); len(changes) > 0 {
		tx.Warn("load balancers changed in AWS before the hand-over, by kube-controller-manager or by a person", textsOf(changes)...)
	}
	return true, guard.NoteBalancers(ctx, tx, facts, found)
}

// hasHandedOver reports whether a run has given the cloud controllers to the CCM since the last
// undo.
func hasHandedOver(record journal.Record) bool {
	return slices.ContainsFunc(record.SinceUndo(), func(i journal.Intent) bool {
		return i.Step == migration.StepHandOver || i.Step == migration.StepSwitch
	})
}

// textsOf returns the changes with their Services.
func textsOf(changes []continuity.BalancerChange) []string {
	var texts []string
	for _, c := range changes {
		texts = append(texts, "Service "+c.Service+" "+c.Text())
	}
	return texts
}

// judgeBalancers judges whether the leading CCM has reconciled every load balancer, and changed
// none in AWS. It returns a Met verdict with evidence if AWS is not compared.
func (m *Migration) judgeBalancers(ctx context.Context, snap migration.Snapshot, before continuity.Fingerprint, services []downstream.Service) (runner.Verdict, error) {
	if !before.HasBalancers() || m.Options.Skip[checks.AfterHandover()] != "" {
		return migration.Met(), nil
	}
	events, err := kube.ServiceEvents(ctx, m.Kube)
	if err != nil {
		return runner.Verdict{}, migration.PartUnread(err)
	}
	pending := notReconciled(before, services, events, snap.Reading.Leases.Migration.Last.Acquire)
	if len(pending) > 0 && leadTime(snap.Reading.Leases.Migration) < eventLifetime {
		seen := fmt.Sprintf("not yet: %s", evidence.Some(pending))
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to reconcile every load balancer", Seen: seen, Progress: fmt.Sprint(len(pending))}, nil
	}
	facts, found, err := audit.LoadBalancers(ctx, m.Access, snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	changes, compared := before.BalancerChanges(facts, found)
	if len(changes) == 0 {
		return migration.Met(fmt.Sprintf("load balancers unchanged in AWS since before the hand-over: %d", compared)), nil
	}
	return migration.Failed(balancersChanged(changes)), nil
}

// eventLifetime is the time after which missing events prove nothing: kube-apiserver keeps them for
// an hour (--event-ttl). A CCM that has led for as long has reconciled its Services.
const eventLifetime = 50 * time.Minute

// balancersChanged returns the error for load balancers that changed while the CCM leads.
func balancersChanged(changes []continuity.BalancerChange) error {
	return &fault.Error{Class: fault.Check, Reason: "LoadBalancerChanged", Object: "load balancers of Services in AWS",
		Seen:   "changed after the reading before the hand-over: " + someTexts(textsOf(changes)),
		Wanted: "no change by the cloud controller manager",
		Fix: "find out who changed it (CloudTrail); undo gives the cloud controllers back to kube-controller-manager, which restores listeners, subnets, groups, health checks and attributes " +
			"at its start, but not the host name of a load balancer that was created anew; if the change is wanted, run again with --skip " + checks.AfterHandover() + "=REASON"}
}

// someTexts joins texts that contain commas, and cuts a long list, which verify shows in full.
func someTexts(texts []string) string {
	const most = 10
	if len(texts) <= most {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%s; and %d more, see %s of verify", strings.Join(texts[:most], "; "), len(texts)-most, checks.AfterHandover())
}

// notReconciled returns the Services whose load balancer is compared and that the holder has not
// reconciled since it acquired the lease, successfully or not. A controller writes an event at the
// end of each (k8s.io/cloud-provider:controllers/service/controller.go@v0.26.0). Times of events
// have no fractions of a second.
func notReconciled(before continuity.Fingerprint, services []downstream.Service, events []downstream.Event, since time.Time) []string {
	done := map[string]bool{}
	for _, e := range events {
		if (e.Reason == "EnsuredLoadBalancer" || e.Reason == "SyncLoadBalancerFailed") && !e.Latest.Before(since.Truncate(time.Second)) {
			done[e.UID] = true
		}
	}
	var pending []string
	for _, p := range before.Services {
		exists := slices.ContainsFunc(services, func(s downstream.Service) bool { return s.UID == p.UID && !s.Deleting })
		if p.Balancer != nil && exists && !done[p.UID] {
			pending = append(pending, p.Namespace+"/"+p.Name)
		}
	}
	return pending
}
