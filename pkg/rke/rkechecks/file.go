package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// fileChecks returns the checks of cluster.yml.
func fileChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(judgeTrap, haveFile), Meta: verify.Meta{
			ID: "AWSM-721", Title: "no awsCloudProvider with external-aws", Category: category, Mandatory: true,
			Why:    "rke uses the in-tree provider whenever the block exists: below 1.27 it does so silently, from 1.27 on `rke up` fails",
			Source: "rancher/rke:cloudprovider/cloudprovider.go@v1.5.9, InitCloudProvider",
			Fix:    "remove awsCloudProvider",
		}},
		{Judge: requires(judgeFileProvider, haveFile, haveState), Meta: verify.Meta{
			ID: "AWSM-722", Title: "cluster.yml has the provider that the cluster runs", Category: category, Subjects: []verify.Subject{verify.Rollout}, Mandatory: true,
			Why:    "the next `rke up`, even one for another step, applies the provider of the file",
			Source: "rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider",
			Fix:    "use the cluster.yml that was applied last",
		}},
		{Judge: requires(judgeVersionSet, haveFile, haveVersion), Meta: verify.Meta{
			ID: "AWSM-723", Title: "kubernetes_version is set", Category: category,
			Mandatory: true, NoPlan: true,
			Why:    "without it rke uses its own newest version, and the first `rke up` upgrades the cluster",
			Source: "rancher/rke:cluster/defaults.go@v1.5.9, setClusterDefaults",
			Fix:    "set kubernetes_version to the version in force",
		}},
		{Judge: requires(judgeKubernetesImage, haveFile), Release: imageOnRelease, Meta: verify.Meta{
			ID: "AWSM-724", Title: "no image of Kubernetes beats kubernetes_version", Category: category,
			Why:    "system_images.kubernetes wins: an upgrade by kubernetes_version changes nothing, or half of it",
			Source: "rancher/rke1-docs:docs/upgrades/upgrades.md",
			Fix:    "remove system_images.kubernetes",
		}},
		{Judge: requires(judgeOtherWork, haveFile), Meta: verify.Meta{
			ID: "AWSM-725", Title: "`rke up` applies the configuration", Category: category,
			Mandatory: true, LiveOnly: true,
			Why:    "with rotate_certificates, rotate_encryption_key or restore in the file `rke up` does that instead",
			Source: "rancher/rke:cmd/up.go@v1.5.9, ClusterUp",
			Fix:    "remove these keys",
		}},
		{Judge: requires(judgePending, haveFile, haveState), Meta: verify.Meta{
			ID: "AWSM-727", Title: "cluster.yml holds no changes that were not applied", Category: category, Subjects: []verify.Subject{verify.Rollout}, LiveOnly: true,
			Why:    "the `rke up` of a run would apply them, too, and their failure would look like one of the migration",
			Source: "rancher/rke:cmd/up.go@v1.5.9, ClusterInit",
			Fix:    "run `rke up` yourself first, or take --include-pending",
		}},
		{Judge: requires(judgeLocalState, haveState), Meta: verify.Meta{
			ID: "AWSM-728", Title: "the state file next to cluster.yml is the cluster's", Category: category,
			Mandatory: true, LiveOnly: true,
			Why:    "without it rke assumes a new or legacy cluster; an old one restores old certificates and nodes",
			Source: "rancher/rke:cmd/common.go and cluster/state.go@v1.5.9",
			Fix:    "run `rke util get-state-file`",
		}},
		{Judge: requires(func(p Prepared) []verify.Finding { return verify.FindingOf(p.EditErr) }, haveFile), Meta: rules.Edits().Vary(verify.Variant{
			LiveOnly: true,
			Applies:  position.BeforeSwitch(),
			Why:      "awsmigrate does not edit a file if it would have to change other lines",
			Source:   "pkg/rke/clusterfile",
			Fix:      "see the finding",
		})},
		{Judge: requires(judgeServiceOverride, haveFile), Meta: verify.Meta{
			ID: "AWSM-730", Title: "rke can write the cloud config", Category: category, Mandatory: true,
			Why:    "rke's writer of cloud configs knows no maps: with a service_override in awsCloudProvider every `rke up` fails before it does anything",
			Source: "rancher/rke:cloudprovider/aws/aws.go@v1.5.9, GenerateCloudConfigFile; `rke up --init` of v1.5.9 was run",
			Fix:    "write the cloud config as customCloudProvider",
		}},
		{Judge: requires(judgeOtherProviders, haveFile), Meta: verify.Meta{
			ID: "AWSM-732", Title: "no other provider's options exist with aws", Category: category, Mandatory: true,
			Why:    "rke writes the cloud config of the last provider with options, under the name aws: the in-tree provider and the CCM would get another cloud's configuration",
			Source: "rancher/rke:cloudprovider/cloudprovider.go@v1.5.9, InitCloudProvider",
			Fix:    "remove the other provider's block",
		}},
	}
}
