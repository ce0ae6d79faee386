package target

import (
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
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
