package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// Options holds what the user chose for one migration.
type Options struct {
	migration.Options
	Namespace, Name string
	EndState        rke2checks.EndState `flag:"end-state"`
}

// Validate returns an error if a value is invalid for every cluster.
func (o Options) Validate() error {
	if err := options.Validate(&o); err != nil {
		return err
	}
	if o.Name == "" {
		return migration.UsageError("flag --cluster", "no name given", "the name of a Cluster object of Rancher; `awsmigrate list` shows them")
	}
	return o.Options.Validate()
}

// Choices returns the options in the basis of a plan, by flag name.
func (o Options) Choices() map[string]string { return options.ResolveBasis(options.RKE2, &o) }

// ofChecks returns the options of the checks.
func (o Options) ofChecks() rke2checks.Options {
	return rke2checks.Options{Options: o.Options, EndState: o.EndState}
}
