package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Checks implements migration.Backend.
func (b *Backend) Checks(seen migration.Snapshot, _ evidence.Input, made migration.Prepared) []verify.Bound {
	return verify.Bind(prepare(factsOf(seen), seen.Reading, made, b.options, seen.Switched()), Checks()...)
}

// Evidence implements migration.Backend.
func (b *Backend) Evidence(seen migration.Snapshot, input *evidence.Input) {
	if choice, err := b.endState(seen); err == nil {
		input.EndState = evidence.EndState(choice.State)
	}
	input.Registries = registries(factsOf(seen), nodesOfMachines(seen.Reading.Down))
}

// Decide implements migration.Backend: all that a run goes by is seen in the cluster.
func (b *Backend) Decide(migration.Snapshot, evidence.Input) {}

// prepare computes what the checks judge besides what was read.
func prepare(f Facts, r migration.Reading, made migration.Prepared, o Options, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = endStateOf(f, switched, o.EndState, r.Down.Nodes)
	if p.ChoiceErr == nil && !switched {
		p.EditErr = tryEdits(f, p.Choice)
	}
	return p
}

// Prepared is what the checks of this package judge: Rancher's side, and what
// the steps to come would do.
type Prepared struct {
	Facts
	migration.Reading
	migration.Prepared
	Options   Options
	Choice    EndStateChoice
	ChoiceErr error
	EditErr   error // an edit to come cannot be computed
}

// tryEdits computes both edits, one after the other, without writing them.
func tryEdits(f Facts, choice EndStateChoice) error {
	spec := f.Cluster.Spec
	first, err := config.EnableLeaderMigration(spec, f.editMachines())
	if err != nil {
		return err
	}
	if spec, err = first.Apply(spec); err != nil {
		return err
	}
	_, err = config.SwitchProvider(spec, f.editMachines(), editState(choice))
	return err
}
