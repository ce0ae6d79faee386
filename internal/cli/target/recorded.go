package target

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Recorded holds the flags that name a cluster to watch.
type Recorded struct{ reach }

// Register adds the flags, and those of into.
func (t *Recorded) Register(flags *pflag.FlagSet, into ...any) {
	Define(flags, options.Record, append(into, &t.reach)...)
}

// Timeout returns the timeout of one request.
func (t *Recorded) Timeout() time.Duration { return t.RequestTimeout }

// Reach returns the connection to the cluster's API server, and the cluster's name.
func (t *Recorded) Reach(ctx context.Context) (cluster session.Watched, name string, err error) {
	c := clock.RealClock{}
	switch {
	case t.Cluster != "" && t.Config != "":
		return cluster, "", fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.Config != "":
		cluster, err = session.ToWatch(ctx, t.rke(), c)
		return cluster, t.Config, err
	case t.Cluster != "":
		cluster, err = byName(
			func() (session.Watched, error) { return session.ToWatch(ctx, t.rke2(), c) },
			func() (session.Watched, error) { return session.ToWatch(ctx, t.rke(), c) })
		return cluster, t.Cluster, err
	case t.Kubeconfig == "" && t.Context == "":
		return cluster, "", noCluster("--cluster NAME, --config cluster.yml or --kubeconfig FILE")
	}
	target := session.Target{Kind: session.APIOnly, Name: kubeconfig.ContextName(t.Kubeconfig, t.Context), Server: kubeconfig.Server(t.Kubeconfig, t.Context), RequestTimeout: t.RequestTimeout}
	cluster, err = session.ToWatch(ctx, target, c)
	return cluster, target.Name, err
}
