package cli

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// partly is a cluster of which these credentials may not read all that its
// procedure needs. What they may is judged; the rest is unknown and never ok.
func (t *verifyTarget) partly(config *rest.Config, d wellknown.Distribution, options migration.Options, own []verify.Bound, why error) source {
	name := migration.OrElse(t.cluster, t.config)
	return &plainSource{plain: migration.Plain{Config: config, Clock: clock.RealClock{}, Options: options, Distribution: d},
		name: name, clock: clock.RealClock{}, own: own,
		note: "partly visible; whether this is the cluster of that name is not proven: " + why.Error()}
}

func unjudged(metas []verify.Meta, why error) []verify.Bound {
	return verify.Unjudged(metas, "could not look: "+why.Error())
}

// openPartly is RKE2 whose Rancher may not be read.
func (t *verifyTarget) openPartly(ctx context.Context, options migration.Options, why error) (source, error) {
	clients, err := t.connect(ctx, readOnly)
	if err != nil {
		return nil, why
	}
	return t.partly(clients.DownstreamConfig, wellknown.RKE2, options, unjudged(verify.Metas(rke2.Checks()...), why), why), nil
}

// openFile is RKE with its cluster.yml, whose state is a Secret: without the right
// to read it, the file and the cluster are judged each for itself.
func (t *verifyTarget) openFile(ctx context.Context, a *app, options migration.Options) (source, error) {
	flags := t.rke("")
	whole, err := opened(flags.open(ctx, a, readOnly))
	if !isReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized) {
		return whole, err
	}
	config, loadErr := reach{t.requestTimeout, readOnly}.load(flags.kubeconfigPath(), t.kubeContext)
	if loadErr != nil {
		return nil, err
	}
	own, fileErr := rke.Partly(ctx, rke.Options{Options: options, Config: t.config, RKEBinary: t.rkeBinary}, err)
	if fileErr != nil {
		return nil, fileErr
	}
	return t.partly(config, wellknown.RKE, options, own, err), nil
}

// openManagedPartly is RKE that Rancher manages, of which Rancher shows the cluster
// and the cluster does not show its state.
func (t *verifyTarget) openManagedPartly(ctx context.Context, options migration.Options, why error) (source, error) {
	to := reach{t.requestTimeout, readOnly}
	management, err := to.load(t.kubeconfig, t.kubeContext)
	if err != nil {
		return nil, why
	}
	client, err := dynamic.NewForConfig(management)
	if err != nil {
		return nil, why
	}
	cluster, err := rke.FindManaged(ctx, client, t.cluster)
	if err != nil {
		return nil, why
	}
	config, err := t.rke(t.cluster).managedDownstream(management, cluster, to)
	if err != nil {
		return nil, why
	}
	return t.partly(config, wellknown.RKE, options, unjudged(verify.Metas(rkechecks.All()...), why), why), nil
}
