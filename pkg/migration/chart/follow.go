package chart

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// ImageDue reports whether every kubelet runs the target version while the CCM still has the
// old image. The CCM must not be newer than the API servers, so its update comes after
// theirs.
func (c Chart) ImageDue(ctx context.Context, snap migration.Snapshot) bool {
	ccm, there := snap.Reading.Down.CCMContainer()
	if !there || !snap.AtTarget(c.Options.KubernetesVersion) {
		return false
	}
	image, err := c.image(ctx, snap)
	return err == nil && ccm.Image != image
}

// FollowImage updates the CCM once the update is due and the cluster is at rest. The last
// kubelet runs the target version before Rancher has finished with its machine.
func (c Chart) FollowImage(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if !c.ImageDue(ctx, snap) || len(snap.Reading.AllPending()) > 0 {
		return nil
	}
	return c.Apply(ctx, tx, snap, snap.Reading.CCMEvidence().Migration)
}

// image returns the image that the chart would install now.
func (c Chart) image(ctx context.Context, snap migration.Snapshot) (string, error) {
	_, values, err := c.Values(ctx, snap, snap.Reading.CCMEvidence().Migration)
	return values.Image.String(), err
}
