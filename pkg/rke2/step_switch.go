package rke2

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// switchProvider makes every component external in one edit that also takes the
// flag away: a kube-controller-manager that is external and keeps the flag can
// hold the migration lease and run none of its controllers. Rancher's guide
// edits machineGlobalConfig, which a selector-less entry beats on every cluster
// made in the UI; here the place that wins is edited.
type switchProvider struct {
	base
	edit placed
}

func newSwitch(b base) *switchProvider {
	s := &switchProvider{base: b}
	s.edit.compute = s.compute
	return s
}

func (s *switchProvider) compute(seen migration.Snapshot, spec config.Spec) (config.Edit, error) {
	choice, err := s.p.endState(seen)
	if err != nil {
		return config.Edit{}, err
	}
	return config.SwitchProvider(spec, factsOf(seen).editMachines(), editState(choice))
}

func (s *switchProvider) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	spec := factsOf(seen).Cluster.Spec
	if before, err := config.EnableLeaderMigration(spec, factsOf(seen).editMachines()); err == nil && seen.Result.Position < position.P2 {
		if spec, err = before.Apply(spec); err != nil {
			return runner.Plan{}, err
		}
	}
	edit, err := s.compute(seen, spec)
	if err != nil {
		return runner.Plan{}, err
	}
	plan, err := planEdit(factsOf(seen), edit, spec)
	plan.Notes = append(plan.Notes, "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers")
	return plan, err
}

func (s *switchProvider) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	edit, err := s.compute(seen, factsOf(seen).Cluster.Spec)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.RequireRest(seen); err != nil {
		return err
	}
	if err := seen.RequireSamePlanes(); err != nil {
		return err
	}
	if seen.Result.Position != position.P3 || seen.Result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: seen.Reading.Object,
			Seen:   seen.Result.Summary,
			Wanted: position.P3.Summary() + ": with no cloud controller manager waiting for the lease another kube-controller-manager would take it back",
			Fix:    "run again: install-ccm comes first"}
	}
	if err := s.RequireAlone(ctx, seen); err != nil {
		return err
	}
	if err := s.p.noteManifests(ctx, tx, seen); err != nil {
		return err
	}
	return s.p.writeEdit(ctx, tx, factsOf(seen), edit)
}

func (s *switchProvider) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(tx, seen, &s.edit, "every machine to run with the external provider")
	if err != nil || roll.Stopped() {
		return roll.Verdict(), err
	}
	switched := switchedMachines(seen, tx)
	for _, m := range factsOf(seen).Machines {
		if why, ok := switched[m.UID]; ok && why == "" {
			roll.Done++
		} else {
			roll.Wait("%s: %s", m.Name, why)
		}
	}
	roll.Total = len(factsOf(seen).Machines)
	verdict := seen.Reading.LeaseVerdict()
	if verdict.Owner != lease.CCM || verdict.Life != lease.Alive {
		roll.Wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	for _, open := range seen.NewNodesOpen() {
		roll.Wait("%s", open)
	}
	roll.Evidence = []string{
		fmt.Sprintf("%d of %d machines run with the external provider, no flag left", roll.Done, roll.Total),
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(verdict.Holder)),
		"every Node kept its name, UID and ProviderID",
	}
	return s.p.verdict(ctx, seen, &roll.Roll)
}

// Tend implements runner.Tender: cordons are given back as soon as every
// control plane is switched, while workers still roll, and cordons of the
// user's that a roll removed are set again at once.
func (s *switchProvider) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.RestoreUserCordons(ctx, tx, seen); err != nil {
		return err
	}
	for _, k := range seen.Reading.KCMs {
		if k.Provider() != position.External || k.Flagged() || !k.Ready {
			return nil
		}
	}
	return s.GiveBackCordons(ctx, tx, seen)
}

// Tend implements runner.Tender for the first roll.
func (s *enable) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	return s.RestoreUserCordons(ctx, tx, seen)
}

// switchedMachines says for every Machine what it still lacks; empty for nothing.
func switchedMachines(seen migration.Snapshot, tx *runner.Tx) map[string]string {
	var before map[string]manifest
	_, _ = tx.NoteInto(manifestsNote, &before) // without it the arguments alone decide
	lacks := make(map[string]string, len(seen.Reading.Members))
	for _, m := range seen.Reading.Members {
		lacks[m.ID] = m.Lacks
	}
	for _, k := range seen.Reading.KCMs {
		switch {
		case lacks[k.ID] != "":
		case !k.Ready:
			lacks[k.ID] = "kube-controller-manager is not Ready"
		case k.Provider() != position.External:
			lacks[k.ID] = "kube-controller-manager runs with provider " + k.Provider()
		case k.Flagged():
			lacks[k.ID] = "kube-controller-manager still has enable-leader-migration"
		case !(&roll{step: StepSwitch, before: before}).restarted(k):
			lacks[k.ID] = "kube-controller-manager has not restarted since the edit"
		}
	}
	return lacks
}
