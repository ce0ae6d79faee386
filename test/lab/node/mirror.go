package node

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	configSource = "kubernetes.io/config.source"
	configHash   = "kubernetes.io/config.hash"
	configSeen   = "kubernetes.io/config.seen"
)

// mirrorPod returns the Pod object of a static pod on a Node. The API server sets its UID; hash
// and time are the manifest's.
func mirrorPod(p *staticPod, nodeName string, nodeUID types.UID) *corev1.Pod {
	pod := p.manifest.DeepCopy()
	pod.Name = p.manifest.Name + "-" + nodeName
	pod.UID = ""
	hash := string(p.manifest.UID)
	pod.Annotations = map[string]string{
		configSource: "file", configHash: hash, corev1.MirrorPodAnnotationKey: hash,
		configSeen: p.seen.UTC().Format(time.RFC3339Nano),
	}
	pod.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: nodeUID, Controller: ptr.To(true)},
	}
	pod.Spec.NodeName = nodeName
	pod.Spec.Tolerations = []corev1.Toleration{{Effect: corev1.TaintEffectNoExecute, Operator: corev1.TolerationOpExists}}
	return pod
}

// syncMirror updates the mirror pod of a static pod: it creates it, or replaces it if the
// manifest changed, and keeps its status.
func (k *kubelet) syncMirror(ctx context.Context, p *staticPod, existing *corev1.Pod) error {
	pods := k.client.CoreV1().Pods(metav1.NamespaceSystem)
	hash := string(p.manifest.UID)
	if existing != nil && (existing.Annotations[configHash] != hash || existing.DeletionTimestamp != nil) {
		err := pods.Delete(ctx, existing.Name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To[int64](0), Preconditions: metav1.NewUIDPreconditions(string(existing.UID)),
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		existing = nil
	}
	if existing == nil {
		created, err := pods.Create(ctx, mirrorPod(p, k.id.Name, k.getNodeUID()), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil // not in the watch yet
		}
		if err != nil {
			return err
		}
		existing = created
	}
	status := podStatus(existing, []taskState{p.task.snapshot()}, k.podFacts(existing, p.seen))
	if equality.Semantic.DeepEqual(existing.Status, status) {
		return nil
	}
	changed := existing.DeepCopy()
	changed.Status = status
	_, err := pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // the next round reads it again
	}
	return err
}
