package target

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// partial is a cluster of which these credentials may not read all that its
// procedure needs. What they may is judged; the rest is unknown and never ok.
func (t *Audited) partial(config *rest.Config, d wellknown.Distribution, options migration.Options, own []verify.Bound, why error) Source {
	name := migration.OrElse(t.cluster, t.config)
	return &apiSource{api: audit.APIOnly{Config: config, Clock: clock.RealClock{}, Options: options, Distribution: d},
		name: name, clock: clock.RealClock{}, own: own,
		note: "partly visible; whether this is the cluster of that name is not proven: " + why.Error()}
}

func unjudged(metas []verify.Meta, why error) []verify.Bound {
	return verify.Unjudged(metas, "could not look: "+why.Error())
}

// openPartial is RKE2 whose Rancher may not be read.
func (t *Audited) openPartial(ctx context.Context, options migration.Options, why error) (Source, error) {
	clients, err := t.connect(ctx, ReadOnly)
	if err != nil {
		return nil, why
	}
	return t.partial(clients.DownstreamConfig, wellknown.RKE2, options, unjudged(verify.Metas(rke2checks.All()...), why), why), nil
}

// openFile is RKE with its cluster.yml, whose state is a Secret: without the right
// to read it, the file and the cluster are judged each for itself.
func (t *Audited) openFile(ctx context.Context, out Output, options migration.Options) (Source, error) {
	flags := t.rke("")
	whole, err := opened(flags.Open(ctx, out, ReadOnly))
	if !isReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized) {
		return whole, err
	}
	config, loadErr := reach{t.requestTimeout, ReadOnly}.load(flags.kubeconfigPath(), t.kubeContext)
	if loadErr != nil {
		return nil, err
	}
	own, fileErr := rke.Partial(ctx, rke.Options{Options: options, Config: t.config, RKEBinary: t.rkeBinary}, err)
	if fileErr != nil {
		return nil, fileErr
	}
	return t.partial(config, wellknown.RKE, options, own, err), nil
}

// openManagedPartial is RKE that Rancher manages, of which Rancher shows the cluster
// and the cluster does not show its state.
func (t *Audited) openManagedPartial(ctx context.Context, options migration.Options, why error) (Source, error) {
	to := reach{t.requestTimeout, ReadOnly}
	management, err := to.load(t.kubeconfig, t.kubeContext)
	if err != nil {
		return nil, why
	}
	client, err := dynamic.NewForConfig(management)
	if err != nil {
		return nil, why
	}
	cluster, err := managed.Find(ctx, client, t.cluster)
	if err != nil {
		return nil, why
	}
	config, err := t.rke(t.cluster).managedDownstream(management, cluster, to)
	if err != nil {
		return nil, why
	}
	return t.partial(config, wellknown.RKE, options, unjudged(verify.Metas(rkechecks.All()...), why), why), nil
}
