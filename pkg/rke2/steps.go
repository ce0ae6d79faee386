package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// base is what every step shares.
type base struct {
	p  *Procedure
	id runner.StepID
}

// Info implements runner.Step.
func (b base) Info() runner.Info { return info(b.id) }

// Plan implements runner.Step for steps that change nothing.
func (b base) Plan(context.Context) (runner.Plan, error) { return runner.Plan{}, nil }

// Do implements runner.Step for steps that change nothing.
func (b base) Do(context.Context, *runner.Tx) error { return nil }

func met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

func brake(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

func failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }

func (p *Procedure) makeSteps() []runner.Step {
	all := map[runner.StepID]func(base) runner.Step{
		StepPreflight:   func(b base) runner.Step { return &preflight{base: b} },
		StepSnapshot:    func(b base) runner.Step { return &snapshot{base: b} },
		StepLeaseAccess: func(b base) runner.Step { return &leaseAccess{base: b} },
		StepEnable:      func(b base) runner.Step { return &enable{base: b} },
		StepCordon:      func(b base) runner.Step { return &cordon{base: b} },
		StepInstall:     func(b base) runner.Step { return &install{base: b} },
		StepSwitch:      func(b base) runner.Step { return &switchProvider{base: b} },
		StepUncordon:    func(b base) runner.Step { return &uncordon{base: b} },
		StepVerify:      func(b base) runner.Step { return &audit{base: b} },
		StepDisable:     func(b base) runner.Step { return &disable{base: b} },
		StepUpgrade:     func(b base) runner.Step { return &upgrade{base: b} },
	}
	var steps []runner.Step
	for _, id := range p.order() {
		steps = append(steps, all[id](base{p: p, id: id}))
	}
	return steps
}
