package rke

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
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

// managedChange is a step that patches Rancher's Cluster and watches Rancher apply
// it. Its conditions are those of the same step on a cluster.yml.
type managedChange struct {
	migration.Base
	m        *Managed
	compute  func(context.Context) (ManagedEdit, error)
	planned  func(context.Context) (ManagedEdit, error) // nil: compute
	allowed  func(context.Context, *runner.Tx) error
	open     func(*migration.Roll, *runner.Tx)
	wait     string
	restarts string
	rolls    func() int
	note     string
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
	if provider.Name == externalName && provider.UseInstanceMetadataHostname != nil {
		return ManagedSwitch(m.cluster.Config, NameRule{UseMetadata: *provider.UseInstanceMetadataHostname}), nil
	}
	names, err := m.nameRule(ctx)
	return ManagedSwitch(m.cluster.Config, names), err
}

func (m *Managed) plannedSwitch(ctx context.Context) (ManagedEdit, error) {
	edit, err := m.switchEdit(ctx)
	if err != nil || m.Result.Position >= position.P2 {
		return edit, err
	}
	names, err := m.nameRule(ctx)
	return ManagedSwitch(ManagedEnable(m.cluster.Config).Apply(), names), err
}

func (m *Managed) tryManagedEdits(NameRule) error { return nil }

// Plan implements runner.Step.
func (s *managedChange) Plan(ctx context.Context) (runner.Plan, error) {
	compute := s.planned
	if compute == nil {
		compute = s.compute
	}
	edit, err := compute(ctx)
	if err != nil {
		return runner.Plan{}, err
	}
	rolls := s.rolls()
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(s.m.cluster.object()), Estimate: fmt.Sprintf("~%dm", 1+rolls)}
	if len(plan.Changes) > 0 {
		plan.Summary = []string{fmt.Sprintf("~ %s (%d keys)", s.m.cluster.object(), len(plan.Changes))}
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+s.restarts)
	if s.note != "" {
		plan.Notes = append(plan.Notes, s.note)
	}
	return plan, nil
}

// Do implements runner.Step. Called again after a crash it finds the edit made.
func (s *managedChange) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.m.readWith(ctx, tx); err != nil {
		return err
	}
	edit, err := s.compute(ctx)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.RequireRest(); err != nil {
		return err
	}
	if err := s.allowed(ctx, tx); err != nil {
		return err
	}
	return s.m.write(ctx, tx, edit)
}

// Verify implements runner.Step.
func (s *managedChange) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	if err := s.m.readWith(ctx, tx); err != nil {
		return runner.Verdict{}, err
	}
	if err := s.Guard.Judge(s.Sighting(tx)); err != nil {
		return migration.Braked(err), nil
	}
	if err := s.m.cluster.failure(); err != nil {
		return migration.Failed(err), nil
	}
	roll := &migration.Roll{WaitingFor: s.wait, Progress: s.Reading.Progress(s.m.marks()...), Total: len(s.Reading.Members)}
	if edit, err := s.compute(ctx); err == nil && !edit.Empty() {
		roll.Wait("%s no longer has the edit", s.m.cluster.object())
	}
	for _, open := range s.Reading.Unrest {
		roll.Wait("%s", open.Seen)
	}
	for _, open := range s.Reading.NodesNotReady() {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	s.open(roll, tx)
	return roll.Verdict(), nil
}

// marks change when Rancher's side moves.
func (m *Managed) marks() []string {
	var marks []string
	for _, kind := range []string{"Updated", "Upgraded", "Ready"} {
		marks = append(marks, "c "+conditionText(kind, m.cluster.Conditions[kind]))
	}
	for _, n := range m.cluster.Nodes {
		marks = append(marks, fmt.Sprintf("w %s %d %d", n.Name, n.PlanVersion, n.AppliedVersion))
	}
	for i := range m.Reading.Down.Nodes {
		// rke cordons the host in hand, and a kubelet that restarts writes its label.
		node := &m.Reading.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("h %s %t %s", node.UID, node.Spec.Unschedulable, node.Labels[corev1.LabelHostname]))
	}
	return append(marks, fmt.Sprintf("s %v", m.facts.State.Current.Config.CloudProvider.Name))
}

// Tend implements runner.Tender: rke uncordons every node that it visits. While
// Rancher is at work it may still visit them.
func (s *managedChange) Tend(ctx context.Context, tx *runner.Tx) error {
	if len(s.Reading.Unrest) > 0 {
		return nil
	}
	return s.RestoreUserCordons(ctx, tx)
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

// write patches the Cluster: intent and inverse first, then one JSON patch whose
// tests are the values that were read.
func (m *Managed) write(ctx context.Context, tx *runner.Tx, edit ManagedEdit) error {
	inverse, err := edit.Inverse()
	if err != nil {
		return fmt.Errorf("encode the inverse of an edit of %s: %w", m.cluster.object(), err)
	}
	patch, err := edit.Patch()
	if err != nil {
		return fmt.Errorf("make a patch for %s: %w", m.cluster.object(), err)
	}
	intent := runner.Intent{Step: tx.Step(), What: "patch " + m.cluster.object(), Object: m.cluster.object(), Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error { return m.patch(ctx, patch, edit) })
}

// patch sends it and, when the answer is lost, looks whether it arrived.
func (m *Managed) patch(ctx context.Context, patch []byte, edit ManagedEdit) error {
	_, err := m.edges.Management.Resource(managedClusters).Patch(ctx, m.cluster.ID, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: "awsmigrate"})
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return &fault.Error{Class: fault.CouldNotLook, Reason: "Forbidden", Object: m.cluster.object(), Seen: "may not be patched with these credentials",
			Fix: "use credentials that may", Err: err}
	case apierrors.IsInvalid(err) || apierrors.IsConflict(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err):
		return &fault.Error{Class: fault.Stale, Reason: "ChangedMeanwhile", Object: m.cluster.object(),
			Seen: "it is no longer as it was when the edit was computed; nothing was written", Fix: "run again to see the new plan", Err: err}
	}
	if readErr := m.Read(ctx); readErr == nil && len(specDifferences(m.cluster.Config, edit.Apply())) == 0 {
		return nil
	}
	return fmt.Errorf("patch %s: %w", m.cluster.object(), err)
}
