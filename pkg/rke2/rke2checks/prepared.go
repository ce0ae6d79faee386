package rke2checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Prepare returns the input of the checks: the facts, and the end state and edits that follow
// from them.
func Prepare(f rancher.Facts, r migration.Reading, made migration.Prepared, o Options, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = EndStateOf(f, switched, o.EndState, r.Down.Nodes)
	p.end = setup{Facts: f, nodes: r.Down.Nodes}
	if p.ChoiceErr == nil && !switched {
		p.switchTo = p.Choice.State
		if p.end.Cluster.Spec, p.EditErr = editedSpec(f, p.Choice); p.EditErr != nil {
			p.end = p.setup()
		}
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
	Next      NextMachines
	EditErr   error // why a pending edit cannot be computed, or nil

	switchTo EndState // end state of the pending switch, or empty
	end      setup    // the cluster after the pending edits
}

// editedSpec returns the configuration after both edits, or an error if one of them cannot be
// computed. It writes nothing.
func editedSpec(f rancher.Facts, choice EndStateChoice) (config.Spec, error) {
	spec := f.Cluster.Spec
	first, err := edits.EnableLeaderMigration(spec, f.EditMachines())
	if err != nil {
		return spec, err
	}
	if spec, err = first.Apply(spec); err != nil {
		return spec, err
	}
	second, err := edits.SwitchProvider(spec, f.EditMachines(), choice.ForEdits())
	if err != nil {
		return spec, err
	}
	return second.Apply(spec)
}
