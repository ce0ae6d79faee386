package rke

import (
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
)

// Options are a user's choices for one migration.
type Options struct {
	migration.Options
	Config         string   // path of cluster.yml; "" with Cluster
	Cluster        string   // Rancher's cluster, by id or display name; "" with Config
	RKEBinary      string   // path or name; "": rke in PATH
	RKEArgs        []string // passed to every `rke up`
	NoRKEUp        bool     // stop before each `rke up`
	IncludePending bool     // apply other changes of cluster.yml, too
}

// Validate refuses values that no reading could make sense of.
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

// Choices are those that shape the migration, by flag.
func (o Options) Choices() map[string]string {
	choices := o.Options.Choices()
	choices["--rke-arg"] = strings.Join(o.RKEArgs, " ")
	for flag, given := range map[string]bool{"--no-rke-up": o.NoRKEUp, "--include-pending": o.IncludePending} {
		if given {
			choices[flag] = strconv.FormatBool(given)
		}
	}
	return migration.Given(choices)
}

// targets are the versions to come under which names must be kept.
func (o Options) targets() []string { return targetsOf(o.KubernetesVersion) }

func targetsOf(version string) []string {
	if version == "" {
		return nil
	}
	return []string{version}
}

// ofChecks are those that checks go by.
func (o Options) ofChecks() rkechecks.Options {
	return rkechecks.Options{Cluster: o.Cluster, KubernetesVersion: o.KubernetesVersion, NoRKEUp: o.NoRKEUp}
}

// validateManaged refuses what only somebody who runs rke can ask for.
func (o Options) validateManaged() error {
	for _, one := range []struct {
		flag  string
		given bool
		why   string
	}{
		{"--rke-binary", o.RKEBinary != "", "none: Rancher runs its own rke"},
		{"--rke-arg", len(o.RKEArgs) > 0, "none: Rancher runs its own rke"},
		{"--no-rke-up", o.NoRKEUp, "not with --cluster: Rancher applies an edit at once"},
		{"--include-pending", o.IncludePending, "not with --cluster: Rancher has applied what is in its Cluster object"},
		{"--etcd-snapshot", o.Snapshot, "not with --cluster: take a snapshot in Rancher first"},
	} {
		if one.given {
			return migration.UsageError("flags --cluster, "+one.flag, "both given", one.why)
		}
	}
	return nil
}
