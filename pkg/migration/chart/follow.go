package chart

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ImageDue reports whether every kubelet runs the target version while the CCM still has the
// old image. The CCM must not be newer than the API servers, so its update comes after
// theirs. ImageDue returns an error if no image is known.
func (c Chart) ImageDue(ctx context.Context, snap migration.Snapshot) (bool, error) {
	ccm, there := snap.Reading.Down.CCMContainer()
	if !there || !snap.AtTarget(c.Options.KubernetesVersion) {
		return false, nil
	}
	image, err := c.image(ctx, snap)
	return err == nil && ccm.Image != image, err
}

// FollowImage updates the CCM once the update is due and the cluster is at rest. The last
// kubelet runs the target version before Rancher has finished with its machine.
func (c Chart) FollowImage(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if due, err := c.ImageDue(ctx, snap); err != nil || !due || len(snap.Reading.AllPending()) > 0 {
		return err
	}
	return c.Apply(ctx, tx, snap, snap.Reading.CCMEvidence().Migration)
}

// JudgeImage returns the verdict on the CCM's update: its image, then its rolling update.
func (c Chart) JudgeImage(ctx context.Context, snap migration.Snapshot) (runner.Verdict, error) {
	due, err := c.ImageDue(ctx, snap)
	switch {
	case err != nil:
		return runner.Verdict{}, err
	case due:
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager of the new version", Seen: "the old image is installed", Progress: "image"}, nil
	}
	return c.JudgeRolled(ctx, snap)
}

// image returns the image that the chart would install now.
func (c Chart) image(ctx context.Context, snap migration.Snapshot) (string, error) {
	_, values, err := c.Values(ctx, snap, snap.Reading.CCMEvidence().Migration)
	return values.Image.String(), err
}

// Outdated returns the tag of the CCM and that of its image for the API servers, if the CCM is of
// an older minor version than the oldest of them: another tool upgraded the cluster, or a run
// ended before the CCM's update. ok is false if the image is unknown, which AWSM-607 reports,
// or if another tool installed the CCM.
func Outdated(s migration.Snapshot, o migration.Options) (running, wanted string, ok bool) {
	container, there := s.Reading.Down.CCMContainer()
	if !there || !s.Switched() || s.Reading.Down.CCM.Owner != helmOwner || s.InstallMethod != s.Reading.InstalledAs {
		return "", "", false
	}
	oldest, newest := s.Reading.ServerVersions()
	have, err := awsccm.ParseImage(container.Image)
	if err != nil {
		return "", "", false
	}
	image, err := ccmchart.EffectiveImage(ccmchart.Inputs{KubernetesVersion: oldest, NewestVersion: newest, Image: o.CCMImage, UserValues: o.Values})
	if err != nil {
		return "", "", false
	}
	old, known := have.Version()
	then, named := image.Version()
	return have.Tag, image.Tag, known && named && old.Major() == then.Major() && old.Minor() < then.Minor()
}

// helmOwner marks the objects of awsmigrate's release in downstream.Object.Owner.
const helmOwner = "helm " + wellknown.System + "/" + wellknown.CCM
