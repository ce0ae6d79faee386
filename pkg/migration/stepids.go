package migration

import "github.com/awsmigrate/awsmigrate/pkg/runner"

// The steps of a migration, named as in Rancher's guide where it has a name.
const (
	StepPreflight   runner.StepID = "preflight"
	StepSnapshot    runner.StepID = "etcd-snapshot"
	StepLeaseAccess runner.StepID = "lease-access"
	StepEnable      runner.StepID = "enable-leader-migration"
	StepCordon      runner.StepID = "cordon"
	StepInstall     runner.StepID = "install-ccm"
	StepSwitch      runner.StepID = "switch-provider"
	StepUncordon    runner.StepID = "uncordon"
	StepVerify      runner.StepID = "verify"
	StepDisable     runner.StepID = "disable-leader-migration"
	StepUpgrade     runner.StepID = "upgrade"
)

// infos describes every step without a cluster.
var infos = map[runner.StepID]runner.Info{
	StepPreflight:   {ID: StepPreflight, Title: "run all checks, fingerprint nodes, services and cordons"},
	StepSnapshot:    {ID: StepSnapshot, Title: "take an etcd snapshot"},
	StepLeaseAccess: {ID: StepLeaseAccess, Title: "let kube-controller-manager use the migration lease"},
	StepEnable:      {ID: StepEnable, Title: "turn leader migration on in every kube-controller-manager"},
	StepCordon:      {ID: StepCordon, Title: "cordon control-plane nodes"},
	StepInstall:     {ID: StepInstall, Title: "install the cloud controller manager beside them"},
	StepSwitch:      {ID: StepSwitch, Title: "switch every component to the external provider"},
	StepUncordon:    {ID: StepUncordon, Title: "give back the cordons"},
	StepVerify:      {ID: StepVerify, Title: "audit the cluster against the fingerprint"},
	StepDisable:     {ID: StepDisable, Title: "turn leader migration off, remove lease and grant"},
	StepUpgrade: {ID: StepUpgrade, Title: "upgrade Kubernetes",
		Irreversible: "Kubernetes 1.27 and later have no in-tree AWS provider to go back to"},
}

// order gives the steps in force. The guides cordon before they install. With a
// HelmChart document the install comes first: its Job must run on a control
// plane and does not tolerate a cordon
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
func order(method InstallMethod, upgrade bool) []runner.StepID {
	ids := []runner.StepID{StepPreflight, StepSnapshot, StepLeaseAccess, StepEnable, StepCordon, StepInstall,
		StepSwitch, StepUncordon, StepVerify, StepDisable}
	if method == InstallManifest {
		ids[4], ids[5] = StepInstall, StepCordon
	}
	if upgrade {
		ids = append(ids, StepUpgrade)
	}
	return ids
}

// StepInfos describes every step there is, in the default order.
func StepInfos() []runner.Info {
	var all []runner.Info
	for _, id := range order(InstallHelm, true) {
		all = append(all, info(id))
	}
	return all
}

func info(id runner.StepID) runner.Info {
	if i, ok := undoInfos[id]; ok {
		i.Doc = "going-back.md"
		return i
	}
	i := infos[id]
	i.Doc = "steps/" + string(id) + ".md"
	return i
}
