package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// prepare computes what the checks judge besides what was read.
func prepare(f Facts, r migration.Reading, made migration.Prepared, o CheckOptions, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = endStateOf(f, switched, o.EndState, r.Down.Nodes)
	if p.ChoiceErr == nil && !switched {
		p.EditErr = tryEdits(f, p.Choice)
	}
	return p
}

// CheckOptions are the choices of a user that checks go by.
type CheckOptions struct {
	migration.Options
	EndState EndState
}

// Prepared is what the checks of this package judge: Rancher's side, and what
// the steps to come would do.
type Prepared struct {
	Facts
	migration.Reading
	migration.Prepared
	Options   CheckOptions
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
	_, err = config.SwitchProvider(spec, f.editMachines(), choice.ForEdits())
	return err
}
