package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// ReadCloud asks EC2 and IAM about the nodes' instances and roles.
func (c *Core) ReadCloud(ctx context.Context, facts downstream.Facts) cloud.Facts {
	options := aws.Options{Mode: aws.Mode(c.Options.AWS), Region: c.Options.Region, Profile: c.Options.Profile,
		AssumeRole: c.Options.AssumeRole, Actions: c.iamActions()}
	return aws.Read(ctx, facts.Nodes.Value, options)
}

// iamActions are those that the CCM to be installed needs.
func (c *Core) iamActions() []string {
	reference := c.Options.CCMImage
	if reference == "" {
		var err error
		if reference, err = awsccm.ImageFor(c.Reading.Version); err != nil {
			return nil
		}
	}
	image, err := awsccm.ParseImage(reference)
	if err != nil {
		return nil
	}
	var names []string
	for _, action := range awsccm.IAMActions(image, c.Options.CloudRoutes == "on") {
		names = append(names, action.Name)
	}
	return names
}
