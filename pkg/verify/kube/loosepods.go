package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// makers are the kinds whose pods are judged by their template (workloads). Pods of
// any other kind, CloneSets for one, are read like those that nobody made.
func makers() []schema.GroupKind {
	return []schema.GroupKind{
		{Group: "apps", Kind: "ReplicaSet"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Kind: "ReplicationController"}, {Group: "batch", Kind: "Job"},
	}
}

// loosePods are the pods that no workload made and that run a controller manager, or
// an API server, or have a volume on in-tree EBS. Of all pods metadata alone is read, and in full only what is loose.
func (r Reader) loosePods(ctx context.Context) verify.Read[[]downstream.Pod] {
	return whole[downstream.Pod]{
		what: "pods", resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		open: func(m metav1.Object) bool { return !madeBy(m, makers()...) },
		get: func(ctx context.Context, namespace, name string) ([]downstream.Pod, error) {
			p, err := r.Kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return filter([]corev1.Pod{*p}, loosePod), nil
		},
		list: func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]downstream.Pod] {
			return collect(ctx, r, "pods", opts, r.Kube.CoreV1().Pods(namespace).List, func(l *corev1.PodList) []downstream.Pod {
				return filter(l.Items, loosePod)
			})
		},
	}.read(ctx, r)
}

func loosePod(p *corev1.Pod) (downstream.Pod, bool) {
	if madeBy(p, makers()...) {
		return downstream.Pod{}, false
	}
	ebs := onEBS(p.Spec)
	if !downstream.Interesting(containers(p.Spec)) {
		return downstream.Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName, Phase: string(p.Status.Phase), EBS: ebs}, ebs
	}
	out := pod(p)
	out.EBS = ebs
	return out, true
}

// madeBy says whether an object of one of the kinds, in whatever version, made this
// one.
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
