package rke2checks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const category = "cluster"

// All returns the checks of Rancher's side of the cluster. IDs are never reused.
func All() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: judgeWindow, Meta: rules.VersionWindow().Vary(verify.Variant{
			Unsupported: true,
			Applies:     position.BeforeSwitch(),
			Why:         "before 1.22 the flag stops the component or needs a file; from 1.27 there is no in-tree provider to migrate from",
			Source:      "k8s.io/controller-manager:pkg/leadermigration/options, kubernetes/kubernetes 1.27 changelog",
			Fix:         "upgrade to 1.22–1.26 first",
		})},
		{Judge: judgeRancher, Release: judgeKnown, Meta: verify.Meta{
			ID: "AWSM-102", Title: "Rancher can roll an edit out to this version", Category: category,
			Mandatory: true, Unsupported: true,
			Why:    "a Rancher that could load no release data accepts edits and never applies them; one that only lacks this release applies them, outside its support matrix",
			Source: "rancher/rancher:pkg/channelserver/channelserver.go and pkg/capr/planner/planner.go@v2.8.5, v2.9.3, v2.12.3",
			Fix:    "let Rancher load its release data",
		}},
		{Judge: judgeProviders, Meta: rules.InTreeProvider().Vary(verify.Variant{
			Unsupported: true,
			Applies:     position.BeforeSwitch(),
			Why:         "the edits are computed only for machines with the in-tree provider aws",
			Source:      "rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addUserConfig",
			Fix:         "give every machine the in-tree provider, or take out those that have another",
		})},
		{Judge: judgeCloudConfigs, Meta: verify.Meta{
			ID: "AWSM-104", Title: "machines agree about the cloud config", Category: category, Mandatory: true,
			Applies: position.BeforeSwitch(),
			Why:     "one cloud controller manager serves all nodes and takes one cloud config",
			Source:  "rancher/rancher:pkg/capr/planner/config.go@v2.8.5",
			Fix:     "give every machine the same cloud-provider-config",
		}},
		{Judge: func(p Prepared) []verify.Finding { return verify.FindingOf(p.RestErr) }, Meta: rules.Rest().Vary(verify.Variant{
			Why:    "a machine that is down restarts with old arguments: an in-tree manager without the flag, next to the CCM",
			Source: "rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.8.5",
			Fix:    "wait until Rancher shows the cluster as Active",
		})},
		{Judge: judgeOwner, Meta: verify.Meta{
			ID: "AWSM-106", Title: "no other tool owns the Cluster object", Category: category, Mandatory: true,
			Why:    "a full revert by the Cluster's owner restores the in-tree provider, without the flag, next to a CCM; Terraform's rancher2 provider leaves no mark and is not found",
			Source: "argoproj/argo-cd#8970, rancher/fleet#1594, rancher/terraform-provider-rancher2",
			Fix:    "commit the new configuration in the tool that owns the Cluster",
		}},
		{Judge: judgeHealthChecks, Meta: verify.Meta{
			ID: "AWSM-107", Title: "machines stay the same during a restart", Category: category,
			Why: "unhealthyNodeTimeout deletes machines, instance and all, whose Node is not Ready for that long; an autoscaler adds machines that may come up with " +
				"either configuration, and removes others",
			Source: "rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5; pkg/capr/common.go@v2.15.0, ClusterAutoscalerPausedAnnotation",
			Fix:    "remove unhealthyNodeTimeout from the pool for the migration, and pause the autoscaler",
		}},
		{Judge: judgeConcurrency, Meta: rules.Concurrency().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "with concurrency 0 or above 1 several control planes restart together",
			Source:  "rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, calculateConcurrency",
			Fix:     "set upgradeStrategy.controlPlaneConcurrency to 1",
		})},
		{Judge: judgeWorkerConcurrency, Meta: verify.Meta{
			ID: "AWSM-127", Title: "a rollout leaves some workers in service", Category: category,
			Applies: position.BeforeSwitch(),
			Why:     "a Node may be not Ready for up to ten seconds after RKE2 restarts: meanwhile its pods may leave Services, and load balancers lose the machine",
			Source: "kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13, fastStatusUpdateOnce; pkg/controller/nodelifecycle; " +
				"kubernetes/cloud-provider:controllers/service/controller.go@v0.26.13, allNodePredicates",
			Fix: "set upgradeStrategy.workerConcurrency to 1, or to fewer than there are workers",
		}},
		{Judge: judgeDrain, Meta: rules.Drain().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "drain options evict pods in every rollout, and at its end uncordon nodes that an administrator had cordoned",
			Source:  "rancher/rancher:pkg/controllers/capr/machinedrain/machinedrain.go@v2.8.5",
			Fix:     "switch drain options off for the migration",
		})},
		{Judge: judgeMembers, Meta: rules.Members()},
		{Judge: judgeExplained, Meta: verify.Meta{
			ID: "AWSM-111", Title: "machines run what Rancher configured", Category: category, Subjects: []verify.Subject{verify.Rollout}, Mandatory: true,
			Why:    "a machine's own files in config.yaml.d override Rancher's, so that an edit has no effect there",
			Source: "k3s-io/k3s:pkg/nodeconfig, annotation rke2.io/node-args",
			Fix:    "remove the file on that machine, or make it agree",
		}},
		{Judge: judgeZones, Meta: rules.MemberZones()},
		{Judge: judgeEndState, Meta: rules.Names().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "under `external` a kubelet takes the operating system's host name, which no API shows: the Node registers a second time",
			Source:  "rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15, kubernetes/kubernetes:pkg/kubelet 1.26",
			Fix:     "leave out --end-state",
		})},
		{Judge: judgeArguments, Meta: rules.Arguments().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "leader election off, another lock, a migration file or fatal feature gates make the lease protect nothing or the component crash",
			Source:  "k8s.io/controller-manager 1.22–1.26, kubernetes/kubernetes feature gates",
			Fix:     "take the argument out of machineGlobalConfig or machineSelectorConfig",
		})},
		{Judge: judgeStrays, Meta: verify.Meta{
			ID: "AWSM-115", Title: "no entry of machineSelectorConfig is without effect", Category: category,
			Why:    "Rancher's documentation prints its control-plane override wrongly indented; such keys are dropped when the entry is written, and a selector without configuration is left",
			Source: "rancher/rancher-product-docs: set-up page, versions 2.8 to 2.15",
			Fix:    "indent the keys under config, or remove the entry",
		}},
		{Judge: func(p Prepared) []verify.Finding { return verify.FindingOf(p.EditErr) }, Meta: rules.Edits().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "if no location fits, an edit would drop a user's arguments or change other machines",
			Source:  "rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addUserConfig",
			Fix:     "give the machines named an entry of machineSelectorConfig of their own, with their present arguments",
		})},
		{Judge: Prepared.ChartFindings, Meta: rules.Chart().Vary(verify.Variant{
			LiveOnly: true,
			Applies:  position.BeforeInstall(),
			Why:      rules.ChartWhy,
			Source:   "helm.sh/helm/v3 ownership rules; k3s-io/helm-controller@v0.15.9",
			Fix:      rules.ChartFix,
		})},
		{Judge: Prepared.ConcernFindings, Meta: rules.ChartValues()},
		{Judge: judgeRelease, Release: func(p Prepared, release string) []verify.Finding { return frozen(p.ObjectName(), release) }, Meta: verify.Meta{
			ID: "AWSM-120", Title: "the cluster is brought to no release that freezes the arguments of static pods", Category: category,
			Mandatory: true, Unsupported: true,
			Applies: position.BeforeSwitch(),
			Why:     "on such a release the API keeps showing the first arguments of kube-controller-manager: no step of a migration could be verified",
			Source:  "rancher/rke2:pkg/staticpod/staticpod.go, v1.23.13 to v1.27.4",
			Fix:     "choose a release that shows them",
		}},
		{Judge: judgeReverted, Meta: verify.Meta{
			ID: "AWSM-121", Title: "Rancher is not about to take the cluster back in-tree", Category: category, Mandatory: true, Urgent: true,
			Why:    "an owner's revert, or a restore of Rancher, removes the flag together with the external provider: a kube-controller-manager then runs the controllers next to the cloud controller manager",
			Source: "kubernetes/kubernetes:cmd/kube-controller-manager 1.22–1.26; rancher/backup-restore-operator: charts/rancher-backup/files",
			Fix:    "restore the migrated configuration before Rancher rolls the revert out; after a restore of Rancher, pause Rancher for this cluster first",
		}},
		{Judge: judgeAPIServer, Release: atEnd(setup.refusedAPIServers), Meta: verify.Meta{
			ID: "AWSM-122", Title: "kube-apiserver starts with its cloud provider", Category: category, Mandatory: true,
			Why:    "some releases from v1.29 to v1.31 pass the provider aws on to a kube-apiserver that refuses it, and from 1.33 on the flag is gone: the API servers are lost one by one",
			Source: "kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.29.10; rancher/rke2:pkg/rke2/rke2_linux.go, v1.29.0 to v1.32.0",
			Fix:    "use a release that docs/steps/upgrade.md does not name",
		}},
		{Judge: judgeProfile, Release: atEnd(setup.refusedProfiles), Meta: verify.Meta{
			ID: "AWSM-123", Title: "RKE2 starts with its profile", Category: category, Mandatory: true,
			Why:    "RKE2 exits at a profile that it does not know, on every machine: cis-1.5 and cis-1.6 from 1.25 on, cis-1.23 from 1.30 on",
			Source: "rancher/rke2:pkg/cli/cmds/profile_linux.go, validateProfile, and pkg/rke2/rke2.go, isCISMode; v1.22 to v1.36.3",
			Fix:    "set a profile that the release knows",
		}},
		{Judge: judgeOwnController, Release: atEnd(setup.ownControllers), Meta: verify.Meta{
			ID: "AWSM-124", Title: "RKE2's own cloud controller is disabled on every server", Category: category, Mandatory: true,
			Applies: position.Switched(),
			Why:     "from 1.36 on RKE2 starts its own cloud controller next to a provider name: two cloud controllers initialize the Nodes",
			Source:  "rancher/rke2:pkg/rke2/rke2_linux.go@v1.35.7+rke2r1, v1.36.0+rke2r1, DisableCCM",
			Fix:     "set disable-cloud-controller: true for every server",
		}},
		{Judge: judgeMetadataNames, Release: atEnd(setup.renamed), Meta: verify.Meta{
			ID: "AWSM-125", Title: "later releases keep the Nodes' names", Category: category, Mandatory: true, DecidesNames: true,
			Applies: position.WithCCM(),
			Why:     "from v1.29.11, v1.30.7 and v1.31.3 on the provider aws names a Node by its metadata service, over its node-name: another name registers a second Node",
			Source:  "rancher/rke2:pkg/rke2/rke2_linux.go@v1.29.10+rke2r1, v1.29.11+rke2r1, CloudProviderMetadataHostname",
			Fix:     "replace the machine; or use the provider external, if every Node has an explicit node-name",
		}},
		{Judge: judgeRefused, Release: atEnd(setup.refusedArguments), Meta: verify.Meta{
			ID: "AWSM-126", Title: "every component knows its arguments", Category: category, Mandatory: true,
			Why:    "a component exits at a flag, a value or a feature gate that its minor version does not take, and an upgrade from 1.26 has no way back",
			Source: "kubernetes/kubernetes:cmd/*/app and pkg/features of every minor version from 1.22 to 1.36",
			Fix:    "remove the argument",
		}},
		{Judge: judgeNextMachines, Meta: verify.Meta{
			ID: "AWSM-316", Title: "the CCM can initialize the next machine of every pool", Category: "nodes",
			Why:    "a machine that joins after the switch has no ProviderID: the CCM must find its instance by name and tag, or its taint stays and no pod runs there",
			Source: "kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14, findInstanceByNodeName; rancher/machine:drivers/amazonec2 and commands/create.go@a057776c; rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15+rke2r1",
			Fix:    "correct the machine pool's template, or add a pool with a correct one; at a changed template Rancher replaces every machine of the pool",
		}},
	}
}

func judgeEndState(p Prepared) []verify.Finding {
	if p.ChoiceErr != nil {
		return verify.FindingOf(p.ChoiceErr)
	}
	return []verify.Finding{{Status: verify.OK, Seen: fmt.Sprintf("%s: %s", p.Choice.State, p.Choice.Why)}}
}

func judgeCloudConfigs(p Prepared) []verify.Finding {
	return verify.FindingOf(config.Agree(p.ObjectName(), config.KeyCloudConfig, config.CloudConfigs(p.Cluster.Spec, p.Configs())))
}

// Metas returns the descriptions of all checks of an RKE2 migration; it needs no cluster.
func Metas() []verify.Meta {
	return audit.CheckMetas(wellknown.RKE2, verify.Metas(All()...))
}
