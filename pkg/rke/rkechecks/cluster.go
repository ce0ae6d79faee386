package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// clusterChecks returns the checks of the cluster and its rollouts.
func clusterChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(judgeWindow, haveVersion), Meta: rules.VersionWindow().Vary(verify.Variant{
			Unsupported: true,
			Applies:     position.BeforeSwitch(),
			Why:         "before 1.22 the flag stops the component or needs a file; from 1.27 rke refuses the provider aws",
			Source:      "k8s.io/controller-manager:pkg/leadermigration/options; rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider",
			Fix:         "upgrade to 1.22–1.26 first",
		})},
		{Judge: requires(judgeWindows, haveNodes), Meta: verify.Meta{
			ID: "AWSM-702", Title: "no node runs Windows", Category: category,
			Mandatory: true, Unsupported: true,
			Why:    "Windows nodes have arguments of their own, and no rke-tools that ask for a name: they would be renamed",
			Source: "rancher/rke:hosts/hosts.go@v1.5.9, GetExtraArgs; rancher/rke-tools:windows",
			Fix:    "remove the Windows nodes",
		}},
		{Judge: requires(judgeProvider, haveVersion), Meta: rules.InTreeProvider().Vary(verify.Variant{
			Unsupported: true,
			Applies:     position.BeforeSwitch(),
			Why:         "a cluster without the in-tree AWS provider has nothing to hand over",
			Source:      "rancher/rke:cluster/state.go@v1.5.9: the stored name is the resolved one",
			Fix:         "use a cluster whose cloud_provider is aws",
		})},
		{Judge: requires(judgeMembership, haveHosts, haveNodes), Meta: verify.Meta{
			ID: "AWSM-704", Title: "cluster.yml and the cluster have the same nodes", Category: category, Mandatory: true,
			Why:    "rke only changes the machines of cluster.yml: any other Node keeps its in-tree kubelet",
			Source: "rancher/rke:k8s/node.go@v1.5.9, GetNode",
			Fix:    "add the missing node to cluster.yml, or delete the Node whose machine is gone",
		}},
		{Judge: requires(judgeMembers, haveHosts), Meta: rules.Members()},
		{Judge: requires(judgeZones, haveHosts, haveNodes), Meta: rules.MemberZones()},
		{Judge: requires(judgeUnavailable, haveFile, haveHosts), Meta: rules.Concurrency().Vary(verify.Variant{
			Why:    "with max_unavailable_controlplane above 1 several restart together, and with them every candidate for the lease",
			Source: "rancher/rke:services/node_util.go@v1.5.9",
			Fix:    "set upgrade_strategy.max_unavailable_controlplane to 1",
		})},
		{Judge: requires(judgeDrain, haveFile), Meta: rules.Drain().Vary(verify.Variant{
			Why:    "upgrade_strategy.drain evicts the pods of every node at each `rke up`, control planes included",
			Source: "rancher/rke:services/controlplane.go@v1.5.9",
			Fix:    "set upgrade_strategy.drain to false for the migration",
		})},
		{Judge: requires(func(p Prepared) []verify.Finding { return verify.FindingOf(p.RestErr) }, haveNodes), Meta: rules.Rest().Vary(verify.Variant{
			Why:    "rke rolls nodes that are not Ready first, all at once, and a control plane that is down comes back without the flag",
			Source: "rancher/rke:cluster/cluster.go@v1.5.9, UpgradeControlPlane",
			Fix:    "wait until every node is Ready, or fix the named nodes",
		})},
		{Judge: judgeLife, Meta: verify.Meta{
			ID: "AWSM-710", Title: "RKE's end of life is known", Category: category,
			Why:    "RKE has been out of support since 31 July 2025; the migration is still worth it, as 1.27 has no in-tree provider",
			Source: "rancher/rke1-docs:src/theme/DocVersionBanner",
			Fix:    "plan the migration to RKE2",
		}},
	}
}
