package procedure

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// cordon marks control-plane nodes unschedulable, as the guides do before they install. It
// protects nothing: DaemonSet pods tolerate a cordon, and only the lease separates two
// managers. Cordons of the user stay the user's.
type cordon struct{ base }

func (s *cordon) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	plan := guard.PlanCordon(snap.Reading)
	summary := fmt.Sprintf("cordon %s", migration.NameList(plan.Open))
	if len(plan.Theirs) > 0 {
		summary += fmt.Sprintf("; %s cordoned before and left alone", migration.NameList(plan.Theirs))
	}
	var changes []runner.Change // without a diff: the summary shows it
	for _, name := range plan.Open {
		changes = append(changes, runner.Change{Object: "Node " + name, Location: "spec.unschedulable", Before: false, After: true})
	}
	return runner.Plan{Summary: []string{summary}, Takes: 1, Changes: changes}, nil
}

func (s *cordon) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	for _, name := range guard.PlanCordon(snap.Reading).Open {
		inverse, err := json.Marshal(map[string]string{"uncordon": name})
		if err != nil {
			return err
		}
		intent := journal.Intent{What: "cordon Node " + name, Object: "Node " + name, Inverse: inverse}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.Cordon(ctx, s.Kube.CoreV1().Nodes(), name, s.Options.RunID)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *cordon) Verify(ctx context.Context, _ *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	plan := guard.PlanCordon(snap.Reading)
	if len(plan.Open) > 0 {
		open := migration.NameList(plan.Open) + " schedulable"
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "control-plane nodes to be cordoned", Seen: open, Progress: open}, nil
	}
	v := migration.Met(fault.Count(len(plan.Ours), "control-plane node") + " cordoned")
	v.Stable = 1
	return v, nil
}

// uncordon removes exactly the cordons that carry our annotation. Rancher's guide for AWS
// forgets this step, and its planner uncordons nothing without drain options.
type uncordon struct{ base }

// Plan has no changes: the step removes what the cordon step wrote. A plan that differs, for
// example after a machine was replaced, must not prevent that.
func (s *uncordon) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	plan := guard.PlanCordon(snap.Reading)
	names := append(append([]string{}, plan.Ours...), plan.Open...)
	return runner.Plan{Summary: []string{"uncordon " + migration.NameList(names)}, Takes: 1}, nil
}

func (s *uncordon) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	return s.GiveBackCordons(ctx, tx, snap)
}

func (s *uncordon) Verify(ctx context.Context, _ *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if ours := guard.PlanCordon(snap.Reading).Ours; len(ours) > 0 {
		left := migration.NameList(ours) + " still cordoned by us"
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "our cordons to be gone", Seen: left, Progress: left}, nil
	}
	evidence := "no node is cordoned by awsmigrate"
	if theirs := len(guard.UserCordons(snap.Reading.Down.Nodes)); theirs > 0 {
		evidence += fmt.Sprintf("; %d cordoned by their user, as before", theirs)
	}
	v := migration.Met(evidence)
	v.Stable = 1
	return v, nil
}

// GiveBackCordons uncordons every node that carries our annotation.
func (m *Migration) GiveBackCordons(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	for _, name := range guard.PlanCordon(snap.Reading).Ours {
		intent := journal.Intent{What: "uncordon Node " + name, Object: "Node " + name}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.Uncordon(ctx, m.Kube.CoreV1().Nodes(), name)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// RestoreUserCordons restores user cordons that a rollout removed: every rollout uncordons the
// nodes that it visits.
func (m *Migration) RestoreUserCordons(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	for _, name := range guard.LostCordons(snap) {
		uid := snap.Reading.Down.Node(name).UID
		intent := journal.Intent{What: "cordon Node " + name + " again, as its user had", Object: "Node " + name, Token: uid}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.RestoreUser(ctx, m.Kube.CoreV1().Nodes(), name, types.UID(uid))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
