package standin

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Pods are what RKE2 runs on every node as mirror pods: kube-proxy, and for the
// daemons of the network one more.
func Pods(i int) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, name := range []string{"kube-proxy", "rke2-canal"} {
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: metav1.NamespaceSystem, Name: name + "-" + Name(i),
				Labels:      map[string]string{"component": name, "tier": "control-plane"},
				Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "8fe1c2b6b1f0a2d5e8a7c6b5d4e3f201", "kubernetes.io/config.source": "file"},
			},
			Spec: corev1.PodSpec{
				NodeName: Name(i), HostNetwork: true,
				Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				Containers: []corev1.Container{{
					Name: name, Image: "index.docker.io/rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117", Command: []string{name},
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
						corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
					}},
				}},
			},
		})
	}
	return pods
}

// Lease is the heartbeat of a node's kubelet.
func Lease(i int) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: Name(i)},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(Name(i)), LeaseDurationSeconds: ptr.To[int32](40)},
	}
}
