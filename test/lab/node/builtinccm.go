package node

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// builtInCloudController simulates RKE2's own cloud controller manager: it initialises Nodes
// that have the taint, with the ProviderID rke2://<node>.
func (k *kubelet) builtInCloudController(ctx context.Context) {
	for ok := true; ok; ok = wait(ctx, k.a.c.Clock, 2*time.Second) {
		nodes, err := k.a.admin.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for i := range nodes.Items {
			node := &nodes.Items[i]
			changed := initialisedByRKE2(node)
			if changed == nil {
				continue
			}
			if _, err := k.a.admin.CoreV1().Nodes().Update(ctx, changed, metav1.UpdateOptions{}); err != nil && ctx.Err() == nil {
				k.a.logf("built-in cloud controller: node %s: %v", node.Name, err)
			}
		}
	}
}

// initialisedByRKE2 returns the initialised Node, or nil if the Node needs no change.
func initialisedByRKE2(node *corev1.Node) *corev1.Node {
	tainted := func(t corev1.Taint) bool { return t.Key == uninitializedTaint }
	if !slices.ContainsFunc(node.Spec.Taints, tainted) {
		return nil
	}
	changed := node.DeepCopy()
	changed.Spec.Taints = slices.DeleteFunc(changed.Spec.Taints, tainted)
	if changed.Spec.ProviderID == "" {
		changed.Spec.ProviderID = "rke2://" + node.Name
	}
	if changed.Labels == nil {
		changed.Labels = map[string]string{}
	}
	changed.Labels[corev1.LabelInstanceTypeStable] = "rke2"
	return changed
}
