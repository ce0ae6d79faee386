package rke

import (
	"context"
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func (m *Managed) managedSteps() []migration.Step {
	return m.Core.Steps(map[runner.StepID]func(migration.Base) migration.Step{
		migration.StepSnapshot: func(b migration.Base) migration.Step { return &snapshot{Base: b, p: m.Procedure} },
		migration.StepEnable:   func(b migration.Base) migration.Step { return m.enable(b) },
		migration.StepSwitch:   func(b migration.Base) migration.Step { return m.switchProvider(b) },
		migration.StepUpgrade:  func(b migration.Base) migration.Step { return m.upgrade(b) },
	})
}

func (m *Managed) enable(b migration.Base) migration.Step {
	shared := newEnable(b, m.Procedure)
	return &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute: func(_ context.Context, seen migration.Snapshot) (ManagedEdit, error) {
			return ManagedEnable(clusterOf(seen).Config), nil
		},
		restarts: "kube-controller-manager on every control plane, one after the other", rolls: func(seen migration.Snapshot) int { return seen.Reading.Planes() }}
}

func (m *Managed) switchProvider(b migration.Base) migration.Step {
	shared := newSwitch(b, m.Procedure)
	return &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute: m.switchEdit, planned: m.plannedSwitch,
		restarts: "kube-apiserver, kube-controller-manager and kubelet on every control plane, then the kubelet on every worker",
		rolls:    everyMember,
		note:     "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers"}
}

// switchEdit is empty once the Cluster names the external provider: names were
// decided when that was written.
func (m *Managed) switchEdit(ctx context.Context, seen migration.Snapshot) (ManagedEdit, error) {
	provider := factsOf(seen).Config.CloudProvider
	if provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return ManagedSwitch(clusterOf(seen).Config, naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, made(seen)), nil
	}
	names, err := m.nameRule(ctx, seen)
	return ManagedSwitch(clusterOf(seen).Config, names, made(seen)), err
}

// made are the mappings that the journal's edits of enable-leader-migration made.
func made(seen migration.Snapshot) []string {
	var all []string
	for _, intent := range seen.Record.Intents {
		var inverse []Inverse
		if intent.Step != migration.StepEnable || intent.Object != clusterOf(seen).object() || json.Unmarshal(intent.Inverse, &inverse) != nil {
			continue
		}
		for _, one := range inverse {
			all = append(all, one.Made...)
		}
	}
	return all
}

func (m *Managed) plannedSwitch(ctx context.Context, seen migration.Snapshot) (ManagedEdit, error) {
	edit, err := m.switchEdit(ctx, seen)
	if err != nil || seen.Result.Position >= position.P2 {
		return edit, err
	}
	names, err := m.nameRule(ctx, seen)
	first := ManagedEnable(clusterOf(seen).Config)
	return ManagedSwitch(first.Apply(), names, first.Made()), err
}

// tryManagedEdits says whether the edits to come have a place.
func tryManagedEdits(seen migration.Snapshot, _ naming.Rule) error {
	return editable(clusterOf(seen).object(), clusterOf(seen).Config)
}

func everyMember(seen migration.Snapshot) int { return len(seen.Reading.Members) }

// managedUpgrade changes kubernetesVersion; the CCM follows.
type managedUpgrade struct {
	*managedChange
	shared *upgrade
}

func (m *Managed) upgrade(b migration.Base) migration.Step {
	shared := newUpgrade(b, m.Procedure)
	return &managedUpgrade{shared: shared, managedChange: &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute: func(_ context.Context, seen migration.Snapshot) (ManagedEdit, error) {
			return ManagedUpgrade(clusterOf(seen).Config, m.options.KubernetesVersion), shared.versionAllowed(seen)
		},
		restarts: "every component on every host", rolls: everyMember}}
}

// Verify implements runner.Step.
func (s *managedUpgrade) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	verdict, err := s.managedChange.Verify(ctx, tx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return s.shared.followed(ctx, seen, verdict)
}

// Tend implements runner.Tender.
func (s *managedUpgrade) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.managedChange.Tend(ctx, tx, seen); err != nil {
		return err
	}
	return s.FollowImage(ctx, tx, seen)
}
