package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
)

// Options holds what the user chose for one migration.
type Options struct {
	migration.Options
	Config         string   // path of cluster.yml; empty with Cluster
	Cluster        string   // Rancher's cluster, by id or display name; empty with Config
	RKEBinary      string   `flag:"rke-binary"`      // path or name; empty: rke in PATH
	RKEArgs        []string `flag:"rke-arg"`         // passed to every `rke up`
	NoRKEUp        bool     `flag:"no-rke-up"`       // stop before each `rke up`
	IncludePending bool     `flag:"include-pending"` // apply other changes of cluster.yml, too
}

// Validate returns an error if a value is invalid for every cluster.
func (o Options) Validate() error {
	for _, arg := range o.RKEArgs {
		if arg == "--update-only" {
			return migration.UsageError("flag --rke-arg", arg, "no --update-only: it leaves the control plane out, and with it the migration")
		}
	}
	if o.HandOver {
		return migration.UsageError("flag --edits", "handoff", "apply: only the edits of a cluster of `awsmigrate rke2` can be left to another tool")
	}
	if o.Config == "" && o.Cluster == "" {
		return migration.UsageError("flags --config, --cluster", "neither given", "cluster.yml, or the name of an RKE cluster of Rancher; `awsmigrate list` shows them")
	}
	if o.Config != "" && o.Cluster != "" {
		return migration.UsageError("flags --config, --cluster", "both given", "one of them")
	}
	if o.Cluster != "" {
		if err := o.validateManaged(); err != nil {
			return err
		}
	}
	return o.Options.Validate()
}

// Choices returns the options in the basis of a plan, by flag name.
func (o Options) Choices() map[string]string { return options.ResolveBasis(options.RKE, &o) }

// targets returns the versions after an upgrade, in which Nodes must keep their names.
func (o Options) targets() []string { return targetsOf(o.KubernetesVersion) }

func targetsOf(version string) []string {
	if version == "" {
		return nil
	}
	return []string{version}
}

// ofChecks returns the options of the checks.
func (o Options) ofChecks() rkechecks.Options {
	return rkechecks.Options{Cluster: o.Cluster, KubernetesVersion: o.KubernetesVersion, NoRKEUp: o.NoRKEUp}
}

// validateManaged returns an error if an option is set that is only valid for users that run
// rke.
func (o Options) validateManaged() error {
	for _, field := range options.Fields(&o) {
		option, _ := options.Find(field.Flag, options.RKE)
		if option.NotManaged != "" && !field.Value.IsZero() {
			return migration.UsageError("flags --cluster, --"+field.Flag, "both given", option.NotManaged)
		}
	}
	return nil
}
