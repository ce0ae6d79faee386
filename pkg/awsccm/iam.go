package awsccm

import (
	"maps"
	"slices"
	"sort"
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
// Source: the calls in kubernetes/cloud-provider-aws:pkg/providers/v1 at v1.22.8 to v1.36.1, and
// kubernetes/cloud-provider-aws:docs/prerequisites.md@v1.36.1. No image stops calling an action
// of the list.
func IAMActions(img Image, routes bool) []Action {
	list := []Action{{"ec2:DescribeInstances", ForNodes}}
	for _, name := range loadBalancerActions() {
		list = append(list, Action{name, ForLoadBalancers})
	}
	for _, later := range laterActions() {
		if later.calledBy(img) {
			list = append(list, later.Action)
		}
	}
	if routes {
		for _, name := range []string{"ec2:CreateRoute", "ec2:DeleteRoute", "ec2:ModifyInstanceAttribute"} {
			list = append(list, Action{name, ForRoutes})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// laterAction is an action that older images do not call.
type laterAction struct {
	Action
	// first holds the first patch release that calls it, by minor version. Later minor versions
	// than those call it in every release.
	first map[uint64]uint64
}

// laterActions returns the actions that were added after v1.22 (calls compared at every tag from
// v1.26.0 to v1.36.1). To initialize a node, images from v1.30 on need
// DescribeAvailabilityZones: its zone id becomes a label (zones.go@v1.30.0). Without
// DescribeInstanceTopology a node lacks labels (topology.go@v1.30.4). The attributes of target
// groups are read and changed only for Services with the annotation
// aws-load-balancer-target-group-attributes (aws_loadbalancer.go@v1.32.6).
func laterActions() []laterAction {
	zones := map[uint64]uint64{26: 1}
	topology := map[uint64]uint64{30: 4, 31: 2}
	attributes := map[uint64]uint64{32: 6, 33: 3}
	return []laterAction{
		{Action{"ec2:DescribeAvailabilityZones", ForLoadBalancers}, zones},
		{Action{"ec2:DescribeInstanceTopology", ForNodes}, topology},
		{Action{"elasticloadbalancing:DescribeTargetGroupAttributes", ForLoadBalancers}, attributes},
		{Action{"elasticloadbalancing:ModifyTargetGroupAttributes", ForLoadBalancers}, attributes},
	}
}

// calledBy reports whether an image calls the action.
func (a laterAction) calledBy(img Image) bool {
	v, ok := img.Version()
	if !ok || v.Major() > 1 {
		return true
	}
	if patch, listed := a.first[v.Minor()]; listed {
		return v.Patch() >= patch
	}
	return v.Minor() > slices.Max(slices.Collect(maps.Keys(a.first)))
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
