package audit

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// readBoth reads a cluster and, in parallel, its instances from EC2. It also asks EC2 about
// the instances in the fingerprint. version returns the Kubernetes version from the facts.
// It selects the CCM whose IAM actions are simulated.
func readBoth(ctx context.Context, reader kube.Reader, o migration.Options, record journal.Record, version func(downstream.Facts) string) (downstream.Facts, cloud.Facts) {
	instances := aws.Start(ctx, aws.Options{Mode: aws.Mode(o.AWS), Identity: o.AWSIdentity, Region: o.Region, Profile: o.Profile,
		AssumeRole: o.AssumeRole, ExternalID: o.ExternalID, SessionName: o.SessionName})
	reader.OnNodes = instances.Add
	if before, known, err := guard.Fingerprint(record); err == nil && known {
		instances.Also(before.ProviderIDs())
	}
	facts := kube.Read(ctx, reader)
	instances.Simulate(iamActions(o, version(facts)))
	return facts, instances.Facts(facts.Nodes.Value)
}

// iamActions returns the IAM actions that the planned CCM needs. It returns none if the version
// matrix has no image for the Kubernetes version.
func iamActions(o migration.Options, version string) []string {
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
