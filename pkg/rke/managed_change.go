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
	compute  func(context.Context, migration.Snapshot) (ManagedEdit, error)
	planned  func(context.Context, migration.Snapshot) (ManagedEdit, error) // nil: compute
	allowed  func(context.Context, migration.Snapshot) error
	open     func(*migration.Roll, migration.Snapshot)
	wait     string
	back     bool // it takes an edit back: a roll that is half done is what it ends
	restarts string
	rolls    func(migration.Snapshot) int
	note     string
}

// Plan implements runner.Step.
func (s *managedChange) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	compute := s.planned
	if compute == nil {
		compute = s.compute
	}
	edit, err := compute(ctx, seen)
	if err != nil {
		return runner.Plan{}, err
	}
	rolls := s.rolls(seen)
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(clusterOf(seen).object()), Estimate: fmt.Sprintf("~%dm", 1+rolls)}
	if len(plan.Changes) > 0 {
		plan.Summary = []string{fmt.Sprintf("~ %s (%d keys)", clusterOf(seen).object(), len(plan.Changes))}
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+s.restarts)
	if s.note != "" {
		plan.Notes = append(plan.Notes, s.note)
	}
	return plan, nil
}

// Do implements runner.Step. Called again after a crash it finds the edit made.
func (s *managedChange) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	edit, err := s.compute(ctx, seen)
	if err != nil || edit.Empty() {
		return err
	}
	if err := editable(clusterOf(seen).object(), clusterOf(seen).Config); err != nil {
		return err
	}
	if !s.back || !s.Undoing(seen) {
		if err := s.RequireRest(seen); err != nil {
			return err
		}
	}
	if err := s.allowed(ctx, seen); err != nil {
		return err
	}
	return s.m.write(ctx, tx, clusterOf(seen), edit)
}

// Verify implements runner.Step.
func (s *managedChange) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(seen.Sighting()); err != nil {
		return migration.Braked(err), nil
	}
	if err := clusterOf(seen).failure(); err != nil {
		return migration.Failed(err), nil
	}
	if edit, err := s.compute(ctx, seen); err == nil && !edit.Empty() {
		return migration.TakenBack(clusterOf(seen).object(), edit.locations(), clusterOf(seen).LastWriter), nil
	}
	roll := &migration.Roll{WaitingFor: s.wait, Progress: seen.Reading.Progress(marks(seen)...), Total: len(seen.Reading.Members), By: migration.ByRancher()}
	for _, open := range seen.Reading.Unrest {
		roll.Wait("%s", open.Seen)
	}
	roll.WaitForNodes(seen.Reading)
	s.open(roll, seen)
	return roll.Verdict(), nil
}

// marks change when Rancher's side moves.
func marks(seen migration.Snapshot) []string {
	var marks []string
	for _, kind := range []string{"Updated", "Upgraded", "Ready"} {
		marks = append(marks, "c "+conditionText(kind, clusterOf(seen).Conditions[kind]))
	}
	for _, n := range clusterOf(seen).Nodes {
		marks = append(marks, fmt.Sprintf("w %s %d %d", n.Name, n.PlanVersion, n.AppliedVersion))
	}
	for i := range seen.Reading.Down.Nodes {
		// rke cordons the host in hand, and a kubelet that restarts writes its label.
		node := &seen.Reading.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("h %s %t %s", node.UID, node.Unschedulable, node.Labels[corev1.LabelHostname]))
	}
	return append(marks, fmt.Sprintf("s %v", factsOf(seen).State.Current.Config.CloudProvider.Name))
}

// Tend implements runner.Tender: rke uncordons every node that it visits. While
// Rancher is at work it may still visit them.
func (s *managedChange) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if len(seen.Reading.Unrest) > 0 {
		return nil
	}
	return s.RestoreUserCordons(ctx, tx, seen)
}
