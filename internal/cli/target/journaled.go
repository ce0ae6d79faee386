package target

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// Journaled are the flags that name a cluster whose journal is read.
type Journaled struct {
	reachFlags
	config string
}

// Register adds the flags.
func (t *Journaled) Register(flags *pflag.FlagSet) {
	flags.StringVar(&t.cluster, "cluster", "", "read the journal of this cluster in Rancher: the name of its Cluster object; of an RKE cluster its id (c-xxxxx) or name")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "namespace of the Cluster object")
	flags.StringVar(&t.config, "config", "", "read the journal of the RKE cluster of this cluster.yml")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "with --cluster: kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config); with --config: of the cluster (default: kube_config_<file> beside it)")
	flags.StringVar(&t.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster itself (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// Given says whether a cluster was named, or a way to one.
func (t *Journaled) Given() bool {
	return t.cluster != "" || t.config != "" || t.kubeconfig != "" || t.kubeContext != "" || t.downstreamKubeconfig != ""
}

// Open connects to the cluster, read-only, and proves that it is the one named.
func (t *Journaled) Open(ctx context.Context, out Output) (*session.Session, error) {
	switch {
	case t.cluster != "" && t.config != "":
		return nil, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.config != "":
		return t.open(ctx, out, t.asRKE())
	case t.cluster == "":
		return nil, fault.AsUsage(errors.New("no cluster is named: wanted FILE, --cluster NAME or --config cluster.yml"))
	}
	asRKE2 := &RKE2{}
	asRKE2.Register(pflag.NewFlagSet("", pflag.ContinueOnError)) // for the defaults of what shapes a migration
	asRKE2.target = t.reachFlags
	found, err := t.open(ctx, out, asRKE2)
	// Rancher mirrors what it has by another kind of object, without a configuration.
	if fault.HasReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher, config.ReasonNotProvisioned) {
		second, rkeErr := t.open(ctx, out, t.asRKE())
		if !fault.HasReason(rkeErr, migration.ReasonClusterNotFound, migration.ReasonNotRancher, managed.ReasonNotRKE) {
			return second, rkeErr
		}
	}
	return found, err
}

func (t *Journaled) open(ctx context.Context, out Output, flags Flags) (*session.Session, error) {
	s, _, err := Open(ctx, flags, out, session.ReadOnly)
	return s, err
}

func (t *Journaled) asRKE() *RKE {
	f := &RKE{}
	f.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	f.Config, f.cluster, f.kubeconfig, f.kubeContext = t.config, t.cluster, t.kubeconfig, t.kubeContext
	f.downstreamKubeconfig, f.requestTimeout = t.downstreamKubeconfig, t.requestTimeout
	return f
}
