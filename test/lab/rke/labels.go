package rke

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotations by which rke notes a node's addresses.
const (
	externalIP = "rke.cattle.io/external-ip"
	internalIP = "rke.cattle.io/internal-ip"
)

// labels sets labels, taints and annotations of Nodes (rancher/rke:cluster/cluster.go
// SyncLabelsAndTaints@v1.5.10).
func (r *run) labels(ctx context.Context) error {
	r.Log.infof("[sync] Syncing nodes Labels and Taints")
	client, err := r.kube()
	if err != nil {
		return err
	}
	err = failures(r.cluster.Hosts, workers, func(h *Host) error {
		var err error
		for range attempts + 1 {
			var n *corev1.Node
			if n, err = r.node(ctx, h); err != nil {
				continue
			}
			before := n.DeepCopy()
			h.mark(n)
			if equality.Semantic.DeepEqual(before, n) {
				return nil
			}
			if _, err = client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}); err == nil || !r.wait(ctx) {
				return err
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Log.infof("[sync] Successfully synced nodes Labels and Taints")
	return nil
}

// mark adds rke's labels, taints and annotations to a Node.
func (h *Host) mark(n *corev1.Node) {
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[externalIP], n.Annotations[internalIP] = h.Address, h.InternalAddress
	for name, value := range h.Labels {
		n.Labels[name] = value
	}
	for role, has := range map[string]bool{"etcd": h.Etcd, "controlplane": h.ControlPlane, "worker": h.Worker} {
		if has {
			n.Labels["node-role.kubernetes.io/"+role] = "true"
			continue
		}
		delete(n.Labels, "node-role.kubernetes.io/"+role)
	}
	var taints []corev1.Taint
	if !h.Worker && h.Etcd {
		taints = append(taints, parseTaint(etcdTaint))
	}
	if !h.Worker && h.ControlPlane {
		taints = append(taints, parseTaint(controlTaint))
	}
	for _, t := range h.Taints {
		taints = append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	for _, t := range taints {
		same := func(o corev1.Taint) bool { return o.Key == t.Key && o.Value == t.Value && o.Effect == t.Effect }
		if !slices.ContainsFunc(n.Spec.Taints, same) {
			n.Spec.Taints = append(n.Spec.Taints, t)
		}
	}
}

func parseTaint(text string) corev1.Taint {
	key, rest, _ := strings.Cut(text, "=")
	value, effect, _ := strings.Cut(rest, ":")
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
}
