package rke

import (
	"context"
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func (m *Managed) managedSteps() []runner.Step {
	return m.Core.Steps(map[runner.StepID]func(migration.Base) runner.Step{
		migration.StepSnapshot: func(b migration.Base) runner.Step { return &snapshot{Base: b, p: m.Procedure} },
		migration.StepEnable:   func(b migration.Base) runner.Step { return m.enable(b) },
		migration.StepSwitch:   func(b migration.Base) runner.Step { return m.switchProvider(b) },
		migration.StepUpgrade:  func(b migration.Base) runner.Step { return m.upgrade(b) },
	})
}

func (m *Managed) enable(b migration.Base) runner.Step {
	shared := newEnable(b, m.Procedure)
	return &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute:  func(context.Context) (ManagedEdit, error) { return ManagedEnable(m.cluster.Config), nil },
		restarts: "kube-controller-manager on every control plane, one after the other", rolls: func() int { return m.Reading.Planes() }}
}

func (m *Managed) switchProvider(b migration.Base) runner.Step {
	shared := newSwitch(b, m.Procedure)
	return &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute: m.switchEdit, planned: m.plannedSwitch,
		restarts: "kube-apiserver, kube-controller-manager and kubelet on every control plane, then the kubelet on every worker",
		rolls:    func() int { return len(m.Reading.Members) },
		note:     "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers"}
}

// switchEdit is empty once the Cluster names the external provider: names were
// decided when that was written.
func (m *Managed) switchEdit(ctx context.Context) (ManagedEdit, error) {
	provider := m.facts.Config.CloudProvider
	if provider.Name == providerExternal && provider.UseInstanceMetadataHostname != nil {
		return ManagedSwitch(m.cluster.Config, NameRule{UseMetadata: *provider.UseInstanceMetadataHostname}, m.made()), nil
	}
	names, err := m.nameRule(ctx)
	return ManagedSwitch(m.cluster.Config, names, m.made()), err
}

// made are the mappings that the journal's edits of enable-leader-migration made.
func (m *Managed) made() []string {
	var all []string
	for _, intent := range m.Record.Intents {
		var inverse []Inverse
		if intent.Step != migration.StepEnable || intent.Object != m.cluster.object() || json.Unmarshal(intent.Inverse, &inverse) != nil {
			continue
		}
		for _, one := range inverse {
			all = append(all, one.Made...)
		}
	}
	return all
}

func (m *Managed) plannedSwitch(ctx context.Context) (ManagedEdit, error) {
	edit, err := m.switchEdit(ctx)
	if err != nil || m.Result.Position >= position.P2 {
		return edit, err
	}
	names, err := m.nameRule(ctx)
	first := ManagedEnable(m.cluster.Config)
	return ManagedSwitch(first.Apply(), names, first.Made()), err
}

// tryManagedEdits says whether the edits to come have a place.
func (m *Managed) tryManagedEdits(NameRule) error {
	return editable(m.cluster.object(), m.cluster.Config)
}

// managedUpgrade changes kubernetesVersion; the CCM follows.
type managedUpgrade struct {
	*managedChange
	shared *upgrade
}

func (m *Managed) upgrade(b migration.Base) runner.Step {
	shared := newUpgrade(b, m.Procedure)
	return &managedUpgrade{shared: shared, managedChange: &managedChange{Base: b, m: m, allowed: shared.allowed, open: shared.open, wait: shared.wait,
		compute: func(context.Context) (ManagedEdit, error) {
			return ManagedUpgrade(m.cluster.Config, m.options.KubernetesVersion), shared.versionAllowed()
		},
		restarts: "every component on every host", rolls: func() int { return len(m.Reading.Members) }}}
}

// Verify implements runner.Step.
func (s *managedUpgrade) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	verdict, err := s.managedChange.Verify(ctx, tx)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return s.shared.followed(ctx, tx, verdict)
}

// Tend implements runner.Tender.
func (s *managedUpgrade) Tend(ctx context.Context, tx *runner.Tx) error {
	if err := s.managedChange.Tend(ctx, tx); err != nil {
		return err
	}
	return s.FollowImage(ctx, tx)
}
