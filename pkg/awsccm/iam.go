package awsccm

import (
	"sort"

	"github.com/Masterminds/semver/v3"
)

// Purpose is the purpose of an AWS action.
type Purpose string

const (
	// ForNodes marks actions that find the instance of a node.
	ForNodes Purpose = "nodes"
	// ForLoadBalancers marks actions for Services of type LoadBalancer.
	ForLoadBalancers Purpose = "load balancers"
	// ForRoutes marks actions for pod routes in the VPC.
	ForRoutes Purpose = "routes"
)

// Action is an AWS action that the controller manager calls.
type Action struct {
	Name string // "ec2:DescribeInstances"
	For  Purpose
}

// IAMActions returns the actions that an image calls in code that a running controller manager
// reaches, sorted by name. Volumes are omitted: the controller manager has no volume controller.
// Routes are included only if it maintains them. An image without a version in its tag gets the
// longest list.
//
// Source: the calls in kubernetes/cloud-provider-aws:pkg/providers/v1 at v1.22.8 to v1.27.10.
// DescribeAvailabilityZones is called since v1.26.1.
func IAMActions(img Image, routes bool) []Action {
	list := []Action{{"ec2:DescribeInstances", ForNodes}}
	for _, name := range loadBalancerActions() {
		list = append(list, Action{name, ForLoadBalancers})
	}
	if v, ok := img.Version(); !ok || !v.LessThan(semver.New(1, 26, 1, "", "")) {
		list = append(list, Action{"ec2:DescribeAvailabilityZones", ForLoadBalancers})
	}
	if routes {
		for _, name := range []string{"ec2:CreateRoute", "ec2:DeleteRoute", "ec2:ModifyInstanceAttribute"} {
			list = append(list, Action{name, ForRoutes})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func loadBalancerActions() []string {
	return []string{
		"ec2:AuthorizeSecurityGroupIngress",
		"ec2:CreateSecurityGroup",
		"ec2:CreateTags",
		"ec2:DeleteSecurityGroup",
		"ec2:DescribeRouteTables",
		"ec2:DescribeSecurityGroups",
		"ec2:DescribeSubnets",
		"ec2:DescribeVpcs",
		"ec2:RevokeSecurityGroupIngress",
		"elasticloadbalancing:AddTags",
		"elasticloadbalancing:ApplySecurityGroupsToLoadBalancer",
		"elasticloadbalancing:AttachLoadBalancerToSubnets",
		"elasticloadbalancing:ConfigureHealthCheck",
		"elasticloadbalancing:CreateListener",
		"elasticloadbalancing:CreateLoadBalancer",
		"elasticloadbalancing:CreateLoadBalancerListeners",
		"elasticloadbalancing:CreateLoadBalancerPolicy",
		"elasticloadbalancing:CreateTargetGroup",
		"elasticloadbalancing:DeleteListener",
		"elasticloadbalancing:DeleteLoadBalancer",
		"elasticloadbalancing:DeleteLoadBalancerListeners",
		"elasticloadbalancing:DeleteTargetGroup",
		"elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
		"elasticloadbalancing:DeregisterTargets",
		"elasticloadbalancing:DescribeListeners",
		"elasticloadbalancing:DescribeLoadBalancerAttributes",
		"elasticloadbalancing:DescribeLoadBalancerPolicies",
		"elasticloadbalancing:DescribeLoadBalancers",
		"elasticloadbalancing:DescribeTargetGroups",
		"elasticloadbalancing:DescribeTargetHealth",
		"elasticloadbalancing:DetachLoadBalancerFromSubnets",
		"elasticloadbalancing:ModifyListener",
		"elasticloadbalancing:ModifyLoadBalancerAttributes",
		"elasticloadbalancing:ModifyTargetGroup",
		"elasticloadbalancing:RegisterInstancesWithLoadBalancer",
		"elasticloadbalancing:RegisterTargets",
		"elasticloadbalancing:SetLoadBalancerPoliciesForBackendServer",
		"elasticloadbalancing:SetLoadBalancerPoliciesOfListener",
		"iam:CreateServiceLinkedRole",
	}
}
