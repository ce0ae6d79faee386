package lbchecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// All returns the checks of load balancers in AWS.
func All() []verify.Check[evidence.Input] {
	const services = "services"
	return []verify.Check[evidence.Input]{
		{Judge: exist, Meta: verify.Meta{
			ID: "AWSM-804", Title: "the load balancer of every Service exists in AWS", Category: services,
			Why:    "the next start of a controller manager creates a missing one anew, under another host name",
			Source: "Elastic Load Balancing, DescribeLoadBalancers of both APIs; name \"a\" and the Service's UID",
			Fix:    "find out who deleted it (CloudTrail), and plan the change of the host name",
		}},
		{Judge: single, Meta: verify.Meta{
			ID: "AWSM-805", Title: "every Service has one load balancer", Category: services,
			Why:    "a controller updates one of them; the other keeps its cost, its name and its old targets",
			Source: "cloud-provider-aws pkg/providers/v1/aws.go EnsureLoadBalancer; kubernetes-sigs/aws-load-balancer-controller#3340, #4000",
			Fix:    "find out which one clients use, then delete the other in AWS",
		}},
		{Judge: tagged, Meta: verify.Meta{
			ID: "AWSM-806", Title: "load balancers are tagged for this cluster alone", Category: services,
			Why:    "another cluster's tools may take one with its tag for their own",
			Source: "Elastic Load Balancing, DescribeTags; tag kubernetes.io/cluster/CLUSTER",
			Fix:    "keep the tag kubernetes.io/cluster/CLUSTER of this cluster only",
		}},
		{Judge: healthy, Meta: verify.Meta{
			ID: "AWSM-807", Title: "load balancers have a healthy target", Category: services,
			Why:    "a Service without a healthy target is down, whatever Kubernetes shows",
			Source: "Elastic Load Balancing, DescribeTargetHealth and DescribeInstanceHealth; EndpointSlices",
			Fix:    "see why the health check fails: security groups, node ports, externalTrafficPolicy",
		}},
		{Judge: orphans, Meta: verify.Meta{
			ID: "AWSM-808", Title: "no load balancer is left over from a deleted Service", Category: services,
			Why:    "nothing in the cluster updates or deletes it",
			Source: "Elastic Load Balancing, DescribeTags; tags kubernetes.io/cluster/CLUSTER and kubernetes.io/service-name",
			Fix:    "make sure that nothing uses its host name, then delete it in AWS",
		}},
		{Judge: limits, Meta: verify.Meta{
			ID: "AWSM-809", Title: "load balancers and security groups have room under AWS's limits", Category: services,
			Why:    "a sync that exceeds a limit fails, and nodes or ports are missing from the load balancer",
			Source: "AWS quotas by default: 60 inbound rules of a security group, 500 targets of a network load balancer in a zone, 1,000 instances of a classic one",
			Fix:    "raise the quota, or use fewer load balancers on these nodes",
		}},
	}
}
