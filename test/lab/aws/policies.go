package aws

import "slices"

// The roles that every Cloud starts with.
const (
	RoleControlPlane = "control-plane"
	RoleWorker       = "worker"
	RoleOperator     = "operator" // runs awsmigrate
	// RoleAdministrator administers the account, and may change what an operator may only read.
	RoleAdministrator = "administrator"
)

// DefaultPolicies returns, for each role, the actions that its policy allows.
//
// The control plane has the actions of Rancher's page "Amazon cloud provider" and those that
// the CCM's own prerequisites page adds (kubernetes/cloud-provider-aws: docs/prerequisites.md);
// RancherControlPlaneActions returns only the former. The worker has Rancher's policy for etcd
// and worker nodes.
func DefaultPolicies() map[string][]string {
	return map[string][]string{
		RoleControlPlane: append(RancherControlPlaneActions(),
			"ec2:DescribeAvailabilityZones",
			"ec2:DescribeInstanceTopology",
			"elasticloadbalancing:DeregisterTargets",
			"elasticloadbalancing:SetSecurityGroups",
		),
		RoleWorker:        workerActions(),
		RoleOperator:      operatorActions(),
		RoleAdministrator: service("*", "*"),
	}
}

// RancherControlPlaneActions returns the policy of Rancher's older page: without
// DescribeAvailabilityZones, which a CCM from v1.26.1 needs for each Service, and without
// DeregisterTargets, which removing a target of an NLB needs.
func RancherControlPlaneActions() []string {
	return slices.Concat(
		service("autoscaling", "DescribeAutoScalingGroups", "DescribeLaunchConfigurations", "DescribeTags"),
		service("ec2",
			"AttachVolume", "AuthorizeSecurityGroupIngress", "CreateRoute", "CreateSecurityGroup", "CreateTags",
			"CreateVolume", "DeleteRoute", "DeleteSecurityGroup", "DeleteVolume", "DescribeInstances", "DescribeRegions",
			"DescribeRouteTables", "DescribeSecurityGroups", "DescribeSubnets", "DescribeVolumes", "DescribeVpcs",
			"DetachVolume", "ModifyInstanceAttribute", "ModifyVolume", "RevokeSecurityGroupIngress"),
		service("elasticloadbalancing",
			"AddTags", "ApplySecurityGroupsToLoadBalancer", "AttachLoadBalancerToSubnets", "ConfigureHealthCheck",
			"CreateListener", "CreateLoadBalancer", "CreateLoadBalancerListeners", "CreateLoadBalancerPolicy",
			"CreateTargetGroup", "DeleteListener", "DeleteLoadBalancer", "DeleteLoadBalancerListeners", "DeleteTargetGroup",
			"DeregisterInstancesFromLoadBalancer", "DescribeListeners", "DescribeLoadBalancerAttributes",
			"DescribeLoadBalancerPolicies", "DescribeLoadBalancers", "DescribeTargetGroups", "DescribeTargetHealth",
			"DetachLoadBalancerFromSubnets", "ModifyListener", "ModifyLoadBalancerAttributes", "ModifyTargetGroup",
			"RegisterInstancesWithLoadBalancer", "RegisterTargets", "SetLoadBalancerPoliciesForBackendServer",
			"SetLoadBalancerPoliciesOfListener"),
		service("iam", "CreateServiceLinkedRole"),
		service("kms", "DescribeKey"),
	)
}

func workerActions() []string {
	return slices.Concat(
		service("ec2", "DescribeInstances", "DescribeRegions"),
		service("ecr",
			"GetAuthorizationToken", "BatchCheckLayerAvailability", "GetDownloadUrlForLayer", "GetRepositoryPolicy",
			"DescribeRepositories", "ListImages", "BatchGetImage"),
	)
}

// operatorActions returns the read-only rights of a person who runs an audit.
func operatorActions() []string {
	return slices.Concat(
		service("ec2", "Describe*"),
		service("elasticloadbalancing", "Describe*"),
		service("iam",
			"GetInstanceProfile", "GetRole", "GetRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies",
			"SimulatePrincipalPolicy"),
		service("sts", "AssumeRole"),
	)
}

func service(prefix string, actions ...string) []string {
	out := make([]string, 0, len(actions))
	for _, action := range actions {
		out = append(out, prefix+":"+action)
	}
	return out
}
