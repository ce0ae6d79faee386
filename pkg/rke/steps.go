package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func (p *Procedure) makeSteps() []migration.Step {
	return p.Core.Steps(map[runner.StepID]func(migration.Base) migration.Step{
		migration.StepSnapshot: func(b migration.Base) migration.Step { return &snapshot{Base: b, p: p} },
		migration.StepEnable:   func(b migration.Base) migration.Step { return newEnable(b, p) },
		migration.StepSwitch:   func(b migration.Base) migration.Step { return newSwitch(b, p) },
		migration.StepUpgrade:  func(b migration.Base) migration.Step { return newUpgrade(b, p) },
	})
}

// planEdit shows an edit and what rke makes of it.
func (p *Procedure) planEdit(seen migration.Snapshot, edit clusterfile.Edit, restarts string, rolls int) (runner.Plan, error) {
	if err := p.requireNothingPending(seen); err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Rolls: rolls, Changes: p.changeOf(edit)}
	if !edit.Empty() {
		added, removed := edit.Lines()
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", p.options.Config, added, removed))
	}
	if p.options.NoRKEUp {
		plan.Notes = append(plan.Notes, "stops after the edit: a person runs rke up")
	} else {
		plan.Summary = append(plan.Summary, "rke up")
		plan.Estimate = fmt.Sprintf("~%dm", 1+rolls)
	}
	plan.Notes = append(plan.Notes, "rke restarts "+restarts)
	return plan, nil
}

// requireInTree refuses to put the flag on where the provider is external.
func requireInTree(seen migration.Snapshot) error {
	for _, k := range seen.Reading.KCMs {
		if k.Provider() != "aws" {
			return &fault.Error{Class: fault.Check, Reason: "NotInTree", Object: k.Name(),
				Seen:   fmt.Sprintf("rke's state says provider %q", k.Provider()),
				Wanted: "aws: an external one with the flag would hold the migration lease and run nothing"}
		}
	}
	return nil
}

// snapshot has rke save an etcd snapshot.
type snapshot struct {
	migration.Base
	p *Procedure
}

func (s *snapshot) name() string { return "awsmigrate-" + s.p.options.RunID }

// Plan implements runner.Step.
func (s *snapshot) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"rke etcd snapshot-save"}, Estimate: "~1m"}, nil
}

// Do implements runner.Step.
func (s *snapshot) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	s.p.child = nil // of an earlier step
	if err := s.RequireRest(seen); err != nil {
		return err
	}
	return s.p.start(ctx, tx, seen, s.name(), "etcd", "snapshot-save", "--config", s.p.options.Config, "--name", s.name())
}

// Verify implements runner.Step.
func (s *snapshot) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if s.p.child == nil {
		return migration.Failed(&fault.Error{Class: fault.CouldNotLook, Reason: "NoSnapshot", Object: "rke etcd snapshot-save",
			Seen: "this run did not start it", Fix: "run again"}), nil
	}
	if verdict := s.p.childVerdict(seen); verdict != nil {
		return *verdict, nil
	}
	if _, err := s.p.noteEnd(ctx, tx, snapshotNote, s.name()); err != nil {
		return runner.Verdict{}, err
	}
	v := migration.Met("rke saved etcd snapshot " + s.name())
	v.Stable = 1
	return v, nil
}

// Finish implements runner.Finisher.
func (s *snapshot) Finish(ctx context.Context, tx *runner.Tx, kindly bool) error {
	return s.p.finish(ctx, tx, kindly)
}
