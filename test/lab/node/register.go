package node

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes"
)

// register creates the Node or reconciles the one of that name, and retries until it succeeds.
// It returns false if ctx ended first.
func (k *kubelet) register(ctx context.Context) bool {
	for step := 200 * time.Millisecond; ; step = min(2*step, 7*time.Second) {
		err := k.tryRegister(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() == nil {
			k.a.logf("kubelet: registering node %s: %v", k.id.Name, err)
		}
		if !wait(ctx, k.a.c.Clock, step) {
			return false
		}
	}
}

func (k *kubelet) tryRegister(ctx context.Context) error {
	node := initialNode(k.id, k.rendering.Kubelet)
	k.setStatus(node, false)
	nodes := k.client.CoreV1().Nodes()
	created, err := nodes.Create(ctx, node, metav1.CreateOptions{})
	if err == nil {
		k.a.logf("kubelet: created node %s", k.id.Name)
		k.setNodeUID(created.UID)
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	existing, err := nodes.Get(ctx, k.id.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	changed := existing.DeepCopy()
	reconcileExisting(changed, k.id)
	if err := patchNode(ctx, k.client, existing, changed); err != nil {
		return err
	}
	k.setNodeUID(existing.UID)
	return nil
}

func (k *kubelet) setNodeUID(uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodeUID = string(uid)
}

func (k *kubelet) getNodeUID() types.UID {
	k.mu.Lock()
	defer k.mu.Unlock()
	return types.UID(k.nodeUID)
}

// labelNode sets the annotations and labels that RKE2 sets because a kubelet may not.
func (k *kubelet) labelNode(ctx context.Context) {
	for {
		err := k.tryLabelNode(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		k.a.logf("rke2: annotating node %s: %v", k.id.Name, err)
		if !wait(ctx, k.a.c.Clock, time.Second) {
			return
		}
	}
}

func (k *kubelet) tryLabelNode(ctx context.Context) error {
	existing, err := k.a.admin.CoreV1().Nodes().Get(ctx, k.id.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	changed := existing.DeepCopy()
	if changed.Labels == nil {
		changed.Labels = map[string]string{}
	}
	maps.Copy(changed.Labels, rke2Labels(k.config, k.a.c.Roles))
	for key, value := range rke2Annotations(k.config, k.id, k.rendering.Server) {
		setAnnotation(&changed.ObjectMeta, key, value)
	}
	return patchNode(ctx, k.a.admin, existing, changed)
}

// patchNode writes the difference in metadata and spec, or nothing if both are equal.
func patchNode(ctx context.Context, client kubernetes.Interface, before, after *corev1.Node) error {
	patch, err := nodePatch(before, after)
	if err != nil || string(patch) == "{}" {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, before.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

func patchNodeStatus(ctx context.Context, client kubernetes.Interface, before, after *corev1.Node) error {
	patch, err := nodePatch(before, after)
	if err != nil || string(patch) == "{}" {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, before.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func nodePatch(before, after *corev1.Node) ([]byte, error) {
	old, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	now, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(old, now, corev1.Node{})
}
