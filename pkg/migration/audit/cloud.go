package audit

import (
	"cmp"
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// readBoth reads a cluster and, in parallel, its instances from EC2. It also asks EC2 about
// the instances in the fingerprint. version returns the Kubernetes version from the facts.
// It selects the CCM whose IAM actions are simulated. detail also reads the aspects of load
// balancers that need a request for each of them.
func readBoth(ctx context.Context, reader kube.Reader, o migration.Options, record journal.Record, version func(downstream.Facts) string, detail bool) (downstream.Facts, cloud.Facts) {
	instances := aws.Start(ctx, awsOptions(o))
	reader.OnNodes = instances.Add
	if before, known, err := guard.Fingerprint(record); err == nil && known {
		instances.Also(before.ProviderIDs())
	}
	facts := kube.Read(ctx, reader)
	instances.Simulate(iamActions(o, version(facts)))
	if facts.Services.OK() {
		instances.LoadBalancers(facts.Services.Value, detail)
	}
	found := instances.Facts(facts.Nodes.Value)
	if idle := withoutHealthyTarget(facts.Services.Value, found); len(idle) > 0 {
		facts.Endpoints = reader.Endpoints(ctx, idle)
	}
	return facts, found
}

func awsOptions(o migration.Options) aws.Options {
	return aws.Options{Mode: aws.Mode(o.AWS), Identity: o.AWSIdentity, Region: o.Region, Profile: o.Profile,
		AssumeRole: o.AssumeRole, ExternalID: o.ExternalID, SessionName: o.SessionName}
}

// LoadBalancers reads the Services of type LoadBalancer and, in detail, their load balancers in AWS.
// It returns an error if either could not be read.
func LoadBalancers(ctx context.Context, a migration.Access, snap migration.Snapshot) (downstream.Facts, cloud.Facts, error) {
	services, err := a.ReadServices(ctx)
	if err != nil {
		return downstream.Facts{}, cloud.Facts{}, err
	}
	facts := downstream.Facts{Nodes: verify.Got(snap.Reading.Down.Nodes), Services: verify.Got(services)}
	reader := aws.Start(ctx, awsOptions(a.Options))
	reader.LoadBalancers(services, true)
	found := reader.Facts(snap.Reading.Down.Nodes)
	switch {
	case !found.On:
		return facts, found, &fault.Error{Class: fault.CouldNotLook, Reason: "AWSOff", Object: "load balancers in AWS", Seen: "AWS was not asked: " + found.Off,
			Wanted: "the load balancers that the preflight has read", Fix: "run with the credentials of the preflight"}
	case !found.Balancers.OK():
		return facts, found, migration.CouldNotRead("load balancers in AWS", found.Balancers.Err)
	}
	return facts, found, nil
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

// withoutHealthyTarget returns the Services whose load balancer was read and has no healthy
// target.
func withoutHealthyTarget(services []downstream.Service, found cloud.Facts) []downstream.Service {
	idle := map[string]bool{}
	for _, b := range found.Balancers.Value {
		idle[b.Name] = b.Targets.OK() && !slices.ContainsFunc(b.Targets.Value, func(t cloud.Target) bool { return t.Healthy })
	}
	return slices.DeleteFunc(slices.Clone(services), func(s downstream.Service) bool { return !idle[cloud.BalancerName(s.UID)] })
}
