package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// ReadCloud asks EC2 and IAM about the nodes' instances and roles.
func (c *Core) ReadCloud(ctx context.Context, facts downstream.Facts) cloud.Facts {
	return readCloud(ctx, facts, c.Options, c.Reading.Version)
}

// iamActions are those that the CCM to be installed needs; none where the matrix
// has no image for a Kubernetes version.
func iamActions(o Options, version string) []string {
	reference := o.CCMImage
	if reference == "" {
		var err error
		if reference, err = awsccm.ImageFor(version); err != nil {
			return nil
		}
	}
	image, err := awsccm.ParseImage(reference)
	if err != nil {
		return nil
	}
	var names []string
	for _, action := range awsccm.IAMActions(image, o.CloudRoutes == "on") {
		names = append(names, action.Name)
	}
	return names
}
