package rke

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

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
	back     bool // it takes an edit back: a roll that is half done is what it ends
	restarts string
	rolls    func() int
	note     string
}

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
	if err := editable(s.m.cluster.object(), s.m.cluster.Config); err != nil {
		return err
	}
	if !s.back || !s.Undoing(tx.Record()) {
		if err := s.RequireRest(); err != nil {
			return err
		}
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
	if edit, err := s.compute(ctx); err == nil && !edit.Empty() {
		return migration.TakenBack(s.m.cluster.object(), edit.locations(), s.m.cluster.LastWriter), nil
	}
	roll := &migration.Roll{WaitingFor: s.wait, Progress: s.Reading.Progress(s.m.marks()...), Total: len(s.Reading.Members), By: migration.ByRancher()}
	for _, open := range s.Reading.Unrest {
		roll.Wait("%s", open.Seen)
	}
	roll.WaitForNodes(s.Reading)
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
		marks = append(marks, fmt.Sprintf("h %s %t %s", node.UID, node.Unschedulable, node.Labels[corev1.LabelHostname]))
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
