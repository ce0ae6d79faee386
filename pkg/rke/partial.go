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

// Partial returns the checks of a cluster whose state could not be read because of why. Checks
// that need rke's state or the Nodes result in unknown. The others judge cluster.yml and the
// binary. Partial returns an error if the file cannot be read.
func Partial(ctx context.Context, options Options, why error) ([]verify.Bound, error) {
	file, err := clusterfile.Read(options.Config)
	if err != nil {
		return nil, err
	}
	unread := &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: "rke's state", Seen: "could not be read", Err: why}
	p := rkechecks.Prepared{
		Facts:    rkestate.Facts{Path: options.Config, File: file, Config: file.Config(), Local: rkestate.ReadLocal(clusterfile.Disk{}, options.Config)},
		Prepared: migration.Prepared{NotPreviewed: migration.NotPreviewed}, Options: options.ofChecks(), NameErr: unread, EditErr: unread,
	}
	p.Binary = verify.ReadOf(rkecli.Find(ctx, options.RKEBinary, p.KubernetesVersion(), options.KubernetesVersion))
	return verify.Bind(p, rkechecks.All()...), nil
}
