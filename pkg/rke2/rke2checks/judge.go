package rke2checks

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

func judgeWindow(p Prepared) []verify.Finding {
	version := p.Cluster.Spec.KubernetesVersion
	if v, _ := component.ParseVersion(version); !rules.Migratable(v) {
		return []verify.Finding{verify.Failure(p.ObjectName(), "Kubernetes "+version, "1.22 to 1.26", "")}
	}
	return nil
}

// judgeRelease judges the configured and the target version. AWSM-119 judges the versions
// that the machines run.
func judgeRelease(p Prepared) []verify.Finding {
	found := frozen(p.ObjectName(), p.Cluster.Spec.KubernetesVersion)
	if migration.UpgradeAllowed(p.Cluster.Spec.KubernetesVersion, p.Options.KubernetesVersion, "+rke2") == nil { // else the flag itself is wrong
		found = append(found, frozen(targetFlag, p.Options.KubernetesVersion)...)
	}
	return found
}

// frozen returns a failure for a release that freezes the arguments of static pods.
func frozen(object, release string) []verify.Finding {
	if !component.FixedUID(release) {
		return nil
	}
	return []verify.Finding{verify.Failure(object, "RKE2 "+release+" gives static pods a fixed UID", "a release that shows the arguments in force: "+component.Unfixed(release), "")}
}

// judgeRancher judges the planner's messages about release data, and whether Rancher supports
// the cluster's release.
func judgeRancher(p Prepared) []verify.Finding {
	var found []verify.Finding
	for kind, condition := range p.ControlPlane.Conditions {
		message := strings.ToLower(condition.Message)
		if strings.Contains(message, "release data") || strings.Contains(message, "releasedata") {
			found = append(found, verify.Failure(p.ObjectName(), fmt.Sprintf("%s: %s", kind, condition.Message), "release data, without which Rancher rolls nothing out",
				"look in Rancher's log for why it could not load them (setting rke-metadata-config), and let it refresh them"))
		}
	}
	return append(found, judgeSupport(p.Rancher, p.Cluster.Spec.KubernetesVersion)...)
}

func judgeProviders(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, s := range config.Providers(p.Cluster.Spec, p.Configs()) {
		if s.Value != config.ProviderAWS {
			found = append(found, verify.Failure("Machine "+s.Machine, "cloud-provider-name: "+s.String(), config.ProviderAWS, ""))
		}
	}
	for _, k := range p.KCMs {
		if k.Known && !k.Mode().IsInTree() {
			found = append(found, verify.Failure(k.Name(), fmt.Sprintf("last --cloud-provider is %q", k.Provider()), config.ProviderAWS, ""))
		}
	}
	for _, m := range p.Machines {
		if m.Windows() {
			found = append(found, verify.Failure("Machine "+m.Name, "runs Windows, which never looks a node name up", "a node name that is proven", "give it an explicit node-name, or remove it"))
		}
	}
	return found
}

// judgeOwner returns a failure for every owner that was not informed if the run would write.
// In an audit it returns warnings about the effect of a revert. It returns nothing if the
// owner makes every edit.
func judgeOwner(p Prepared) []verify.Finding {
	if p.Options.HandOver {
		return nil
	}
	var found []verify.Finding
	for _, o := range p.Owners {
		f := verify.Warning(p.ObjectName(), "is owned by "+o.String(), "the new configuration in its source, too",
			"commit the edits of `plan` there; disable-leader-migration is left out until you ask for it")
		if harm := migration.RevertHarm(p.Stands); harm != "" {
			f.Seen += ": " + harm
		}
		if p.Writes && !p.Options.Informed(o) {
			f.Status, f.Fix = verify.Fail, migration.InformFix([]migration.Owner{o})
		}
		found = append(found, f)
	}
	return found
}

func judgeReverted(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, name := range p.Reverted(p.Down) {
		found = append(found, verify.Failure("Machine "+name, "Rancher will run it in-tree without "+config.FlagLeaderMigration+", next to the cloud controller manager: two managers",
			"external, or in-tree with the flag", ""))
	}
	return found
}

// minUnhealthyTimeout is the minimum unhealthyNodeTimeout of pools with servers.
const minUnhealthyTimeout = 10 * time.Minute

func judgeHealthChecks(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, pool := range p.Cluster.Spec.Pools {
		if pool.UnhealthyNodeTimeout == "" {
			continue
		}
		object := "machine pool " + pool.Name
		timeout, err := time.ParseDuration(pool.UnhealthyNodeTimeout)
		if err == nil && timeout == 0 {
			continue
		}
		short := err != nil || timeout < minUnhealthyTimeout
		if short && (pool.ControlPlane || pool.Etcd) {
			found = append(found, verify.Failure(object, "unhealthyNodeTimeout "+pool.UnhealthyNodeTimeout, "none, or at least "+minUnhealthyTimeout.String(), ""))
		} else {
			found = append(found, verify.Warning(object, "unhealthyNodeTimeout "+pool.UnhealthyNodeTimeout, "none during the migration", ""))
		}
	}
	return append(found, judgeAutoscaler(p)...)
}

// judgeAutoscaler warns of pools whose size Rancher's autoscaler changes.
func judgeAutoscaler(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, pool := range p.Cluster.AutoscaledPools() {
		found = append(found, verify.Warning("machine pool "+pool.Name, "autoscalingMinSize and autoscalingMaxSize: Rancher's autoscaler changes its size", "a paused autoscaler during the migration",
			fault.Command("kubectl", "-n", p.Cluster.Namespace, "annotate", "clusters.provisioning.cattle.io", p.Cluster.Name, rancher.AutoscalerPausedAnnotation+"=true")+", and remove the annotation afterwards"))
	}
	return found
}

func judgeConcurrency(p Prepared) []verify.Finding {
	concurrency := p.Cluster.Spec.Upgrade.ControlPlaneConcurrency
	switch {
	case concurrency == "" || concurrency == "1" || len(p.ControlPlanes()) < 2:
		return nil
	case concurrency == "0":
		return []verify.Finding{verify.Failure(p.ObjectName(), "controlPlaneConcurrency 0: all control planes restart together", "1", "")}
	}
	return []verify.Finding{verify.Warning(p.ObjectName(), "controlPlaneConcurrency "+concurrency, "1", "")}
}

// judgeWorkerConcurrency warns of a rollout that restarts all workers at once.
func judgeWorkerConcurrency(p Prepared) []verify.Finding {
	workers := 0
	for _, m := range p.Machines {
		if m.Worker() && !m.Server() {
			workers++
		}
	}
	setting := p.Cluster.Spec.Upgrade.WorkerConcurrency
	if workers < 2 || atOnce(setting, workers) < workers {
		return nil
	}
	return []verify.Finding{verify.Warning(p.ObjectName(), fmt.Sprintf("workerConcurrency %s: all %d workers restart together", setting, workers), "fewer", "")}
}

// atOnce returns how many of the machines Rancher restarts at once: one by default, and all with 0.
// It rounds a share up, and rolls nothing out with a value that it cannot read
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, calculateConcurrency).
func atOnce(setting string, machines int) int {
	text, isShare := strings.CutSuffix(cmp.Or(setting, "1"), "%")
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0
	case n == 0:
		return machines
	case isShare:
		return int(math.Ceil(float64(machines) * n / 100))
	}
	return int(n)
}

func judgeDrain(p Prepared) []verify.Finding {
	if upgrade := p.Cluster.Spec.Upgrade; upgrade.ControlPlaneDrain.Cordons() || upgrade.WorkerDrain.Cordons() {
		return []verify.Finding{verify.Warning(p.ObjectName(), "drain options or hooks are set", "none: cordon is left out, and cordons that Rancher removes are set again", "")}
	}
	return nil
}

func judgeMembers(p Prepared) []verify.Finding {
	members := 0
	for _, m := range p.Machines {
		if m.Etcd() {
			members++
		}
	}
	return rules.Restart(p.ObjectName(), members, len(p.ControlPlanes()))
}

func judgeZones(p Prepared) []verify.Finding {
	zones, nodes := rules.Zones{}, rancher.NodesByMachine(p.Down)
	for _, m := range p.Machines {
		if !m.Etcd() {
			continue
		}
		for _, node := range nodes[m.UID] {
			zones[node.Labels[corev1.LabelTopologyZone]]++
		}
	}
	return zones.Judge(p.ObjectName())
}

func judgeExplained(p Prepared) []verify.Finding {
	var found []verify.Finding
	nodes := rancher.NodesByMachine(p.Down)
	for _, m := range p.Machines {
		for _, node := range nodes[m.UID] {
			object := "Machine " + m.Name
			args, err := config.ParseNodeArgs(node.Annotations[config.NodeArgsAnnotation])
			if err != nil {
				found = append(found, verify.Finding{Status: verify.Unknown, Object: object, Reason: err.Error()})
				continue
			}
			for _, d := range config.Explained(args, config.Effective(p.Cluster.Spec, m.Machine)) {
				found = append(found, verify.Failure(object, d.String(), "what Rancher configured", ""))
			}
		}
	}
	return found
}

// argumentStatus maps each topic to the status of its findings.
var argumentStatus = map[config.Topic]verify.Status{
	config.LeaderElection: verify.Fail, config.MigrationFile: verify.Fail, config.FatalGate: verify.Fail,
	config.MigrationOff: verify.Fail, config.Controllers: verify.Fail, config.LeaderElectionTiming: verify.Warn,
	config.FatalGateNext: verify.Warn, config.Untagged: verify.Warn, config.Routes: verify.Warn, config.ExplicitProvider: verify.Warn,
}

func judgeArguments(p Prepared) []verify.Finding {
	unsafe, err := config.UnsafeArgs(p.Cluster.Spec, p.Configs())
	if err != nil {
		return verify.FindingOf(err)
	}
	var found []verify.Finding
	for _, h := range unsafe {
		status, known := argumentStatus[h.Topic]
		if !known {
			status = verify.Warn
		}
		if h.Topic == config.FatalGateNext && p.Options.KubernetesVersion != "" {
			status = verify.Fail
		}
		found = append(found, verify.Finding{Status: status, Object: h.Location, Seen: h.Seen, Wanted: h.Why, Fix: h.Fix})
	}
	return found
}

func judgeStrays(p Prepared) []verify.Finding {
	var found []verify.Finding
	all := append(config.StrayEntries(p.Cluster.Spec), config.IdleSettings(p.Cluster.Spec, p.Configs())...)
	for _, s := range append(all, config.DroppedSettings(p.Cluster.Spec, p.Configs())...) {
		found = append(found, verify.Warning(s.Location, s.Seen, s.Why, s.Fix))
	}
	return found
}
