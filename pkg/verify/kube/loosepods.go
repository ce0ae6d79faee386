package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// makers returns the kinds whose pods are judged by their template; see workloads. Pods of
// other kinds, such as CloneSets, are treated as pods without an owner.
func makers() []schema.GroupKind {
	return []schema.GroupKind{
		{Group: "apps", Kind: "ReplicaSet"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Kind: "ReplicationController"}, {Group: "batch", Kind: "Job"},
	}
}

// loosePods reads the pods without a workload that run a controller manager or an API server,
// or that have an in-tree EBS volume or an image from ECR. Only loose pods are read in full; of all others only
// metadata is read.
func (r Reader) loosePods(ctx context.Context) verify.Read[[]downstream.Pod] {
	return selection[downstream.Pod]{
		name: "pods", resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		needsRead: func(m metav1.Object) bool { return !madeBy(m, makers()...) },
		get: func(ctx context.Context, namespace, name string) ([]downstream.Pod, error) {
			p, err := r.Kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return filter([]corev1.Pod{*p}, convertLoosePod), nil
		},
		list: func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]downstream.Pod] {
			return collect(ctx, r, "pods", opts, r.Kube.CoreV1().Pods(namespace).List, func(l *corev1.PodList) []downstream.Pod {
				return filter(l.Items, convertLoosePod)
			})
		},
	}.read(ctx, r)
}

func convertLoosePod(p *corev1.Pod) (downstream.Pod, bool) {
	if madeBy(p, makers()...) {
		return downstream.Pod{}, false
	}
	out := downstream.Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName, Phase: string(p.Status.Phase)}
	interesting := downstream.Interesting(convertContainers(p.Spec))
	if interesting {
		out = convertPod(p)
	}
	out.EBS, out.ECR = onEBS(p.Spec), onECR(p.Spec)
	out.PullSecrets = out.ECR && len(p.Spec.ImagePullSecrets) > 0
	return out, interesting || out.EBS || out.ECR
}

// madeBy reports whether the object's controller is of one of the kinds, in any version.
func madeBy(m metav1.Object, kinds ...schema.GroupKind) bool {
	maker := metav1.GetControllerOfNoCopy(m)
	if maker == nil {
		return false
	}
	group, err := schema.ParseGroupVersion(maker.APIVersion)
	for _, k := range kinds {
		if err == nil && k == (schema.GroupKind{Group: group.Group, Kind: maker.Kind}) {
			return true
		}
	}
	return false
}
