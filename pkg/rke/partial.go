package rke

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Partial are the checks of a cluster whose state may not be read, for the reason
// why. What cluster.yml and the binary tell by themselves is judged; all that needs
// rke's state or the Nodes beside it is unknown, and never ok. It fails where the
// file cannot be read either.
func Partial(ctx context.Context, options Options, why error) ([]verify.Bound, error) {
	file, err := clusterfile.Read(options.Config)
	if err != nil {
		return nil, err
	}
	unseen := &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: "rke's state", Seen: "could not be read", Err: why}
	p := rkechecks.Prepared{
		Facts:    rkestate.Facts{Path: options.Config, File: file, Config: file.Config(), Local: rkestate.ReadLocal(clusterfile.Disk{}, options.Config)},
		Prepared: migration.Prepared{NotPreviewed: migration.NotPreviewed}, Options: options.ofChecks(), NameErr: unseen, EditErr: unseen,
	}
	p.Binary = verify.ReadOf(rkecli.Find(ctx, options.RKEBinary, p.KubernetesVersion(), options.KubernetesVersion))
	return verify.Bind(p, rkechecks.All()...), nil
}
