package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Forward is a migration as the command line knows it.
type Forward interface {
	runner.Procedure
	Header() []string
	// Paused says who keeps the cluster from being rolled; "": nobody.
	Paused() string
}

// Undo takes a migration back to where it began: the positions backwards, each
// proven before the next. It is a procedure of its own over the same readings, so
// that everything the engine promises of a migration holds for its undo: intents
// before effects, resume, lock, brake.
type Undo struct {
	Forward
	core  *Core
	steps []runner.Step
}

// NewUndo makes the undo of a migration.
func NewUndo(forward Forward, core *Core) *Undo {
	core.Options.KubernetesVersion = "" // no undo upgrades anything
	core.back = true
	return &Undo{Forward: forward, core: core, steps: core.undoSteps(core.Side.UndoSteps())}
}

// Steps implements runner.Procedure.
func (u *Undo) Steps() []runner.Step { return u.steps }

// Observe implements runner.Procedure.
func (u *Undo) Observe(ctx context.Context, record runner.Record) (runner.Observation, error) {
	u.core.Record = record
	if err := u.core.Read(ctx); err != nil {
		return runner.Observation{}, err
	}
	u.core.Options.InstallMethod = u.core.Side.InstalledAs()
	if u.core.found == nil {
		u.core.keepFound(record)
	}
	return u.core.standing(record).judgeUndo(undoOrder())
}

// Precheck refuses nothing: the plan of undo-preflight says whether there is a way
// back, and it comes before the question.
func (u *Undo) Precheck(context.Context) error { return nil }

// Alone says who else runs controller managers for the cluster.
func (u *Undo) Alone(ctx context.Context) error { return u.core.Alone(ctx) }

// RequireInformed refuses to write beside an owner of the configuration.
func (u *Undo) RequireInformed() error { return u.core.RequireInformed() }

// Header describes cluster and direction for people.
func (u *Undo) Header() []string {
	lines := u.Forward.Header()
	if len(lines) > 2 {
		lines = lines[:2]
	}
	return append(lines, fmt.Sprintf("undo   back to %s   %s", position.P0, position.P0.Summary()))
}

// undoSteps puts the steps of an undo into their order.
func (c *Core) undoSteps(own map[runner.StepID]func(Base) runner.Step) []runner.Step {
	common := map[runner.StepID]func(Base) runner.Step{
		StepUndoPreflight: func(b Base) runner.Step { return &undoPreflight{Base: b} },
		StepUndoDisable:   func(b Base) runner.Step { return &undoDisable{Base: b} },
		StepUncordon:      func(b Base) runner.Step { return &uncordon{Base: b} },
		StepUndoInstall:   func(b Base) runner.Step { return &undoInstall{Base: b} },
		StepUndoAccess:    func(b Base) runner.Step { return &undoAccess{Base: b} },
		StepVerify:        func(b Base) runner.Step { return &audit{Base: b} },
	}
	var steps []runner.Step
	for _, id := range undoOrder() {
		build, ok := own[id]
		if !ok {
			build = common[id]
		}
		steps = append(steps, build(Base{Core: c, ID: id}))
	}
	return steps
}
