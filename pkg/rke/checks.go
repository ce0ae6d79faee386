package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var (
	beforeSwitch  = []position.Position{position.P0, position.P1, position.P2, position.P3}
	beforeInstall = []position.Position{position.P0, position.P1, position.P2}
)

const category = "rke"

// Checks judge RKE's side of the cluster: cluster.yml, rke's state, the binary
// and the names of the nodes. Their IDs are never used again.
func Checks() []verify.Check[Prepared] {
	var all []verify.Check[Prepared]
	for _, part := range [][]verify.Check[Prepared]{clusterChecks(), fileChecks(), binaryChecks(), argumentChecks(), nameChecks(), installChecks()} {
		all = append(all, part...)
	}
	return all
}

// Unfit are the checks that tell a cluster which cannot be migrated from one in
// which something has to be mended first.
func Unfit() []string { return []string{"AWSM-701", "AWSM-702", "AWSM-703"} }

// CheckMetas describes every check of an RKE migration, without a cluster.
func CheckMetas() []verify.Meta {
	return migration.CheckMetas(wellknown.RKE, verify.Metas(Checks()...))
}

func check(id, title, why, source, fix string, applies []position.Position, judge judgement) verify.Check[Prepared] {
	return verify.Check[Prepared]{Judge: judge, Meta: verify.Meta{ID: id, Title: title, Category: category, Why: why,
		Source: source, Fix: fix, Applies: applies}}
}

func must(c verify.Check[Prepared]) verify.Check[Prepared] { c.Mandatory = true; return c }

func names(c verify.Check[Prepared]) verify.Check[Prepared] {
	c.DecidesNames, c.Mandatory = true, true
	return c
}

func clusterChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		must(check("AWSM-701", "Kubernetes version has the in-tree provider and leader migration",
			"before 1.22 the flag stops the component or needs a file; from 1.27 rke refuses the provider aws",
			"k8s.io/controller-manager:pkg/leadermigration/options; rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider",
			"upgrade to 1.22–1.26 first", beforeSwitch, seeing(judgeWindow, theVersion))),
		must(check("AWSM-702", "no node runs Windows",
			"Windows nodes have arguments of their own, and no rke-tools that ask for a name: they would be renamed",
			"rancher/rke:hosts/hosts.go@v1.5.9, GetExtraArgs; rancher/rke-tools:windows", "remove the Windows nodes", nil, seeing(judgeWindows, theNodes))),
		must(check("AWSM-703", "rke applied the in-tree provider",
			"a cluster without the in-tree AWS provider has nothing to hand over",
			"rancher/rke:cluster/state.go@v1.5.9: the stored name is the resolved one", "use a cluster whose cloud_provider is aws", beforeSwitch, seeing(judgeProvider, theVersion))),
		must(check("AWSM-704", "cluster.yml and the cluster have the same nodes",
			"rke changes the machines of cluster.yml and no other: a Node beside them keeps its in-tree kubelet",
			"rancher/rke:k8s/node.go@v1.5.9, GetNode", "add the missing node to cluster.yml, or delete the Node whose machine is gone", nil, seeing(judgeMembership, theHosts, theNodes))),
		check("AWSM-705", "the control plane survives a restart",
			"one or two etcd members mean downtime at every restart, and an even number tolerates no more failures than one less",
			"etcd FAQ, Kubernetes HA guide", "use 3 or 5 members", beforeSwitch, seeing(judgeMembers, theHosts)),
		check("AWSM-706", "etcd members are spread over zones",
			"members in fewer than three zones lose quorum with one of them",
			"Kubernetes HA guide", "place members in three zones", beforeSwitch, seeing(judgeZones, theHosts, theNodes)),
		check("AWSM-707", "control planes restart one at a time",
			"with max_unavailable_controlplane above 1 several restart together, and with them every candidate for the lease",
			"rancher/rke:services/node_util.go@v1.5.9", "set upgrade_strategy.max_unavailable_controlplane to 1", nil, seeing(judgeUnavailable, theFile, theHosts)),
		check("AWSM-708", "rke does not drain while it rolls",
			"upgrade_strategy.drain evicts the pods of every node at each `rke up`, control planes included",
			"rancher/rke:services/controlplane.go@v1.5.9", "set upgrade_strategy.drain to false for the migration", nil, seeing(judgeDrain, theFile)),
		must(check("AWSM-709", "the cluster is at rest",
			"rke rolls nodes that are not Ready first, all at once, and a control plane that is down comes back without the flag",
			"rancher/rke:cluster/cluster.go@v1.5.9, UpgradeControlPlane", "wait until every node is Ready, or mend what is named", nil, seeing(judgeRest, theNodes))),
		check("AWSM-710", "RKE's end of life is known",
			"RKE has been out of support since 31 July 2025; the migration is still worth it, as 1.27 has no in-tree provider",
			"rancher/rke1-docs:src/theme/DocVersionBanner", "plan the migration to RKE2", nil, judgeLife),
	}
}

func fileChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		must(check("AWSM-721", "no awsCloudProvider beside external-aws",
			"rke takes the in-tree provider whenever the block is there: below 1.27 it does so silently, from 1.27 on `rke up` fails",
			"rancher/rke:cloudprovider/cloudprovider.go@v1.5.9, InitCloudProvider", "remove awsCloudProvider", nil, seeing(judgeTrap, theFile))),
		must(check("AWSM-722", "cluster.yml has the provider that the cluster runs",
			"the next `rke up`, ours for another step too, applies the provider of the file",
			"rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider", "use the cluster.yml that was applied last", nil, seeing(judgeFileProvider, theFile, theState))),
		must(check("AWSM-723", "kubernetes_version is set",
			"without one rke takes its own newest version, and the first `rke up` upgrades the cluster",
			"rancher/rke:cluster/defaults.go@v1.5.9, setClusterDefaults", "set kubernetes_version to the version in force", nil, seeing(judgeVersionSet, theFile, theVersion))),
		check("AWSM-724", "no image of Kubernetes beats kubernetes_version",
			"system_images.kubernetes wins: an upgrade by kubernetes_version changes nothing, or half of it",
			"rancher/rke1-docs:docs/upgrades/upgrades.md", "remove system_images.kubernetes", nil, seeing(judgeKubernetesImage, theFile)),
		must(check("AWSM-725", "`rke up` applies the configuration",
			"with rotate_certificates, rotate_encryption_key or restore in the file `rke up` does that instead",
			"rancher/rke:cmd/up.go@v1.5.9, ClusterUp", "remove these keys", nil, seeing(judgeOtherWork, theFile))),
		check("AWSM-726", "no key of cluster.yml is misspelt",
			"rke ignores keys that it does not know, so that a setting somebody relies on is not there",
			"rancher/rke:cluster/cluster.go@v1.5.9, ParseConfig", "correct the key", nil, seeing(judgeMisspelt, theFile)),
		check("AWSM-727", "cluster.yml holds no changes that were not applied",
			"our `rke up` would apply them, too, and a failure could not be told from the migration's",
			"rancher/rke:cmd/up.go@v1.5.9, ClusterInit", "run `rke up` yourself first, or take --include-pending", nil, seeing(judgePending, theFile, theState)),
		must(check("AWSM-728", "the state file beside cluster.yml is the cluster's",
			"without it rke takes the cluster for a new or legacy one; an old one brings old certificates and nodes back",
			"rancher/rke:cmd/common.go and cluster/state.go@v1.5.9", "run `rke util get-state-file`", nil, seeing(judgeLocalState, theState))),
		must(check("AWSM-729", "both edits can be computed",
			"a file that cannot be edited without touching other lines is not touched at all",
			"pkg/rke/clusterfile", "see the finding", beforeSwitch, seeing(judgeEdits, theFile))),
		must(check("AWSM-730", "rke can write the cloud config",
			"rke's writer of cloud configs knows no maps: with a service_override in awsCloudProvider every `rke up` fails before it does anything",
			"rancher/rke:cloudprovider/aws/aws.go@v1.5.9, GenerateCloudConfigFile; `rke up --init` of v1.5.9 was run", "write the cloud config as customCloudProvider",
			nil, seeing(judgeServiceOverride, theFile))),
		must(check("AWSM-731", "rke accepts cluster.yml",
			"`rke up` ends before it does anything where a node, a version, an option is not one it takes: the migration would stop half way for it",
			"rancher/rke:cluster/validation.go@v1.5.9, ValidateCluster", "correct the key", nil, seeing(judgeAccepted, theFile))),
		must(check("AWSM-732", "no other provider's options stand beside aws",
			"rke writes the cloud config of the last provider whose options are there, under the name aws: the in-tree provider and the CCM would get another cloud's configuration",
			"rancher/rke:cloudprovider/cloudprovider.go@v1.5.9, InitCloudProvider", "remove the other provider's block", nil, seeing(judgeOtherProviders, theFile))),
		check("AWSM-733", "no value is a placeholder",
			"a value of a template that nobody filled in is for rke a value like any other",
			"rancher/rke:cluster/cluster.go@v1.5.9, ParseConfig", "render the template, and name the result with --config", nil, seeing(judgePlaceholders, theFile)),
		check("AWSM-734", "no key stands twice",
			"of two values rke takes the last, of two mappings it merges the keys: what somebody sees in the file may not be what is in force. On the path of an edit two are refused",
			"rancher/rke:cluster/cluster.go@v1.5.9, ParseConfig, with yaml.v2", "keep one of the two", nil, seeing(judgeDuplicates, theFile)),
	}
}

func binaryChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		check("AWSM-741", "the rke binary tells its version",
			"a build of one's own says dev: whether it knows external-aws cannot be told",
			"rancher/rke:main.go@v1.5.9", "name a released rke with --rke-binary", nil, seeing(judgeBinaryTold, theBinary)),
		must(check("AWSM-742", "the rke binary knows external-aws",
			"an older one accepts the name and starts kubelets with --cloud-provider=external-aws, which they do not know",
			"rancher/rke:k8s/node.go at v1.4.14, v1.4.15, v1.5.0", "use rke v1.4.15 or later of 1.4, or v1.5.0 or later", nil, seeing(judgeBinaryAge, theBinary))),
		must(check("AWSM-743", "the rke binary knows the Kubernetes versions",
			"`rke up` refuses a version that is not in the binary's metadata",
			"rancher/rke:cmd/config.go@v1.5.9, generateSystemImagesList", "use an rke that knows the version", nil, seeing(judgeBinaryKnows, theState, theBinary))),
	}
}

func argumentChecks() []verify.Check[Prepared] {
	const plan = "rancher/rke:cluster/plan.go@v1.5.9"
	return []verify.Check[Prepared]{
		must(check("AWSM-751", "no extra argument beats cloud_provider",
			"cloud-provider or cloud-config among the extra arguments wins over what rke writes: the switch would change nothing, or one component",
			plan, "remove them", nil, seeing(judgeProviderFlags, theFile))),
		must(check("AWSM-752", "no argument is given twice",
			"rke writes a flag of both maps twice in random order, and the last one counts",
			plan+", BuildKubeControllerProcess", "keep one of the two", nil, seeing(judgeBothMaps, theFile))),
		must(check("AWSM-753", "kube-controller-manager's arguments allow leader migration",
			"leader election off, another lock or a migration file make the lease protect nothing",
			"k8s.io/controller-manager:pkg/leadermigration 1.22–1.26", "remove the argument", beforeSwitch, seeing(judgeElection, theFile))),
		must(check("AWSM-754", "arguments are written without dashes",
			"rke adds the dashes itself, and a component stops at ----flag",
			plan, "write the key without dashes", nil, seeing(judgeDashes, theFile))),
		check("AWSM-755", "no service names the feature gate CSIMigrationAWS",
			"Rancher advises false for the in-tree provider; it is locked on from 1.25 and stops components from 1.27",
			"kubernetes/kubernetes:pkg/features/kube_features.go 1.21–1.27; kubernetes/kops#15197", "install aws-ebs-csi-driver and remove the gate", nil, seeing(judgeCSIGate, theFile, theVersion)),
	}
}

func nameChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		names(check("AWSM-761", "every Node keeps its name",
			"under external-aws a Node's name is its kubelet's override: one that differs registers a second Node, and the pods of the first are lost",
			"rancher/rke:cluster/plan.go@v1.5.9; rancher/rke-tools:entrypoint.sh v0.1.90–v0.1.102", "upgrade within the in-tree versions, or set hostname_override", beforeSwitch,
			seeing(judgeNames, theState, theNodes))),
		names(check("AWSM-762", "no service has a hostname-override for all nodes",
			"it beats hostname_override and useInstanceMetadataHostname: all nodes would register under one name",
			"rancher/rke:cluster/plan.go@v1.5.9", "remove it", nil, seeing(judgeOverrideArgs, theFile))),
		names(check("AWSM-763", "rke-tools get an answer from the metadata service",
			"before v0.1.102 rke-tools ask without a token: with HttpTokens=required they take the refusal's page for a name, and the kubelet does not start",
			"rancher/rke-tools:entrypoint.sh v0.1.96, v0.1.102", "set HttpTokens=optional, or hostname_override on every node", beforeSwitch,
			seeing(judgeTokens, theState, theNodes))),
		names(check("AWSM-764", "rke finds every Node after the switch",
			"the label that rke looks for changes with the name; the InternalIP is what it looks for next, and a node it does not find stays cordoned",
			"rancher/rke:k8s/node.go@v1.5.9, GetNode; rancher/rke#3445", "set internal_address to the Node's InternalIP", beforeSwitch,
			seeing(judgeFound, theHosts, theNodes))),
		check("AWSM-765", "no volume is bound to a hostname label that changes",
			"a local volume whose nodeAffinity names the old label can be mounted nowhere afterwards",
			"kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go 1.26", "move the data before the migration", beforeSwitch, seeing(judgeVolumes, theNodes)),
	}
}

func installChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		must(check("AWSM-781", "the chart can be installed",
			"a release elsewhere, a HelmChart or unowned objects make the installation fail half way, or a second CCM",
			"helm.sh/helm/v3 ownership rules", "see the finding", beforeInstall, seeing(judgeChart, theChart))),
		check("AWSM-782", "the chart's values are safe",
			"values that take away what keeps two managers apart, or what the CCM needs",
			"kubernetes/cloud-provider-aws chart", "correct --values", beforeInstall, seeing(concerns, theChart)),
	}
}
