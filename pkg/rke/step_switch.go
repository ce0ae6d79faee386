package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
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
func (s *switchProvider) edit(ctx context.Context) (clusterfile.Edit, error) {
	names := NameRule{}
	if provider := s.p.facts.Config.CloudProvider; provider.Name == providerExternal && provider.UseInstanceMetadataHostname != nil {
		names.UseMetadata = *provider.UseInstanceMetadataHostname
	} else {
		var err error
		if names, err = s.p.nameRule(ctx); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return SwitchEdit(s.p.facts.File, names, madeByEnable(s.p.Record, s.p.fileObject()))
}

// nameRule is what the checks of this run decided, or what they would.
func (p *Procedure) nameRule(ctx context.Context) (NameRule, error) {
	if p.names != nil {
		return *p.names, nil
	}
	_, instances, err := p.Facts(ctx)
	if err != nil {
		return NameRule{}, err
	}
	rule, err := ChooseNames(p.facts, p.Reading.Down.Nodes, instances, p.options.targets()...)
	if err == nil {
		p.names = &rule
	}
	return rule, err
}

// Plan implements runner.Step.
func (s *switchProvider) Plan(ctx context.Context) (runner.Plan, error) {
	edit, err := s.edit(ctx)
	if err != nil {
		return runner.Plan{}, err
	}
	if s.Result.Position < position.P2 {
		names, err := s.p.nameRule(ctx)
		if err != nil {
			return runner.Plan{}, err
		}
		if edit, err = s.p.switchFrom(s.p.facts.File, names, madeByEnable(s.p.Record, s.p.fileObject())); err != nil {
			return runner.Plan{}, err
		}
	}
	plan, err := s.p.planEdit(edit, "kube-apiserver, kube-controller-manager and kubelet on every control plane, the kubelet on every other host", len(s.Reading.Members))
	plan.Notes = append(plan.Notes, "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers")
	return plan, err
}

func (s *switchProvider) mayWrite(ctx context.Context, tx *runner.Tx) error {
	if err := s.RequireSamePlanes(tx); err != nil {
		return err
	}
	if s.Result.Position != position.P3 || s.Result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: s.Reading.Object, Seen: s.Result.Summary,
			Wanted: position.P3.Summary() + ": with no cloud controller manager waiting for the lease another kube-controller-manager would take it back",
			Fix:    "run again: install-ccm comes first"}
	}
	return s.RequireAlone(ctx)
}

func (s *switchProvider) stillOpen(roll *migration.Roll, tx *runner.Tx) {
	for _, m := range s.Reading.Members {
		if m.Lacks == "" {
			roll.Done++
		} else {
			roll.Wait("%s %s: %s", m.Kind, m.Name, m.Lacks)
		}
	}
	if current := s.p.facts.State.Current.Config; current.CloudProvider.AWS != nil && string(current.CloudProvider.AWS) != "null" {
		roll.Wait("rke's state still has awsCloudProvider")
	}
	for _, k := range s.Reading.KCMs {
		if k.Flagged() {
			roll.Wait("rke's state still shows the flag")
			break
		}
	}
	verdict := s.Reading.LeaseVerdict()
	if verdict.Owner != lease.CCM || verdict.Life != lease.Alive {
		roll.Wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	for _, open := range s.NewNodesOpen(tx) {
		roll.Wait("%s", open)
	}
	for _, open := range s.OpenCordons(tx.Record()) {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	roll.Evidence = []string{
		fmt.Sprintf("%s; rke's state shows %s for %d hosts, no flag left", s.p.applied, providerExternal, roll.Done),
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(verdict.Holder)),
		"every Node kept its name, UID and ProviderID",
	}
}
