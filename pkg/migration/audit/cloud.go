package audit

import (
	"cmp"
	"context"
	"slices"

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

// iamActions returns the IAM actions that the planned CCM needs, with those of the CCM that an
// upgrade installs. It returns all of any image if the version matrix has no image for the
// Kubernetes version, and none for an image that cannot be read.
func iamActions(o migration.Options, version string) []string {
	var names []string
	for _, version := range []string{version, cmp.Or(o.KubernetesVersion, version)} {
		image := awsccm.Image{}
		if reference, err := awsccm.ImageFor(version); err == nil || o.CCMImage != "" {
			if image, err = awsccm.ParseImage(cmp.Or(o.CCMImage, reference)); err != nil {
				return nil
			}
		}
		for _, action := range awsccm.IAMActions(image, o.CloudRoutes == "on") {
			names = append(names, action.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
