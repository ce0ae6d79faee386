package options

import "slices"

// migrationScope holds the commands that migrate, and those that show a migration.
const migrationScope = RKE2 | UndoRKE2 | RKE | UndoRKE | Either

// clusterScope holds every command that names one cluster.
const clusterScope = migrationScope | Report | Verify | UpgradePath | Record

func clusters() []Option {
	const clusterHelp = "cluster in Rancher: NAME or NAMESPACE/NAME of its Cluster object, its id (c-xxxxx, c-m-xxxxxxxx), or the name of an RKE cluster"
	return slices.Concat(
		vary(Option{Flag: "cluster", Offer: Offer{Source: Clusters}, NotInJob: jobReason, NotInObject: "metadata.name"},
			variant{RKE2 | UndoRKE2, "Rancher's Cluster object: NAME, NAMESPACE/NAME or its id, c-m-xxxxxxxx (required)", ""},
			variant{RKE | UndoRKE, "RKE cluster that Rancher manages: its id (c-xxxxx) or its name", ""},
			variant{Either | Report | Verify | UpgradePath | Record, clusterHelp, ""},
			variant{Job, "Rancher's Cluster object: NAME or NAMESPACE/NAME; rke: its id, c-xxxxx (required)", ""},
			variant{Approve, "name of the ClusterMigration, which is that of its cluster (required)", ""},
			variant{RolloutRetry, "name of the one ClusterMigration to retry (default: every failed one)", ""}),
		vary(Option{Flag: "name", Offer: Offer{Free: objectReason}},
			variant{RolloutPlan, "name of the MigrationRollout; this or --file", ""},
			variant{Rollout, "name of the MigrationRollout (required)", ""}),
		[]Option{
			{Flag: "clusters", Scope: Controller | Rolling, Kind: Set, Offer: Offer{Source: RKE2Clusters}, Help: "names of the clusters that it works on (default: all)"},
		},
		vary(Option{Flag: "config", Offer: Offer{Ending: []string{"yml", "yaml"}}, NotInJob: fileReason},
			variant{RKE | UndoRKE, "cluster.yml (default: $RKE_CONFIG); this or --cluster", "$RKE_CONFIG"},
			variant{Either | Report, "cluster.yml of an RKE cluster (default: $RKE_CONFIG)", "$RKE_CONFIG"},
			variant{Verify | Record, "cluster.yml of an RKE cluster", ""},
			variant{UpgradePath, "cluster.yml of an RKE cluster, which is judged alone", ""}),
		[]Option{
			{Flag: "distribution", Scope: Job, Words: []string{"rke2", "rke"}, Default: "rke2", Help: "what Rancher made the cluster with"},
			{Flag: "file", Short: "f", Scope: RolloutPlan, Offer: Offer{Ending: []string{"yaml", "yml", "json"}}, Help: "manifest of a MigrationRollout; needs no controller"},
			{Flag: "from", Scope: Verify, Offer: Offer{Source: AnyFile}, Help: "judge a bundle that --dump has saved instead of a cluster"},
		},
		vary(Option{Flag: "namespace", Short: "n", Offer: Offer{Source: Namespaces}, NotInJob: jobReason, NotInObject: "metadata.namespace"},
			variant{RKE2 | UndoRKE2 | Either | Report | Verify | UpgradePath | Record | Approve, "namespace of Rancher's Cluster object", "fleet-default"},
			variant{List, "list the clusters of this namespace alone (default: all)", ""},
			variant{Rollout, "namespace of the MigrationRollout and its clusters", "fleet-default"},
			variant{Job, "namespace of the Job: that of the Cluster object, or the Fleet workspace of an RKE cluster", "fleet-default"}),
		[]Option{
			{Flag: "namespaces", Scope: Controller | Rolling, Kind: Set, Default: "fleet-default", Offer: Offer{Source: Namespaces},
				Help: "namespaces with Rancher's Cluster objects; the Lease of the leader election is in the first"},
			{Flag: "rke", Scope: Controller | Rolling, Kind: Set, Offer: Offer{Source: RKEClusters}, Help: "ids (c-xxxxx) of the RKE clusters that it works on; empty: none (default: all)"},
		})
}

func access() []Option {
	const usualPath = "(default: $KUBECONFIG, then ~/.kube/config)"
	const otherDefaults = "; with --cluster: of the one Rancher runs in (default there: $KUBECONFIG, then ~/.kube/config); with --config the default is kube_config_<file> next to it"
	return slices.Concat(
		vary(Option{Flag: "kubeconfig", Offer: Offer{Source: AnyFile}, NotInJob: fileReason, NotInObject: "the controller runs where Rancher does"},
			variant{RKE2 | UndoRKE2 | UpgradePath | List | Approve | Rollout, "kubeconfig of the cluster Rancher runs in " + usualPath, ""},
			variant{RKE | UndoRKE, "kubeconfig of the cluster (default: kube_config_<file> next to cluster.yml); with --cluster: of the cluster Rancher runs in " + usualPath, ""},
			variant{Either | Report, "with --cluster: kubeconfig of the cluster Rancher runs in " + usualPath + "; with --config: of the cluster (default: kube_config_<file> next to it)", ""},
			variant{Verify, "kubeconfig of the cluster to audit" + otherDefaults, ""},
			variant{Record, "kubeconfig of the cluster to record" + otherDefaults, ""},
			variant{Controller | Rolling, "kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config, then the pod's service account)", ""}),
		vary(Option{Flag: "downstream-kubeconfig", Offer: Offer{Source: AnyFile}, NotInJob: fileReason, NotInObject: "Rancher keeps one"},
			variant{RKE2 | UndoRKE2, "kubeconfig of the cluster to migrate (default: through Rancher)", ""},
			variant{RKE | UndoRKE | Either | Report, "with --cluster: kubeconfig of the cluster to migrate (default: through Rancher)", ""},
			variant{Verify | UpgradePath | Record, "with --cluster: kubeconfig of the cluster itself (default: through Rancher)", ""}),
		vary(Option{Flag: "rke-binary", Offer: Offer{Source: AnyFile}, NotInJob: fileReason, NotManaged: "none: Rancher runs its own rke"},
			variant{RKE | UndoRKE | Either, "rke binary (default: rke in PATH)", ""},
			variant{Verify, "with --config: rke binary (default: rke in PATH)", ""}),
		[]Option{
			{Flag: "context", Scope: clusterScope | List | Controller | Rolling | Approve | Rollout, Offer: Offer{Source: Contexts}, NotInJob: fileReason, NotInObject: "the controller runs where Rancher does",
				Help: "context of --kubeconfig (default: its current one)"},
			{Flag: "request-timeout", Scope: clusterScope | List | Controller | Rolling | Approve | Rollout, Kind: Duration, Default: "30s", Min: "1ns", Offer: Offer{Free: "a duration"}, NotInObject: "the controller has its own",
				Help: "longest time for one API request"},
			{Flag: "rke-arg", Scope: RKE | UndoRKE | Either, Kind: Repeated, Basis: ByValue, Offer: Offer{Free: "an argument of rke"}, NotInJob: fileReason, NotManaged: "none: Rancher runs its own rke",
				Help: "argument for every rke up, such as --ssh-agent-auth (repeatable)"},
			{Flag: "no-reach", Scope: List, Kind: Switch, Help: "read Rancher's own objects alone and ask no cluster: fast, and without positions"},
			{Flag: "service-account-name", Scope: Job, Offer: Offer{Free: objectReason}, Help: "existing ServiceAccount in the namespace, for example with a role in AWS (default: one of the Job's own)"},
			{Flag: "downstream-secret", Scope: Job, Offer: Offer{Free: objectReason}, Help: "Secret in the namespace with the cluster's kubeconfig under the key value (default: Rancher's own)"},
			{Flag: "cloud-config-secret", Scope: Job, Offer: Offer{Free: objectReason}, Help: "NAMESPACE:NAME of the Secret that cloud-provider-config names with secret://"},
		})
}

// Reasons for which a shell offers nothing.
const (
	awsReason    = "only AWS has the list, and completion makes no requests to AWS"
	objectReason = "listing such objects needs more rights than using one"
)

func identity() []Option {
	const checkScope = migrationScope | Verify
	return slices.Concat(
		vary(Option{Flag: "aws", Words: []string{"auto", "on", "off"}, Basis: ByValue, Path: awsOptions + "mode"},
			variant{checkScope, "ask EC2 and IAM", "auto"},
			variant{Controller, "use EC2 and IAM, if an object does not set it", "auto"}),
		vary(Option{Flag: "region", Basis: ByValue, Path: awsOptions + "region", Offer: Offer{Free: awsReason}},
			variant{checkScope, "AWS region", ""},
			variant{Controller, "AWS region, if an object does not set it", ""}),
		[]Option{
			{Flag: "profile", Scope: checkScope, Offer: Offer{Source: Profiles}, NotInJob: fileReason, NotInObject: "a pod has no profiles", Help: "AWS profile"},
		},
		vary(Option{Flag: "assume-role", Basis: ByValue, Path: awsOptions + "assumeRole", Offer: Offer{Free: awsReason}},
			variant{checkScope, "ARN of an AWS role to assume", ""},
			variant{Controller, "ARN of an AWS role to assume, where an object names neither a role nor a Secret", ""}),
		[]Option{
			{Flag: "external-id", Scope: checkScope, With: "assume-role", Private: true, Offer: Offer{Free: awsReason}, NotInObject: "the configuration in the Secret of aws.secretRef has it",
				Pattern: `^[\w+=,.@:/-]{2,1000}[\w+=,.@:/-]{0,224}$`, Wanted: "2 to 1224 letters, digits and _+=,.@:/-", // AWS STS API reference, AssumeRole, 2011-06-15
				Help: "external id that the trust policy of --assume-role asks for"},
			{Flag: "role-session-name", Scope: checkScope, With: "assume-role", Offer: Offer{Free: "a name of your choice"}, NotInObject: "the configuration in the Secret of aws.secretRef has it",
				Pattern: `^[\w+=,.@-]{2,64}$`, Wanted: "2 to 64 letters, digits and _+=,.@-", // the same
				Help: "name of the session of --assume-role, as CloudTrail shows it (default awsmigrate)"},
			{Flag: "assumable-roles", Scope: Controller, Kind: Set, Offer: Offer{Free: awsReason}, Help: "ARNs of AWS roles that an object without a Secret may name, also with * at the end (default: none)"},
			{Flag: "aws-secret", Scope: Job, Offer: Offer{Free: objectReason}, Help: "Secret in the namespace with the AWS_* variables of credentials (default: the identity that AWS gives the pod)"},
		})
}
