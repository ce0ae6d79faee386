package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// switchProvider makes the provider external-aws, says how nodes get their
// names, removes awsCloudProvider and the flag, all in one edit.
type switchProvider struct{ change }

func newSwitch(b migration.Base, p *Procedure) *switchProvider {
	s := &switchProvider{change{Base: b, p: p, wait: "every host to run with the external provider"}}
	s.compute, s.allowed, s.open = s.edit, s.mayWrite, s.stillOpen
	return s
}

// edit is empty once the file names the external provider: names were decided
// when that was written, and are not decided again.
func (s *switchProvider) edit(ctx context.Context, seen migration.Snapshot) (clusterfile.Edit, error) {
	names := naming.Rule{}
	if provider := factsOf(seen).Config.CloudProvider; provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		names.UseMetadata = *provider.UseInstanceMetadataHostname
	} else {
		var err error
		if names, err = s.p.nameRule(ctx, seen); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return SwitchEdit(factsOf(seen).File, names, madeByEnable(seen.Record, s.p.fileObject()))
}

// nameRule is what the checks of this run decided, or what they would.
func (p *Procedure) nameRule(ctx context.Context, seen migration.Snapshot) (naming.Rule, error) {
	if p.names != nil {
		return *p.names, nil
	}
	_, instances, err := p.Facts(ctx, seen)
	if err != nil {
		return naming.Rule{}, err
	}
	rule, err := naming.Choose(factsOf(seen), seen.Reading.Down.Nodes, instances, p.options.targets()...)
	if err == nil {
		p.names = &rule
	}
	return rule, err
}

// Plan implements runner.Step.
func (s *switchProvider) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	edit, err := s.edit(ctx, seen)
	if err != nil {
		return runner.Plan{}, err
	}
	if seen.Result.Position < position.P2 {
		names, err := s.p.nameRule(ctx, seen)
		if err != nil {
			return runner.Plan{}, err
		}
		if edit, err = switchFrom(factsOf(seen).File, names, madeByEnable(seen.Record, s.p.fileObject())); err != nil {
			return runner.Plan{}, err
		}
	}
	plan, err := s.p.planEdit(seen, edit, "kube-apiserver, kube-controller-manager and kubelet on every control plane, the kubelet on every other host", len(seen.Reading.Members))
	plan.Notes = append(plan.Notes, "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers")
	return plan, err
}

func (s *switchProvider) mayWrite(ctx context.Context, seen migration.Snapshot) error {
	if err := seen.RequireSamePlanes(); err != nil {
		return err
	}
	if seen.Result.Position != position.P3 || seen.Result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: seen.Reading.Object, Seen: seen.Result.Summary,
			Wanted: position.P3.Summary() + ": with no cloud controller manager waiting for the lease another kube-controller-manager would take it back",
			Fix:    "run again: install-ccm comes first"}
	}
	return s.RequireAlone(ctx, seen)
}

func (s *switchProvider) stillOpen(roll *migration.Roll, seen migration.Snapshot) {
	for _, m := range seen.Reading.Members {
		if m.Lacks == "" {
			roll.Done++
		} else {
			roll.Wait("%s %s: %s", m.Kind, m.Name, m.Lacks)
		}
	}
	if current := factsOf(seen).State.Current.Config; current.CloudProvider.AWS != nil && string(current.CloudProvider.AWS) != "null" {
		roll.Wait("rke's state still has awsCloudProvider")
	}
	for _, k := range seen.Reading.KCMs {
		if k.Flagged() {
			roll.Wait("rke's state still shows the flag")
			break
		}
	}
	verdict := seen.Reading.LeaseVerdict()
	if verdict.Owner != lease.CCM || verdict.Life != lease.Alive {
		roll.Wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	for _, open := range seen.NewNodesOpen() {
		roll.Wait("%s", open)
	}
	for _, open := range seen.OpenCordons() {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	roll.Evidence = []string{
		fmt.Sprintf("%s; rke's state shows %s for %d hosts, no flag left", s.p.applied, rkestate.ProviderExternal, roll.Done),
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(verdict.Holder)),
		"every Node kept its name, UID and ProviderID",
	}
}
