package target

import (
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/inventory/look"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Fleet holds the flags that name one Rancher and all of its clusters.
type Fleet struct {
	reach
	NoReach bool `flag:"no-reach"`
}

// Register adds the flags.
func (f *Fleet) Register(flags *pflag.FlagSet) { Define(flags, options.List, f) }

// Rancher returns the Rancher that the flags name.
func (f *Fleet) Rancher() look.Rancher {
	return look.Rancher{Server: kubeconfig.Server(f.Kubeconfig, f.Context), RequestTimeout: f.RequestTimeout, Namespace: f.Namespace, NoReach: f.NoReach}
}

// Words returns the words that name one of its clusters in a next command: namespace and name, or
// the id of RKE.
func (f *Fleet) Words(distribution wellknown.Distribution, namespace, name string) Words {
	reached := reach{Cluster: name, Namespace: namespace, Kubeconfig: f.Kubeconfig, Context: f.Context}
	if distribution == wellknown.RKE {
		reached.Namespace = defaultNamespace() // an id needs no namespace
	}
	words := reached.rke2Words()
	words.Command = string(distribution)
	return words
}

// Next returns the command that continues with a cluster or inspects it, or "". by is the program
// as the user typed it.
func (f *Fleet) Next(row inventory.Row, by Program) string {
	if row.State == inventory.None || row.State == inventory.Done {
		return ""
	}
	var words Words
	switch row.Distribution {
	case inventory.RKE2:
		words = f.Words(wellknown.RKE2, row.Namespace, row.Name)
	case inventory.RKE:
		words = f.Words(wellknown.RKE, row.Namespace, row.ID)
	default:
		return ""
	}
	words.Undoing, words.Program = row.Undoing, by
	words = words.Resuming(row.Runs)
	if row.Run.Works() {
		return words.Status() + " --watch"
	}
	switch row.State {
	case inventory.NotBegun:
		return words.Plan()
	case inventory.Begun:
		return words.Run()
	case inventory.NotAsked, inventory.Locked, inventory.Stopped, inventory.Unknown, inventory.None, inventory.Done:
	}
	return words.Status()
}
