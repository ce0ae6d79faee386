package options

import "slices"

// installation returns the options of the cloud controller manager's chart.
func installation() []Option {
	const checkScope = migrationScope | Verify
	return []Option{
		{Flag: "install-method", Scope: RKE2 | UndoRKE2 | Either, Words: []string{"helm", "additional-manifest"}, Default: "helm", Basis: ByValue, Path: specOptions + "installMethod",
			Help: "how the CCM's chart is installed"},
		{Flag: "ccm-image", Scope: checkScope, Basis: ByValue, Path: ccmOptions + "image", Offer: Offer{Free: "an image"},
			Help: "image of the aws-cloud-controller-manager (default: the one that fits the cluster's version)"},
		{Flag: "chart", Scope: checkScope, ByContent: true, Offer: Offer{Source: AnyFile}, NotInJob: fileReason, NotInObject: "the controller has its own",
			Help: "chart directory or archive to use instead of the embedded one"},
		{Flag: "values", Scope: checkScope, Kind: Documents, Basis: ByDigest, Path: ccmOptions + "values", Offer: Offer{Ending: []string{"yaml", "yml"}}, NotInJob: fileReason,
			Help: "file with chart values (repeatable)"},
		{Flag: "cloud-config", Scope: checkScope, Kind: File, Basis: ByDigest, Path: ccmOptions + "cloudConfigSecretRef", Offer: Offer{Source: AnyFile}, NotInJob: fileReason,
			Help: "file with the CCM's cloud config (default: the in-tree one, carried over)"},
		{Flag: "cloud-routes", Scope: checkScope, Words: []string{"on", "off"}, Basis: ByValue, Path: specOptions + "cloudRoutes",
			Help: "whether the CCM maintains VPC routes (default off; refused where the in-tree provider does today)"},
	}
}

// migrations returns the options that shape the steps.
func migrations() []Option {
	const forwardScope = RKE2 | RKE | Either
	const managedReason = "not with --cluster: "
	endState := Option{Flag: "end-state", Words: []string{"auto", "external", "overrides"}, Basis: ByValue, Path: specOptions + "endState"}
	snapshot := Option{Flag: "etcd-snapshot", Kind: Switch, Basis: ByValue, Path: specOptions + "etcdSnapshot", OffBy: "edits=handoff",
		NotManaged: managedReason + "take a snapshot in Rancher first"}
	return slices.Concat(
		[]Option{
			{Flag: "edits", Scope: RKE2 | UndoRKE2 | Either, Words: []string{"apply", "handoff"}, Basis: ByValue, Path: "spec.edits",
				Help: "make every edit of Rancher's Cluster object, or leave them to the tool that owns it, such as Terraform, and wait for the commit (default: you are asked before the first write; required with --yes and --plan)"},
			{Flag: "hand-over", Scope: migrationScope | Verify, Words: []string{"early", "natural"}, Default: "early", Basis: ByValue, Path: specOptions + "handOver",
				Help: "when the CCM takes over the cloud controllers: in a step of its own before the switch, or with the switch"},
			{Flag: "keep-leader-migration", Scope: forwardScope, Kind: Switch, Basis: ByValue, Path: specOptions + "keepLeaderMigration",
				Help: "leave leader migration on in the CCM"},
		},
		vary(endState,
			variant{RKE2 | UndoRKE2 | Either, "how nodes get their provider after the switch", "auto"},
			variant{Verify, "how nodes of an RKE2 cluster get their provider after a switch", "auto"}),
		vary(snapshot,
			variant{RKE2 | Either, "take an etcd snapshot first", "true"},
			variant{RKE, "take an etcd snapshot first", ""}),
		[]Option{
			{Flag: "no-etcd-snapshot", Scope: forwardScope, Kind: Switch, Negates: "etcd-snapshot", NotInObject: "etcdSnapshot: Disabled", Help: "take no etcd snapshot"},
			{Flag: "kubernetes-version", Scope: forwardScope | Verify, Basis: ByValue, NotInObject: "an upgrade has no way back",
				Offer: Offer{Free: "Rancher's metadata has the releases, and not as one list"}, Help: "upgrade to this version in a separate last step"},
			{Flag: "to", Scope: UpgradePath, Pattern: `^v?1\.[0-9]+(\.[0-9]+)?([-+].+)?$`, Wanted: "a version such as v1.36 or v1.33.13+rke2r2",
				Offer: Offer{Free: "any later version"}, Help: "version to upgrade to, such as v1.36 (default: the newest known)"},
			{Flag: "no-rke-up", Scope: RKE | UndoRKE | Either, Kind: Switch, Basis: ByValue, NotInJob: fileReason, NotManaged: managedReason + "Rancher applies an edit at once",
				Help: "stop after each edit and let a person run rke up"},
			{Flag: "include-pending", Scope: RKE | UndoRKE | Either, Kind: Switch, Basis: ByValue, NotInJob: fileReason, NotManaged: managedReason + "Rancher has applied what is in its Cluster object",
				Help: "apply other changes of cluster.yml, too"},
		})
}

// audits returns the options of the checks.
func audits() []Option {
	const checkScope = migrationScope | Verify
	return []Option{
		{Flag: "owner-informed", Scope: checkScope, Kind: Set, Basis: ByValue, Path: specOptions + "ownerInformed",
			Words: []string{"terraform", "fleet", "argocd", "flux", "helm", "crossplane", "pulumi", "rketemplate"},
			Help:  "tool that owns the cluster's configuration, such as terraform or fleet, and already contains the edits (repeatable)"},
		{Flag: "skip", Scope: checkScope, Kind: Reasons, Basis: ByValue, Path: specOptions + "skipChecks", Offer: Offer{Source: SkippableChecks},
			Help: "ID=REASON: skip a check and record why (repeatable)"},
		{Flag: "only", Scope: checkScope, Kind: Set, Basis: ByValue, NotInObject: "an audit makes every check", Offer: Offer{Source: Checks},
			Help: "run only these checks; those that may not be skipped run too"},
		{Flag: "fail-on", Scope: checkScope, Words: []string{"failure", "warning"}, Default: "failure", Basis: ByValue, NotInObject: "status.audit has both numbers",
			Help: "the mildest result of a check that ends the command with an exit code other than 0"},
	}
}

// selections returns the options that choose which part of the work a command is for.
func selections() []Option {
	return slices.Concat(
		vary(Option{Flag: "plan", Offer: Offer{Ending: []string{"json"}}, NotInJob: jobReason, NotInObject: "spec.approvedPlan"},
			variant{Run | Undo, "`FILE` that plan -o json printed: apply exactly that, or what is left of it, without asking", ""},
			variant{Job, "`FILE` that plan -o json printed: the Job applies exactly that", ""}),
		[]Option{
			{Flag: "until", Scope: Run | Undo, Path: "spec.until", Offer: Offer{Source: Steps}, Help: "stop after this step"},
			{Flag: "step", Scope: Run | Undo, Offer: Offer{Source: Steps}, NotInObject: "a goal cannot say: once", Help: "run this step only; it must be the first that is still to do"},
			{Flag: "handoff", Scope: Plan, Words: []string{"terraform", "fleet", "argocd", "patch"}, Help: "print the next edit for the tool that owns the cluster's configuration"},
			{Flag: "all", Scope: Plan, Kind: Switch, With: "handoff", Help: "with --handoff: the later edits, too, each marked as not yet due"},
			{Flag: "offline", Scope: PlanRKE, Kind: Switch, Help: "judge cluster.yml alone and show its edits; contacts no cluster"},
			{Flag: "preflight", Scope: Verify, Kind: Switch, Help: "judge as before a migration; a cluster that is past its switch is refused"},
		})
}
