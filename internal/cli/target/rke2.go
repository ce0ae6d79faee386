package target

import (
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// RKE2 holds the flags of a command for clusters of RKE2.
type RKE2 struct {
	reach
	set   *pflag.FlagSet
	scope options.Scope
}

// Register adds the flags.
func (f *RKE2) Register(flags *pflag.FlagSet) { f.register(flags, options.RKE2) }

// RegisterUndo adds the flags of an undo.
func (f *RKE2) RegisterUndo(flags *pflag.FlagSet) { f.register(flags, options.UndoRKE2) }

func (f *RKE2) register(flags *pflag.FlagSet, scope options.Scope) {
	f.set, f.scope = flags, scope
	Define(flags, scope, &f.reach)
}

// Asked implements Flags.
func (f *RKE2) Asked(out Output) (Asked, error) {
	choices, err := readChoices(f.set, options.RKE2)
	return Asked{Target: f.rke2(), Unanswered: !f.set.Changed("edits"), Words: f.rke2Words().withTyped(f.set, f.scope).by(out.Program),
		Options: session.Options{Choices: choices, Actor: Actor(), Live: out.Err}}, err
}

// Check implements Checked.
func (f *RKE2) Check() error {
	asked, err := f.Asked(Output{})
	if err != nil {
		return err
	}
	if err := asked.RequireEdits(); err != nil {
		return err
	}
	return f.rke2().Validate(asked.Options)
}
