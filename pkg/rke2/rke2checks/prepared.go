package rke2checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Prepare computes what the checks judge besides what was read.
func Prepare(f rancher.Facts, r migration.Reading, made migration.Prepared, o Options, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = EndStateOf(f, switched, o.EndState, r.Down.Nodes)
	if p.ChoiceErr == nil && !switched {
		p.EditErr = tryEdits(f, p.Choice)
		p.switchTo = p.Choice.State
	}
	return p
}

// Options are the choices of a user that checks go by.
type Options struct {
	migration.Options
	EndState EndState
}

// Prepared is what the checks of this package judge: Rancher's side, and what
// the steps to come would do.
type Prepared struct {
	rancher.Facts
	migration.Reading
	migration.Prepared
	Options   Options
	Choice    EndStateChoice
	ChoiceErr error
	EditErr   error // an edit to come cannot be computed

	switchTo EndState // of a switch that is still to come, or empty
}

// tryEdits computes both edits, one after the other, without writing them.
func tryEdits(f rancher.Facts, choice EndStateChoice) error {
	spec := f.Cluster.Spec
	first, err := edits.EnableLeaderMigration(spec, f.EditMachines())
	if err != nil {
		return err
	}
	if spec, err = first.Apply(spec); err != nil {
		return err
	}
	_, err = edits.SwitchProvider(spec, f.EditMachines(), choice.ForEdits())
	return err
}
