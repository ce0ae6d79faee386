package migration

import (
	"slices"

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
	d.Nodes = slices.Clone(f.Nodes.Value)
	for _, p := range f.StaticPods.Value {
		if _, is := downstream.RunsKCM(p.Containers); is && !p.Deleting {
			d.KCMPods = append(d.KCMPods, revivedPod(p))
		}
	}
	return d
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
