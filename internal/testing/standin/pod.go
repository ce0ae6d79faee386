package standin

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Pods returns n pods of a node: RKE2's mirror pods, and pods of Deployments.
func Pods(i, n int) []*corev1.Pod {
	pods := []*corev1.Pod{mirrorPod(i, "kube-proxy"), mirrorPod(i, "rke2-canal")}
	for len(pods) < n {
		pods = append(pods, ownedPod(i, len(pods)))
	}
	return pods[:n]
}

func mirrorPod(i int, name string) *corev1.Pod {
	pod := podOf(i, metav1.NamespaceSystem, name+"-"+Name(i), name)
	pod.Labels = map[string]string{"component": name, "tier": "control-plane"}
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "8fe1c2b6b1f0a2d5e8a7c6b5d4e3f201", "kubernetes.io/config.source": "file"}
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: Name(i), UID: uid(i), Controller: ptr.To(true)}}
	pod.Spec.HostNetwork = true
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return pod
}

// ownedPod returns a pod of a ReplicaSet that does not exist, since this API server has no
// garbage collector.
func ownedPod(i, k int) *corev1.Pod {
	app := fmt.Sprintf("app-%d", k)
	pod := podOf(i, metav1.NamespaceDefault, fmt.Sprintf("%s-6d4b75cb6d-%05d", app, i), app)
	pod.Labels = map[string]string{"app.kubernetes.io/name": app, "pod-template-hash": "6d4b75cb6d"}
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-6d4b75cb6d", UID: uid(k), Controller: ptr.To(true)}}
	return pod
}

func uid(i int) types.UID { return types.UID(fmt.Sprintf("5c0e6ce6-5c0e-4ce6-8ce6-%012d", i)) }

func podOf(i int, namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			NodeName: Name(i),
			Containers: []corev1.Container{{
				Name: app, Image: "index.docker.io/rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117", Command: []string{app},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
				}},
			}},
		},
	}
}

// Lease returns the heartbeat of a node's kubelet.
func Lease(i int) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: Name(i)},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(Name(i)), LeaseDurationSeconds: ptr.To[int32](40)},
	}
}
