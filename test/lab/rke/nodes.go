package rke

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// node finds a host's Node by the host-name label, and only with external-aws also by its
// InternalIP (rancher/rke:k8s/node.go GetNode@v1.5.10; before v1.4.15 by the label only).
func (r *run) node(ctx context.Context, h *Host) (*corev1.Node, error) {
	client, err := r.kube()
	if err != nil {
		return nil, err
	}
	var listErr error
	for try := range attempts {
		r.Log.debugf("Checking node list for node [%v], try #%d", h.HostnameOverride, try+1)
		var list *corev1.NodeList
		if list, listErr = client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); listErr == nil {
			if n := r.cluster.find(list.Items, h); n != nil {
				return n, nil
			}
		}
		if !r.wait(ctx) {
			return nil, ctx.Err()
		}
	}
	if listErr != nil {
		return nil, listErr
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, h.HostnameOverride)
}

func (c *Cluster) find(nodes []corev1.Node, h *Host) *corev1.Node {
	byAddress := c.CloudProvider.Name == externalAWS && c.Release.knowsExternalAWS()
	for i := range nodes {
		if strings.EqualFold(nodes[i].Labels[corev1.LabelHostname], h.HostnameOverride) {
			return &nodes[i]
		}
		if !byAddress {
			continue
		}
		for _, a := range nodes[i].Status.Addresses {
			if a.Type == corev1.NodeInternalIP && a.Address == h.InternalAddress {
				return &nodes[i]
			}
		}
	}
	return nil
}

// nodeReady waits until a host's Node is Ready, for a few attempts.
func (r *run) nodeReady(ctx context.Context, h *Host, role string) error {
	for try := range attempts {
		r.Log.infof("[%s] Now checking status of node %v, try #%d", role, h.HostnameOverride, try+1)
		n, err := r.node(ctx, h)
		if err != nil {
			return fmt.Errorf("[%s] Error getting node %v: %w", role, h.HostnameOverride, err)
		}
		if isReady(*n) {
			return nil
		}
		if !r.wait(ctx) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("host %v not ready", h.HostnameOverride)
}

func isReady(n corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// notReadyAmong returns the hosts whose Node, by its label, is not Ready now. Without an answer
// it returns none.
func (r *run) notReadyAmong(ctx context.Context, hosts []*Host, role string) []string {
	client, err := r.kube()
	if err != nil {
		return nil
	}
	r.Log.infof("[%s] Getting list of nodes for upgrade", role)
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	ours := map[string]bool{}
	for _, h := range hosts {
		ours[h.HostnameOverride] = true
	}
	var out []string
	for _, n := range list.Items {
		if name := n.Labels[corev1.LabelHostname]; ours[name] && !isReady(n) {
			out = append(out, name)
		}
	}
	return out
}

// cordon sets or removes a cordon, regardless of its owner.
func (r *run) cordon(ctx context.Context, h *Host, cordoned bool) error {
	client, err := r.kube()
	if err != nil {
		return err
	}
	for range attempts {
		n, err := r.node(ctx, h)
		if err != nil {
			return err
		}
		if n.Spec.Unschedulable == cordoned {
			return nil
		}
		n.Spec.Unschedulable = cordoned
		if _, err = client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}); err == nil {
			return nil
		}
		if !r.wait(ctx) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("Failed to set cordonded state for node: %s", h.HostnameOverride) //nolint:staticcheck // rke's words
}
