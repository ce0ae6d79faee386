package rke2

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

var (
	beforeSwitch  = []position.Position{position.P0, position.P1, position.P2, position.P3}
	beforeInstall = []position.Position{position.P0, position.P1, position.P2}
)

const category = "cluster"

// Checks judge Rancher's side of the cluster. Their IDs are never used again.
func Checks() []verify.Check[Prepared] {
	check := func(id, title, why, source, fix string, applies []position.Position, judge func(Prepared) []verify.Finding) verify.Check[Prepared] {
		return verify.Check[Prepared]{Judge: judge, Meta: verify.Meta{ID: id, Title: title, Category: category, Why: why,
			Source: source, Fix: fix, Applies: applies}}
	}
	must := func(c verify.Check[Prepared]) verify.Check[Prepared] { c.Mandatory = true; return c }
	names := func(c verify.Check[Prepared]) verify.Check[Prepared] {
		c.DecidesNames, c.Mandatory = true, true
		return c
	}
	return []verify.Check[Prepared]{
		must(check("AWSM-101", "Kubernetes version has the in-tree provider and leader migration",
			"before 1.22 the flag stops the component or needs a file; from 1.27 there is no in-tree provider to migrate from",
			"k8s.io/controller-manager:pkg/leadermigration/options, kubernetes/kubernetes 1.27 changelog", "upgrade to 1.22–1.26 first", beforeSwitch, judgeWindow)),
		must(check("AWSM-102", "Rancher can roll an edit out to this version",
			"a Rancher that could load no release data accepts edits and never applies them; one that only lacks this release applies them, outside its support matrix",
			"rancher/rancher:pkg/channelserver/channelserver.go and pkg/capr/planner/planner.go@v2.8.5, v2.9.3, v2.12.3", "let Rancher load its release data", nil, judgeRancher)),
		must(check("AWSM-103", "every machine runs the in-tree provider",
			"machines with another provider, or none, are not what the edits are computed for",
			"rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addUserConfig", "give every machine the in-tree provider, or take out those that have another", beforeSwitch, judgeProviders)),
		must(check("AWSM-104", "machines agree about the cloud config",
			"one cloud controller manager serves all nodes and takes one cloud config",
			"rancher/rancher:pkg/capr/planner/config.go@v2.8.5", "give every machine the same cloud-provider-config", beforeSwitch, judgeCloudConfigs)),
		must(check("AWSM-105", "the cluster is at rest",
			"a machine that is down comes back with old arguments, an in-tree manager without the flag, beside the CCM",
			"rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.8.5", "wait until Rancher shows the cluster as Active", nil, judgeRest)),
		must(check("AWSM-106", "nobody puts the old configuration back",
			"a full revert by the tool that keeps the Cluster restores the in-tree provider, without the flag, beside a CCM; Terraform's rancher2 provider leaves no mark and is not found",
			"argoproj/argo-cd#8970, rancher/fleet#1594, rancher/terraform-provider-rancher2", "commit the new configuration where the Cluster is kept", nil, judgeOwner)),
		check("AWSM-107", "machine health checks leave time for a restart",
			"unhealthyNodeTimeout deletes machines, instance and all, whose Node is not Ready for that long",
			"rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5", "remove unhealthyNodeTimeout from the pool for the migration", nil, judgeHealthChecks),
		check("AWSM-108", "control planes restart one at a time",
			"with concurrency 0 or above 1 several control planes restart together",
			"rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, calculateConcurrency", "set upgradeStrategy.controlPlaneConcurrency to 1", beforeSwitch, judgeConcurrency),
		check("AWSM-109", "Rancher does not drain while it rolls",
			"drain options evict pods at every roll, and at the end uncordon what an administrator had cordoned",
			"rancher/rancher:pkg/controllers/capr/machinedrain/machinedrain.go@v2.8.5", "switch drain options off for the migration", beforeSwitch, judgeDrain),
		check("AWSM-110", "the control plane survives a restart",
			"one or two etcd members mean downtime at every restart, and an even number tolerates no more failures than one less",
			"etcd FAQ, Kubernetes HA guide", "use 3 or 5 members", beforeSwitch, judgeMembers),
		must(check("AWSM-111", "machines run what Rancher configured",
			"files of a machine's own in config.yaml.d beat Rancher's, and an edit then has no effect there",
			"k3s-io/k3s:pkg/nodeconfig, annotation rke2.io/node-args", "remove the file on that machine, or make it agree", nil, judgeExplained)),
		check("AWSM-112", "etcd members are spread over zones",
			"members in fewer than three zones lose quorum with one of them",
			"Kubernetes HA guide", "place etcd members in three zones", beforeSwitch, judgeZones),
		names(check("AWSM-113", "the end state keeps every Node's name",
			"under `external` a kubelet takes the operating system's host name, which no API shows: the Node registers a second time",
			"rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15, kubernetes/kubernetes:pkg/kubelet 1.26", "leave out --end-state", beforeSwitch, judgeEndState)),
		must(check("AWSM-114", "kube-controller-manager's own arguments allow the migration",
			"leader election off, another lock, a migration file or fatal feature gates make the lease protect nothing or the component crash",
			"k8s.io/controller-manager 1.22–1.26, kubernetes/kubernetes feature gates", "take the argument out of machineGlobalConfig or machineSelectorConfig", beforeSwitch, judgeArguments)),
		check("AWSM-115", "no entry of machineSelectorConfig is without effect",
			"Rancher's documentation prints its control-plane override wrongly indented; such keys are dropped when the entry is written, and a selector without configuration is left",
			"rancher/rancher-product-docs: set-up page, versions 2.8 to 2.15", "indent the keys under config, or remove the entry", nil, judgeStrays),
		must(check("AWSM-116", "both edits can be computed without losing an argument",
			"where no place fits, an edit would drop somebody's arguments or hit machines it should not",
			"rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addUserConfig", "give the machines named an entry of machineSelectorConfig of their own, with their present arguments", beforeSwitch, judgeEdits)),
		must(check("AWSM-117", "the chart can be installed",
			"a release elsewhere, a HelmChart or unowned objects make the installation fail half way, or a second CCM",
			"helm.sh/helm/v3 ownership rules; k3s-io/helm-controller@v0.15.9", "remove what is named, before the flag is on any kube-controller-manager", beforeInstall, judgeChart)),
		check("AWSM-118", "the chart's values are safe",
			"values that take away what keeps two managers apart, or what the CCM needs",
			"kubernetes/cloud-provider-aws chart", "correct --values", beforeInstall, concerns),
		must(check("AWSM-120", "the cluster is brought to no release that freezes the arguments of static pods",
			"on such a release the API goes on showing the first arguments of kube-controller-manager: no step of a migration could be seen applied",
			"rancher/rke2:pkg/staticpod/staticpod.go, v1.23.13 to v1.27.4", "choose a release that shows them", beforeSwitch, judgeRelease)),
	}
}

func concerns(p Prepared) []verify.Finding   { return p.ConcernFindings() }
func judgeRest(p Prepared) []verify.Finding  { return verify.FindingOf(p.RestErr) }
func judgeEdits(p Prepared) []verify.Finding { return verify.FindingOf(p.EditErr) }
func judgeChart(p Prepared) []verify.Finding { return p.ChartFindings() }

func judgeEndState(p Prepared) []verify.Finding {
	if p.ChoiceErr != nil {
		return verify.FindingOf(p.ChoiceErr)
	}
	return []verify.Finding{{Status: verify.OK, Seen: fmt.Sprintf("%s: %s", p.Choice.State, p.Choice.Why)}}
}

func judgeCloudConfigs(p Prepared) []verify.Finding {
	return verify.FindingOf(config.Agree(p.object(), config.KeyCloudConfig, config.CloudConfigs(p.Cluster.Spec, p.Configs())))
}
