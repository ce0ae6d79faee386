package node

import (
	"context"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	nodeLeaseSeconds  = 40
	heartbeatAttempts = 5 // nodeStatusUpdateRetry
	heartbeatRetry    = time.Second
)

// heartbeats renews the Node's Lease and keeps its status. The first status of a kubelet that RKE2
// started comes before the container runtime was asked, so the Node is not Ready. If it was Ready
// before, that remains for a period (Run and fastStatusUpdateOnce of
// kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13). On real machines this was so after 12 of
// 14 restarts, four times for 10 s, and after none of four by rke.
func (k *kubelet) heartbeats(ctx context.Context) {
	asked := k.s.rke2 == nil
	if wasReady := k.heartbeat(ctx, asked); !asked && !wasReady {
		k.heartbeat(ctx, true)
	}
	for wait(ctx, k.a.c.Clock, k.a.c.Timing.Heartbeat) && k.a.kubeletRuns.pass(ctx) {
		k.heartbeat(ctx, true)
	}
}

// heartbeat reports whether the Node was Ready before. It gives up after one period, so that a
// request that hangs does not cost the next one.
func (k *kubelet) heartbeat(ctx context.Context, ready bool) (wasReady bool) {
	ctx, cancel := context.WithTimeout(ctx, k.a.c.Timing.Heartbeat)
	defer cancel()
	for attempt := 1; ; attempt++ {
		err := renewNodeLease(ctx, k.client, k.id.Name, k.getNodeUID(), k.a.c.Clock.Now())
		if err == nil {
			wasReady, err = k.updateStatus(ctx, ready || attempt > 1)
		}
		if err == nil {
			return wasReady
		}
		k.a.logf("kubelet: heartbeat of node %s, attempt %d: %v", k.id.Name, attempt, err)
		if attempt == heartbeatAttempts || !wait(ctx, k.a.c.Clock, heartbeatRetry) {
			return false
		}
	}
}

// updateStatus writes the status, and reports whether the Node was Ready before. As in Kubernetes,
// only a restarted kubelet registers a deleted Node again.
func (k *kubelet) updateStatus(ctx context.Context, ready bool) (wasReady bool, err error) {
	node, err := k.client.CoreV1().Nodes().Get(ctx, k.id.Name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	k.setNodeUID(node.UID)
	changed := node.DeepCopy()
	k.setStatus(changed, ready)
	return isReady(node), patchNodeStatus(ctx, k.client, node, changed)
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func (k *kubelet) setStatus(node *corev1.Node, ready bool) {
	setAddresses(node, k.id)
	node.Status.Capacity, node.Status.Allocatable = machineResources(), machineResources()
	node.Status.NodeInfo = nodeInfo(k.a.c.MachineUID, k.rendering.Version, orDefault(k.runtime, rke2Runtime))
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = 10250
	node.Status.Conditions = conditions(node.Status.Conditions, ready, k.a.c.Clock.Now())
}

func machineResources() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("15945860Ki"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("81106868Ki"),
	}
}

const rke2Runtime = "containerd://1.7.11-k3s2"

func nodeInfo(machineID, version, runtime string) corev1.NodeSystemInfo {
	return corev1.NodeSystemInfo{
		MachineID: machineID, SystemUUID: machineID, BootID: machineID,
		KernelVersion: "5.15.0-1051-aws", OSImage: "Ubuntu 22.04.3 LTS", OperatingSystem: "linux", Architecture: "amd64",
		ContainerRuntimeVersion: runtime, KubeletVersion: version,
		KubeProxyVersion: version, //nolint:staticcheck // a kubelet of 1.26 still posts it
	}
}

// conditions returns the conditions, with the old transition times of unchanged ones.
func conditions(old []corev1.NodeCondition, ready bool, now time.Time) []corev1.NodeCondition {
	status := corev1.ConditionFalse
	reason, message := "KubeletNotReady", "container runtime status check may not have completed yet"
	if ready {
		status, reason, message = corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status. AppArmor enabled"
	}
	wanted := []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: corev1.NodeReady, Status: status, Reason: reason, Message: message},
	}
	out := make([]corev1.NodeCondition, 0, len(old)+len(wanted))
	for _, condition := range old {
		if !owned(condition.Type) {
			out = append(out, condition)
		}
	}
	at := metav1.NewTime(now)
	for _, condition := range wanted {
		condition.LastHeartbeatTime, condition.LastTransitionTime = at, at
		for _, before := range old {
			if before.Type == condition.Type && before.Status == condition.Status {
				condition.LastTransitionTime = before.LastTransitionTime
			}
		}
		out = append(out, condition)
	}
	return out
}

func owned(kind corev1.NodeConditionType) bool {
	switch kind {
	case corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure:
		return true
	default:
		return false
	}
}

// renewNodeLease renews or creates the Node's Lease, owned by the Node.
func renewNodeLease(ctx context.Context, client kubernetes.Interface, name string, uid types.UID, now time.Time) error {
	leases := client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	at := metav1.NewMicroTime(now)
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		lease.Spec.RenewTime = &at
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	_, err = leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: corev1.NamespaceNodeLease, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Node", Name: name, UID: uid},
		}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: ptr.To[int32](nodeLeaseSeconds), RenewTime: &at},
	}, metav1.CreateOptions{})
	return err
}
