package target

import (
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
)

// Management are the flags by which the cluster that Rancher runs in is reached.
type Management struct {
	kubeconfig, kubeContext string
	RequestTimeout          time.Duration
}

// Register adds the flags.
func (m *Management) Register(flags *pflag.FlagSet) {
	flags.StringVar(&m.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config, then the pod's service account)")
	flags.StringVar(&m.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.DurationVar(&m.RequestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// Config is the configuration that they come to.
func (m *Management) Config() (*rest.Config, error) {
	return kubeconfig(m.kubeconfig, m.kubeContext).Load()
}
