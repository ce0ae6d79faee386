package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Base is what every step shares. A step of a Side embeds it too.
type Base struct {
	*Core
	ID runner.StepID
}

// Info implements runner.Step.
func (b Base) Info() runner.Info { return info(b.ID) }

// Plan implements runner.Step for steps that change nothing.
func (b Base) Plan(context.Context, Snapshot) (runner.Plan, error) { return runner.Plan{}, nil }

// Do implements runner.Step for steps that change nothing.
func (b Base) Do(context.Context, *runner.Tx, Snapshot) error { return nil }

// Steps puts the steps in force into their order.
func (c *Core) Steps() []Step { return c.steps(c.order()) }

func (c *Core) steps(ids []runner.StepID) []Step {
	steps := make([]Step, 0, len(ids))
	for _, id := range ids {
		steps = append(steps, c.step(Base{Core: c, ID: id}))
	}
	return steps
}

func (c *Core) step(b Base) Step {
	switch b.ID {
	case StepSnapshot:
		return c.Side.SnapshotStep(b)
	case StepLeaseAccess:
		return &leaseAccess{Base: b}
	case StepUndoAccess:
		return &undoAccess{Base: b}
	case StepEnable:
		return &editing{b, enableLeaderMigration()}
	case StepUndoEnable:
		return &editing{b, disableLeaderMigrationAgain()}
	case StepCordon:
		return &cordon{Base: b}
	case StepUncordon:
		return &uncordon{Base: b}
	case StepInstall:
		return &install{Base: b}
	case StepUndoInstall:
		return &undoInstall{Base: b}
	case StepSwitch:
		return &editing{b, switchProvider()}
	case StepUndoSwitch:
		return &editing{b, switchBack()}
	case StepVerify:
		return &audit{Base: b}
	case StepDisable:
		return &disable{Base: b}
	case StepUndoDisable:
		return &undoDisable{Base: b}
	case StepUpgrade:
		return &editing{b, upgradeKubernetes(c.Options.KubernetesVersion)}
	case StepUndoPreflight:
		return &undoPreflight{Base: b}
	}
	return &preflight{Base: b}
}

// Met is the verdict that a step's end was seen.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// Braked is the verdict that going on would do harm.
func Braked(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

// Failed is the verdict that waiting does not mend it.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
