package migration

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Revived is the cluster as checks of a Side look at it, from the facts of a
// bundle. It leaves out everything but Nodes and kube-controller-managers, and of
// those what the facts do not have.
func Revived(f downstream.Facts) Downstream {
	var d Downstream
	for _, n := range f.Nodes.Value {
		d.Nodes = append(d.Nodes, revivedNode(n))
	}
	for _, p := range f.StaticPods.Value {
		if _, is := downstream.RunsKCM(p.Containers); is && !p.Deleting {
			d.KCMPods = append(d.KCMPods, revivedPod(p))
		}
	}
	return d
}

func revivedNode(n downstream.Node) corev1.Node {
	out := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: types.UID(n.UID), Labels: n.Labels, Annotations: n.Annotations, CreationTimestamp: metav1.NewTime(n.Created)},
		Spec:       corev1.NodeSpec{ProviderID: n.ProviderID, Unschedulable: n.Unschedulable},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(n.Ready.Status), Reason: n.Ready.Reason}},
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: n.Kubelet}},
	}
	for _, t := range n.Taints {
		out.Spec.Taints = append(out.Spec.Taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	for _, a := range n.Addresses {
		out.Status.Addresses = append(out.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	}
	return out
}

func revivedPod(p downstream.Pod) corev1.Pod {
	out := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: types.UID(p.UID), Labels: p.Labels, Annotations: map[string]string{"kubernetes.io/config.hash": p.ConfigHash}},
		Spec:       corev1.PodSpec{NodeName: p.Node, HostNetwork: p.HostNetwork},
		Status:     corev1.PodStatus{Phase: corev1.PodPhase(p.Phase)},
	}
	if p.Mirror {
		out.Annotations["kubernetes.io/config.mirror"] = "seen"
	}
	if p.Ready {
		out.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	for _, c := range p.Containers {
		out.Spec.Containers = append(out.Spec.Containers, corev1.Container{Name: c.Name, Image: c.Image, Command: c.Command, Args: c.Args})
	}
	if p.PodHash && len(out.Spec.Containers) > 0 {
		out.Spec.Containers[0].Env = []corev1.EnvVar{{Name: component.PodHash}}
	}
	return out
}
