package rke2

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// cordon marks control-plane nodes unschedulable, as the guides do before they
// install. It protects nothing: DaemonSet pods tolerate a cordon, and only the
// lease keeps two managers apart. What was cordoned before stays the user's.
type cordon struct{ base }

func (s *cordon) Plan(context.Context) (runner.Plan, error) {
	plan := planCordon(s.p.view)
	summary := fmt.Sprintf("cordon %s", nameList(plan.Open))
	if len(plan.Theirs) > 0 {
		summary += fmt.Sprintf("; %s cordoned before and left alone", nameList(plan.Theirs))
	}
	return runner.Plan{Summary: []string{summary}, Estimate: "1s"}, nil
}

func (s *cordon) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	for _, name := range planCordon(s.p.view).Open {
		inverse, err := json.Marshal(map[string]string{"uncordon": name})
		if err != nil {
			return err
		}
		intent := runner.Intent{What: "cordon Node " + name, Object: "Node " + name, Inverse: inverse}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.Cordon(ctx, s.p.clients.Downstream.CoreV1().Nodes(), name, s.p.options.RunID)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *cordon) Verify(ctx context.Context, _ *runner.Tx) (runner.Verdict, error) {
	if err := s.p.read(ctx); err != nil {
		return runner.Verdict{}, err
	}
	plan := planCordon(s.p.view)
	if len(plan.Open) > 0 {
		seen := nameList(plan.Open) + " schedulable"
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "control-plane nodes to be cordoned", Seen: seen, Progress: seen}, nil
	}
	v := met(fmt.Sprintf("%d control-plane nodes cordoned", len(plan.Ours)))
	v.Stable = 1
	return v, nil
}

// uncordon takes away exactly the cordons that carry our annotation. Rancher's
// guide for AWS forgets this step, and its planner uncordons nothing without
// drain options.
type uncordon struct{ base }

func (s *uncordon) Plan(context.Context) (runner.Plan, error) {
	plan := planCordon(s.p.view)
	names := append(append([]string{}, plan.Ours...), plan.Open...)
	return runner.Plan{Summary: []string{"uncordon " + nameList(names)}, Estimate: "1s"}, nil
}

func (s *uncordon) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	return s.p.giveBackCordons(ctx, tx)
}

func (s *uncordon) Verify(ctx context.Context, _ *runner.Tx) (runner.Verdict, error) {
	if err := s.p.read(ctx); err != nil {
		return runner.Verdict{}, err
	}
	if ours := planCordon(s.p.view).Ours; len(ours) > 0 {
		seen := nameList(ours) + " still cordoned by us"
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "our cordons to be gone", Seen: seen, Progress: seen}, nil
	}
	evidence := "no node carries a cordon of ours"
	if theirs := len(userCordons(s.p.view.Down.Nodes)); theirs > 0 {
		evidence += fmt.Sprintf("; %d cordoned by their user, as before", theirs)
	}
	v := met(evidence)
	v.Stable = 1
	return v, nil
}

// giveBackCordons uncordons every node that carries our annotation.
func (p *Procedure) giveBackCordons(ctx context.Context, tx *runner.Tx) error {
	for _, name := range planCordon(p.view).Ours {
		intent := runner.Intent{What: "uncordon Node " + name, Object: "Node " + name}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.Uncordon(ctx, p.clients.Downstream.CoreV1().Nodes(), name)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
