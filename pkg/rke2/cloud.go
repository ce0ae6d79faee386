package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// readCloud asks EC2 and IAM about the nodes' instances and roles.
func (p *Procedure) readCloud(ctx context.Context, facts downstream.Facts) cloud.Facts {
	options := aws.Options{Mode: aws.Mode(p.options.AWS), Region: p.options.Region, Profile: p.options.Profile,
		AssumeRole: p.options.AssumeRole, Actions: p.iamActions()}
	return aws.Read(ctx, facts.Nodes.Value, options)
}

// iamActions are those that the CCM to be installed needs.
func (p *Procedure) iamActions() []string {
	reference := p.options.CCMImage
	if reference == "" {
		var err error
		if reference, err = awsccm.ImageFor(p.view.Cluster.Spec.KubernetesVersion); err != nil {
			return nil
		}
	}
	image, err := awsccm.ParseImage(reference)
	if err != nil {
		return nil
	}
	var names []string
	for _, action := range awsccm.IAMActions(image, p.options.CloudRoutes == "on") {
		names = append(names, action.Name)
	}
	return names
}
