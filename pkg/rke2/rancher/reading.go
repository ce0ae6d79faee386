package rancher

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Combine merges Rancher's facts with those of the downstream cluster.
func (f Facts) Combine(down downstream.Cluster) migration.Reading {
	r := migration.Reading{
		Object: f.ObjectName(), ObjectUID: f.Cluster.UID, Version: f.Cluster.Spec.KubernetesVersion, ControlPlaneLabel: wellknown.RKE2.ControlPlaneLabel(), ProviderSource: "last --cloud-provider is",
		Pending: f.AtRest(), Owners: f.Cluster.Owners(), StaticPods: true,
	}
	if upgrade := f.Cluster.Spec.Upgrade; upgrade.ControlPlaneDrain.Cordons() || upgrade.WorkerDrain.Cordons() {
		r.CordonSkip = "Rancher drains nodes during a rollout (drain options or hooks are set), and uncordons the drained nodes"
	}
	nodes := NodesByMachine(down)
	for _, m := range f.Machines {
		member := migration.Member{ID: m.UID, Name: m.Name, Infrastructure: m.Infrastructure, Kind: "Machine", ControlPlane: m.ControlPlane(), Worker: m.Worker(),
			Deleting: m.Deleting, NeverJoined: m.NodeName == ""}
		member.Kubelet, member.Why = kubeletOf(nodes[m.UID])
		for _, node := range nodes[m.UID] {
			member.Nodes = append(member.Nodes, node.Name)
		}
		if m.NodeName != "" && !m.Deleting && len(member.Nodes) == 0 {
			r.Pending = append(r.Pending, nodeGone(m))
		}
		r.Members = append(r.Members, member)
		if m.ControlPlane() {
			r.KCMs = append(r.KCMs, kcmOf(m, nodes[m.UID], down))
		}
	}
	r.Pending = rankPending(r.Pending)
	if pauses := f.Paused(); len(pauses) > 0 {
		r.Paused = pauses[0].Seen
	}
	return r
}

// nodeGone returns the condition for a Machine whose Node was deleted. Rancher still refers
// to that Node, and a kubelet only registers when it starts
// (kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go@v1.26.15).
func nodeGone(m Machine) migration.PendingCondition {
	service := "rke2-agent"
	if m.Server() {
		service = "rke2-server"
	}
	gone := pending(machineNodeGone, machineSubject(m.Name), m.NodeName)
	gone.Fix = "if its instance still runs, restart the kubelet on that machine, which registers the Node again: systemctl restart " + service +
		"; if it is gone, delete machine " + m.Name + " in Rancher"
	return gone
}

// NodesByMachine returns the Nodes by Machine UID, from Rancher's own label.
func NodesByMachine(down downstream.Cluster) map[string][]*downstream.Node {
	nodes := map[string][]*downstream.Node{}
	for i := range down.Nodes {
		if uid := down.Nodes[i].Labels[MachineLabel]; uid != "" {
			nodes[uid] = append(nodes[uid], &down.Nodes[i])
		}
	}
	return nodes
}

// MachineUIDs returns the names of Nodes by the Machine UID in their label.
func MachineUIDs(down downstream.Cluster) map[string]string {
	uids := map[string]string{}
	for uid, nodes := range NodesByMachine(down) {
		uids[uid] = nodes[len(nodes)-1].Name
	}
	return uids
}

// kcmOf returns the kube-controller-manager of a Machine from its mirror pod.
func kcmOf(m Machine, nodes []*downstream.Node, down downstream.Cluster) migration.KCM {
	k := migration.KCM{Member: m.Name, Kind: "Machine", ID: m.UID, Node: m.NodeName, Infrastructure: m.Infrastructure}
	if len(nodes) == 1 {
		k.Node = nodes[0].Name
	}
	pod := mirrorPod(down.KCMPods, k.Node)
	if pod == nil {
		k.Why = fmt.Sprintf("no mirror pod kube-controller-manager-%s", k.Node)
		return k
	}
	k.Pod, k.Ready, k.Server = pod, pod.Ready, mirrorPod(down.APIPods, k.Node)
	k.Hash, k.Started = pod.ConfigHash, startedAt(pod)
	if k.Mirror = pod.Shows(kubeletVersion(nodes)); k.Mirror.Frozen() != "" {
		k.Why = k.Mirror.Frozen()
		return k
	}
	k.Known, k.Args = true, pod.Containers[0].Flags()
	return k
}

// kubeletVersion returns the version of a Machine's kubelet, or empty unless it has one Node.
func kubeletVersion(nodes []*downstream.Node) string {
	if len(nodes) != 1 {
		return ""
	}
	return nodes[0].Kubelet
}

func mirrorPod(pods []downstream.Pod, node string) *downstream.Pod {
	for i := range pods {
		pod := &pods[i]
		if pod.Static() && pod.Node == node && !pod.Deleting && len(pod.Containers) > 0 {
			return pod
		}
	}
	return nil
}

// kubeletOf returns the provider mode of a Machine's kubelet; why explains any mode but
// external. The Node's record of the kubelet's arguments is the only proof in the API that a
// worker runs the new configuration.
func kubeletOf(nodes []*downstream.Node) (kubelet migration.Kubelet, why string) {
	if len(nodes) == 0 {
		return migration.KubeletUnknown, "has no Node"
	}
	args, err := config.ParseNodeArgs(nodes[0].Annotations[config.NodeArgsAnnotation])
	if err != nil {
		return migration.KubeletUnknown, "its arguments cannot be read: " + err.Error()
	}
	if provider := nodeProvider(args); provider != config.ProviderExternal {
		return migration.KubeletInTree, fmt.Sprintf("its kubelet runs with provider %q", provider)
	}
	return migration.KubeletExternal, ""
}

// nodeProvider returns the cloud provider of a kubelet from its Node's record of arguments.
// The last cloud-provider argument takes precedence over cloud-provider-name.
func nodeProvider(args config.NodeArgs) string {
	if provider, ok := notation.Last(args.All(config.KeyKubeletArg), config.FlagProvider); ok {
		return provider
	}
	provider, _ := args.Last(config.KeyProvider)
	return provider
}

// startedAt returns the start time of a pod from the API server, or empty if unknown.
func startedAt(pod *downstream.Pod) string {
	if pod == nil || pod.Started.IsZero() {
		return ""
	}
	return pod.Started.UTC().Format("2006-01-02T15:04:05Z")
}
