package kube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// nodePageSize is smaller than that of other objects because a Node has 20 KB.
const nodePageSize = 250

// nodes reads the fields of Nodes that rules use. Images and managedFields, which are most of a
// list of 5,000 Nodes, are dropped.
func (r Reader) nodes(ctx context.Context) verify.Read[[]downstream.Node] {
	nodes, err := r.listNodes(ctx)
	if err != nil {
		return verify.Failed[[]downstream.Node](fmt.Errorf("listing nodes: %w", err))
	}
	return verify.Got(nodes)
}

func (r Reader) listNodes(ctx context.Context) ([]downstream.Node, error) {
	words := intern{}
	return listPages(ctx, r, metav1.ListOptions{Limit: nodePageSize}, r.Kube.CoreV1().Nodes().List, func(l *corev1.NodeList) []downstream.Node {
		page := filter(l.Items, func(n *corev1.Node) (downstream.Node, bool) { return convertNode(n, words), true })
		if r.OnNodes != nil {
			r.OnNodes(page)
		}
		return page
	})
}

// intern keeps one copy of strings that repeat on many Nodes.
type intern map[string]string

func (m intern) get(s string) string {
	if len(s) > textLimit {
		s = cut(s, textLimit)
	}
	if have, ok := m[s]; ok {
		return have
	}
	if len(m) < 4096 {
		m[s] = s
	}
	return s
}

// Limits in bytes of the texts kept of a Node. Kubernetes allows nothing longer, except
// annotations, which hold the arguments of RKE2.
const textLimit, annotationLimit = 4 << 10, 64 << 10

// cut shortens a text above the limit and marks it, so that it equals no valid value.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:limit], len(s))
}

// getAnnotation is get with the limit of annotations.
func (m intern) getAnnotation(s string) string {
	if len(s) <= textLimit {
		return m.get(s)
	}
	return cut(s, annotationLimit)
}

// annotationNodeConfig is written by RKE2's agent when its service starts
// (k3s-io/k3s:pkg/nodeconfig/nodeconfig.go, rke2.io for RKE2).
const annotationNodeConfig = "rke2.io/node-config-hash"

// convertNode converts a Node and keeps the fields that rules use.
func convertNode(n *corev1.Node, words intern) downstream.Node {
	out := downstream.Node{
		Name: cut(n.Name, textLimit), UID: string(n.UID), ProviderID: cut(n.Spec.ProviderID, textLimit),
		Labels: make(map[string]string, len(n.Labels)), Annotations: map[string]string{},
		Unschedulable: n.Spec.Unschedulable, ConfigHash: words.get(n.Annotations[annotationNodeConfig]), Kubelet: words.get(n.Status.NodeInfo.KubeletVersion), Created: n.CreationTimestamp.Time,
	}
	for k, v := range n.Labels {
		out.Labels[words.get(k)] = words.get(v)
	}
	for _, k := range []string{downstream.AnnotationArgs, downstream.AnnotationHost, downstream.AnnotationOurs,
		downstream.AnnotationRKEInternal, downstream.AnnotationRKEExternal} {
		if v, ok := n.Annotations[k]; ok {
			out.Annotations[k] = words.getAnnotation(v)
		}
	}
	for _, t := range n.Spec.Taints {
		out.Taints = append(out.Taints, downstream.Taint{Key: words.get(t.Key), Value: words.get(t.Value), Effect: words.get(string(t.Effect))})
	}
	for _, a := range n.Status.Addresses {
		out.Addresses = append(out.Addresses, downstream.Address{Type: words.get(string(a.Type)), Address: cut(a.Address, textLimit)})
	}
	for _, c := range n.Status.Conditions {
		cond := downstream.Condition{Status: words.get(string(c.Status)), Reason: words.get(c.Reason), Message: words.get(c.Message), Since: c.LastTransitionTime.Time}
		switch c.Type {
		case corev1.NodeReady:
			out.Ready = cond
		case corev1.NodeNetworkUnavailable:
			out.Network = cond
		default: // no check uses it
		}
	}
	for _, image := range n.Status.Images {
		for _, name := range image.Names {
			if downstream.OnECR(name) {
				out.ECRImages++
				break
			}
		}
	}
	return out
}
