package target

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/inventory/look"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Fleet are the flags that name one Rancher and all of its clusters.
type Fleet struct {
	kubeconfig, kubeContext string
	namespace               string
	requestTimeout          time.Duration
	noReach                 bool
}

// Register adds the flags.
func (f *Fleet) Register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.namespace, "namespace", "n", "", "list the clusters of this namespace alone (default: all)")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.BoolVar(&f.noReach, "no-reach", false, "read Rancher's own objects alone and ask no cluster: fast, and without positions")
	flags.DurationVar(&f.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// Rancher is what they name.
func (f *Fleet) Rancher() look.Rancher {
	return look.Rancher{Server: kubeconfig(f.kubeconfig, f.kubeContext), RequestTimeout: f.requestTimeout, Namespace: f.namespace, NoReach: f.noReach}
}

// Words name one cluster of it in a next command: by namespace and name, of RKE by its id.
func (f *Fleet) Words(distribution wellknown.Distribution, namespace, name string) Words {
	reached := reachFlags{cluster: name, namespace: namespace, kubeconfig: f.kubeconfig, kubeContext: f.kubeContext}
	if distribution == wellknown.RKE {
		reached.namespace = defaultNamespace // an id needs none
	}
	words := reached.again()
	words.Command = string(distribution)
	return words
}
