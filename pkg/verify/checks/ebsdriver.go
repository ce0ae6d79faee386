package checks

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// ebsDriverWorks judges the EBS CSI driver of a cluster that has volumes for it. AWSM-501 judges
// whether there is one at all.
func ebsDriverWorks(in evidence.Input) []verify.Finding {
	users, gaps := usesEBS(in)
	if len(users) == 0 {
		return gaps
	}
	if !in.Workloads.OK() || !in.CSINodes.OK() {
		return append(gaps, verify.Undecided("EBS CSI driver", "workloads or CSINodes could not be read, and "+evidence.Some(users)+" need it"))
	}
	controllers, agents := driverWorkloads(in.Workloads.Value)
	registered := slices.ContainsFunc(in.CSINodes.Value, func(n downstream.CSINode) bool { return n.EBS })
	if len(controllers)+len(agents) == 0 && !registered {
		return gaps
	}
	out := judgeControllers(controllers, users)
	for _, w := range agents {
		if w.EBSDriver.Ready < w.Replicas {
			out = append(out, verify.Warning(w.String(), fmt.Sprintf("%d of %s ready: no volume can be mounted on the others", w.EBSDriver.Ready, fault.Count(int(w.Replicas), "pod")), "a ready pod on every node", ""))
		}
	}
	return append(append(out, credentialsOutOfReach(in, controllers)...), gaps...)
}

// usesEBS returns the objects that need the driver after the switch.
func usesEBS(in evidence.Input) (names []string, gaps []verify.Finding) {
	names, gaps = usesInTree(in)
	for _, v := range in.Volumes.Value {
		if !v.InTree {
			names = append(names, "PersistentVolume "+v.Name)
		}
	}
	for _, c := range in.Classes.Value {
		if c.Provisioner == downstream.CSIEBS {
			names = append(names, c.String())
		}
	}
	return names, gaps
}

// driverWorkloads returns the driver's controllers, and its DaemonSets, which mount.
func driverWorkloads(all []downstream.Workload) (controllers, agents []downstream.Workload) {
	for _, w := range all {
		switch {
		case w.EBSDriver == nil:
		case w.Kind == "DaemonSet":
			agents = append(agents, w)
		default:
			controllers = append(controllers, w)
		}
	}
	return controllers, agents
}

func judgeControllers(controllers []downstream.Workload, users []string) []verify.Finding {
	if len(controllers) == 0 {
		return []verify.Finding{verify.Warning("EBS CSI driver", "has no controller in this cluster: "+evidence.Some(users)+" can be neither attached nor provisioned", "a Deployment of aws-ebs-csi-driver", "")}
	}
	var out []verify.Finding
	for _, w := range controllers {
		if w.EBSDriver.Ready == 0 {
			out = append(out, verify.Warning(w.String(), "no ready pod: "+evidence.Some(users)+" can be neither attached nor provisioned", "a ready pod", ""))
			continue
		}
		out = append(out, verify.Notice(w.String(), fmt.Sprintf("%s, %s ready", w.EBSDriver.Image, fault.Count(int(w.EBSDriver.Ready), "pod"))))
	}
	return out
}

// credentialsOutOfReach warns of controllers that get their credentials from the metadata service
// and cannot reach it. Behind a pod network its answer makes two hops. A Secret may exist next to
// an optional reference, which is why this is a warning.
func credentialsOutOfReach(in evidence.Input, controllers []downstream.Workload) []verify.Finding {
	if !in.Cloud.On || !in.Cloud.Instances.OK() {
		return nil
	}
	var short []string
	pairs, _ := in.Pairs(in.Cloud.Instances.Value)
	for _, p := range pairs {
		if !dedicated(p.Node) && p.Found && p.Instance.HTTPTokens == "required" && p.Instance.HopLimit == 1 {
			short = append(short, p.Node.Name)
		}
	}
	if len(short) == 0 {
		return nil
	}
	var out []verify.Finding
	for _, w := range controllers {
		if !w.EBSDriver.HostNetwork && !w.EBSDriver.Identity {
			out = append(out, verify.Warning(w.String(), fmt.Sprintf("without host network, and tokens are required with hop limit 1 on %s: %s", fault.Count(len(short), "node"), evidence.Some(short)),
				"hop limit 2, host network, or credentials of its own", "let the metadata service of these nodes answer over 2 hops; if the driver has its Secret aws-secret: --skip AWSM-504=secret"))
		}
	}
	return out
}
