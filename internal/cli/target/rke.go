package target

import (
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
)

// RKE holds the flags of a command for clusters of RKE.
type RKE struct {
	reach
	set   *pflag.FlagSet
	scope options.Scope
}

// Register adds the flags.
func (f *RKE) Register(flags *pflag.FlagSet) { f.register(flags, options.RKE) }

// RegisterUndo adds the flags of an undo.
func (f *RKE) RegisterUndo(flags *pflag.FlagSet) { f.register(flags, options.UndoRKE) }

func (f *RKE) register(flags *pflag.FlagSet, scope options.Scope) {
	f.set, f.scope = flags, scope
	Define(flags, scope, &f.reach)
}

// Asked implements Flags.
func (f *RKE) Asked(out Output) (Asked, error) {
	choices, err := readChoices(f.set, options.RKE)
	location := f.location()
	return Asked{Target: location.rke(), Words: location.rkeWords().withTyped(f.set, f.scope).by(out.Program),
		Options: session.Options{Choices: choices, Actor: Actor(), Live: out.Err}}, err
}

// location returns the flags. If a cluster is named, it omits a cluster.yml from the environment.
func (f *RKE) location() reach {
	location := f.reach
	if location.Cluster != "" && !f.set.Changed("config") {
		location.Config = ""
	}
	return location
}

// Offline returns the options for a judgement of cluster.yml alone.
func (f *RKE) Offline(out Output) (rke.Options, error) {
	asked, err := f.Asked(out)
	if err != nil {
		return rke.Options{}, err
	}
	choices := asked.Options.OfRKE(f.location().rke())
	return choices, choices.Validate()
}

// Check implements Checked.
func (f *RKE) Check() error {
	asked, err := f.Asked(Output{})
	if err != nil {
		return err
	}
	return f.location().rke().Validate(asked.Options)
}
