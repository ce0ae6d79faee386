package rke2checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Prepare returns the input of the checks: the facts, and the end state and edits that follow
// from them.
func Prepare(f rancher.Facts, r migration.Reading, made migration.Prepared, o Options, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = EndStateOf(f, switched, o.EndState, r.Down.Nodes)
	if p.ChoiceErr == nil && !switched {
		p.EditErr = tryEdits(f, p.Choice)
		p.switchTo = p.Choice.State
	}
	return p
}

// Options holds the options of a user that affect checks.
type Options struct {
	migration.Options
	EndState EndState
}

// Prepared holds the input of the checks: Rancher's side, and the outcome of the pending
// edits.
type Prepared struct {
	rancher.Facts
	migration.Reading
	migration.Prepared
	Options   Options
	Choice    EndStateChoice
	ChoiceErr error
	EditErr   error // why a pending edit cannot be computed, or nil

	switchTo EndState // end state of the pending switch, or empty
}

// tryEdits returns an error if one of the two edits cannot be computed. It writes nothing.
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
