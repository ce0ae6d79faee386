package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Forward is a migration as the command line knows it.
type Forward interface {
	Procedure
	// Paused says who keeps the cluster from being rolled; "": nobody.
	Paused(seen Snapshot) string
}

// Undo takes a migration back to where it began: the positions backwards, each
// proven before the next. It is a procedure of its own over the same readings, so
// that everything the engine promises of a migration holds for its undo: intents
// before effects, resume, lock, brake.
type Undo struct {
	Forward
	core  *Core
	steps []Step
}

// NewUndo makes the undo of a migration.
func NewUndo(forward Forward, core *Core) *Undo {
	core.Options.KubernetesVersion = "" // no undo upgrades anything
	core.back = true
	return &Undo{Forward: forward, core: core, steps: core.steps(undoOrder())}
}

// Steps implements runner.Procedure.
func (u *Undo) Steps() []Step { return u.steps }

// Judge implements runner.Procedure.
func (u *Undo) Judge(seen Snapshot) (runner.Observation, error) {
	return u.core.standing(seen).judgeUndo(undoOrder())
}

// Precheck implements runner.Procedure. Whether there is a way back is said by the
// plan of undo-preflight, which comes before the question.
func (u *Undo) Precheck(_ context.Context, seen Snapshot, _ runner.Observation) error {
	return u.core.RequireInformed(seen)
}

// Alone says who else runs controller managers for the cluster.
func (u *Undo) Alone(ctx context.Context, seen Snapshot) error { return u.core.Alone(ctx, seen) }

// RequireInformed refuses to write beside an owner of the configuration.
func (u *Undo) RequireInformed(seen Snapshot) error { return u.core.RequireInformed(seen) }

// Header describes cluster and direction for people.
func (u *Undo) Header(seen Snapshot) []string {
	lines := u.Forward.Header(seen)
	if len(lines) > 2 {
		lines = lines[:2]
	}
	return append(lines, fmt.Sprintf("undo   back to %s   %s", position.P0, position.P0.Summary()))
}
