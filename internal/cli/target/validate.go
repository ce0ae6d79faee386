package target

import "github.com/spf13/pflag"

// Checked returns an error if the typed flags do not suit a run without questions. It needs no
// cluster.
type Checked interface {
	Register(flags *pflag.FlagSet)
	Check() error
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

// Check implements Checked.
func (f *RKE) Check() error {
	asked, err := f.Asked(Output{})
	if err != nil {
		return err
	}
	return f.location().rke().Validate(asked.Options)
}
