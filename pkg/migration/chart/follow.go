package chart

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// ImageDue says whether every kubelet runs the target and the CCM is still of
// the old minor version: it must not be newer than the API servers, so it
// follows them.
func (c Chart) ImageDue(ctx context.Context, seen migration.Snapshot) bool {
	ccm, there := seen.Reading.Down.CCMContainer()
	if !there || !seen.AtTarget(c.Options.KubernetesVersion) {
		return false
	}
	image, err := c.image(ctx, seen)
	return err == nil && ccm.Image != image
}

// FollowImage brings the CCM to the cluster's new version once that is due and the
// cluster rests: the last kubelet runs the target before Rancher is done with it.
func (c Chart) FollowImage(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if !c.ImageDue(ctx, seen) || len(seen.Reading.AllPending()) > 0 {
		return nil
	}
	return c.Apply(ctx, tx, seen, seen.Reading.CCMEvidence().Migration)
}

// image is the image that the chart would install now.
func (c Chart) image(ctx context.Context, seen migration.Snapshot) (string, error) {
	_, values, err := c.Values(ctx, seen, seen.Reading.CCMEvidence().Migration)
	return values.Image.String(), err
}
