package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// Options are a user's choices for one migration.
type Options struct {
	migration.Options
	Namespace, Name string
	EndState        rke2checks.EndState
}

// Validate refuses values that no reading could make sense of.
func (o Options) Validate() error {
	if err := migration.OneOf("--end-state", string(o.EndState), string(rke2checks.EndAuto), string(rke2checks.EndExternal), string(rke2checks.EndOverrides)); err != nil {
		return err
	}
	if o.Name == "" {
		return migration.UsageError("flag --cluster", "no name given", "the name of a Cluster object of Rancher; `awsmigrate list` shows them")
	}
	return o.Options.Validate()
}

// Choices are those that shape the migration, by flag.
func (o Options) Choices() map[string]string {
	choices := o.Options.Choices()
	choices["--end-state"] = string(o.EndState)
	return migration.Given(choices)
}

// ofChecks are those that checks go by.
func (o Options) ofChecks() rke2checks.Options {
	return rke2checks.Options{Options: o.Options, EndState: o.EndState}
}
