package session

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Audit opens a target read-only and proves that it is the named cluster. If the credentials
// cannot read everything, the audit judges the readable part. The rest is unknown, never ok.
func Audit(ctx context.Context, t Target, o Options) (Source, error) {
	if t.Kind == APIOnly {
		return openAPIOnly(t, o)
	}
	s, err := Open(ctx, t, o, ReadOnly)
	switch {
	case err == nil && o.IgnoreRuns:
		return &procedureSource{session: s, clock: s.Clock, account: noAccount}, nil
	case err == nil:
		return s.Source(), nil
	}
	if !fault.HasReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized) {
		return nil, err
	}
	config, lookErr := Way(ctx, t, o.clock())
	if lookErr != nil {
		return nil, err
	}
	bound := unjudged(SideOf(t.Kind.Distribution()).Own, err)
	if t.Kind == ClusterFile { // the file can be judged without the cluster
		if bound, lookErr = rke.Partial(ctx, o.OfRKE(t), err); lookErr != nil {
			return nil, lookErr
		}
	}
	return partial(config, t, o, bound, err), nil
}

// noAccount shows no run.
func noAccount(context.Context) (*runner.Account, error) { return nil, nil }

// openAPIOnly opens a cluster through its API alone.
func openAPIOnly(t Target, o Options) (Source, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	config, err := serverDialer{t.RequestTimeout, ReadOnly, o.clock()}.config(t.Server)
	if err != nil {
		return nil, err
	}
	return &apiSource{api: audit.APIOnly{Config: config, Clock: o.clock(), Options: o.Options}, name: t.Name, clock: o.clock()}, nil
}

// partial returns the source of a cluster that can be read only in part.
func partial(config *rest.Config, t Target, o Options, own []verify.Bound, why error) Source {
	return &apiSource{api: audit.APIOnly{Config: config, Clock: o.clock(), Options: o.Options, Distribution: t.Kind.Distribution()},
		name: migration.OrElse(t.Name, t.File), clock: o.clock(), own: own,
		note: "partly visible; whether this is the cluster of that name is not proven: " + why.Error()}
}

func unjudged(metas []verify.Meta, why error) []verify.Bound {
	return verify.Unjudged(metas, "could not look: "+why.Error())
}
