package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// nameChecks returns the checks of the Node names after the switch.
func nameChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(judgeNames, haveState, haveNodes), Meta: rules.Names().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "under external-aws a Node's name is its kubelet's override: one that differs registers a second Node, and the pods of the first are lost",
			Source:  "rancher/rke:cluster/plan.go@v1.5.9; rancher/rke-tools:entrypoint.sh v0.1.90–v0.1.102",
			Fix:     "upgrade within the in-tree versions, or set hostname_override",
		})},
		{Judge: requires(judgeOverrideArgs, haveFile), Meta: verify.Meta{
			ID: "AWSM-762", Title: "no service has a hostname-override for all nodes", Category: category, Mandatory: true, DecidesNames: true,
			Why:    "it overrides hostname_override and useInstanceMetadataHostname: all nodes would register under one name",
			Source: "rancher/rke:cluster/plan.go@v1.5.9",
			Fix:    "remove it",
		}},
		{Judge: requires(judgeTokens, haveState, haveNodes), Meta: verify.Meta{
			ID: "AWSM-763", Title: "rke-tools get an answer from the metadata service", Category: category, Mandatory: true, DecidesNames: true,
			Applies: position.BeforeSwitch(),
			Why:     "before v0.1.102 rke-tools ask without a token: with HttpTokens=required they use the error page as a name, and the kubelet does not start",
			Source:  "rancher/rke-tools:entrypoint.sh v0.1.96, v0.1.102",
			Fix:     "set HttpTokens=optional, or hostname_override on every node",
		}},
		{Judge: requires(judgeFound, haveHosts, haveNodes), Meta: verify.Meta{
			ID: "AWSM-764", Title: "rke finds every Node after the switch", Category: category, Mandatory: true, DecidesNames: true,
			Applies: position.BeforeSwitch(),
			Why:     "the label that rke looks for changes with the name; the InternalIP is what it looks for next, and a node it does not find stays cordoned",
			Source:  "rancher/rke:k8s/node.go@v1.5.9, GetNode; rancher/rke#3445",
			Fix:     "set internal_address to the Node's InternalIP",
		}},
		{Judge: requires(judgeVolumes, haveNodes), Meta: verify.Meta{
			ID: "AWSM-765", Title: "no volume is bound to a hostname label that changes", Category: category,
			Applies: position.BeforeSwitch(),
			Why:     "a local volume whose nodeAffinity names the old label can be mounted nowhere afterwards",
			Source:  "kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go 1.26",
			Fix:     "move the data before the migration",
		}},
	}
}
