package target

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Recorded are the flags that name a cluster to watch.
type Recorded struct {
	reachFlags
	config string
}

// Register adds the flags.
func (t *Recorded) Register(flags *pflag.FlagSet) {
	flags.StringVar(&t.cluster, "cluster", "", "cluster in Rancher: the name of its Cluster object; of an RKE cluster its id (c-xxxxx) or name")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "namespace of the Cluster object")
	flags.StringVar(&t.config, "config", "", "cluster.yml of an RKE cluster")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster to record; with --cluster: of the one Rancher runs in (default there: $KUBECONFIG, then ~/.kube/config); with --config the default is kube_config_<file> beside it")
	flags.StringVar(&t.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster itself (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// Timeout bounds one request.
func (t *Recorded) Timeout() time.Duration { return t.requestTimeout }

// Reach finds the way to the cluster's API server, and what it is called.
func (t *Recorded) Reach(ctx context.Context) (cluster session.Watched, name string, err error) {
	c := clock.RealClock{}
	rke := &RKE{Config: t.config, cluster: t.cluster, kubeconfig: t.kubeconfig, kubeContext: t.kubeContext,
		downstreamKubeconfig: t.downstreamKubeconfig, requestTimeout: t.requestTimeout}
	switch {
	case t.cluster != "" && t.config != "":
		return cluster, "", fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.config != "":
		cluster, err = session.ToWatch(ctx, rke.target(), c)
		return cluster, t.config, err
	case t.cluster != "":
		cluster, err = byName(
			func() (session.Watched, error) { return session.ToWatch(ctx, t.rke2(), c) },
			func() (session.Watched, error) { return session.ToWatch(ctx, rke.target(), c) })
		return cluster, t.cluster, err
	case t.kubeconfig == "" && t.kubeContext == "":
		return cluster, "", fault.AsUsage(errors.New("no cluster is named: wanted --cluster NAME, --config cluster.yml or --kubeconfig FILE"))
	}
	target := session.Target{Kind: session.APIOnly, Name: contextName(t.kubeconfig, t.kubeContext), Server: kubeconfig(t.kubeconfig, t.kubeContext), RequestTimeout: t.requestTimeout}
	cluster, err = session.ToWatch(ctx, target, c)
	return cluster, target.Name, err
}
