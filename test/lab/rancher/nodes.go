package rancher

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func (r *Rancher) downstreamNodes(ctx context.Context) ([]corev1.Node, error) {
	l, err := r.down.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, fmt.Errorf("listing downstream Nodes: %w", err)
	}
	return l.Items, nil
}

// nodeOfMachine finds the Node by the label that RKE2 was started with. A Node without a
// provider ID, or one that is not Ready, is ignored. Source:
// rancher/rancher:pkg/controllers/capr/machinenodelookup/controller.go@v2.8.5.
func nodeOfMachine(uid string, nodes []corev1.Node) *corev1.Node {
	for i := range nodes {
		n := &nodes[i]
		if n.Labels[labelMachineUID] == uid {
			// The first one decides, as in Rancher, even when another would do.
			if n.Spec.ProviderID != "" && nodeReady(n) == corev1.ConditionTrue {
				return n
			}
			return nil
		}
	}
	return nil
}

func nodeReady(n *corev1.Node) corev1.ConditionStatus {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

func nodeNamed(name string, nodes []corev1.Node) *corev1.Node {
	for i := range nodes {
		if nodes[i].Name == name {
			return &nodes[i]
		}
	}
	return nil
}

// observeNode copies the provider ID once and never again, sets nodeRef once, and keeps the
// Node's health and facts current in the Machine's status.
func (r *Rancher) observeNode(ctx context.Context, m *object, nodes []corev1.Node) error {
	if str(m, "spec", "providerID") == "" {
		n := nodeOfMachine(string(m.GetUID()), nodes)
		if n == nil {
			return nil
		}
		err := r.mutate(ctx, gvrMachine, m.GetNamespace(), m.GetName(), func(o *object) error {
			if str(o, "spec", "providerID") != "" {
				return nil
			}
			return unstructured.SetNestedField(o.Object, n.Spec.ProviderID, "spec", "providerID")
		})
		if err != nil {
			return err
		}
		return r.writeNodeStatus(ctx, m, n)
	}
	if name := str(m, "status", "nodeRef", "name"); name != "" {
		n := nodeNamed(name, nodes)
		return errors.Join(r.annotateNode(ctx, m, n), r.writeNodeStatus(ctx, m, n))
	}
	for i := range nodes {
		if nodes[i].Spec.ProviderID == str(m, "spec", "providerID") {
			return r.writeNodeStatus(ctx, m, &nodes[i])
		}
	}
	return nil
}

// annotateNode writes the Machine's name to the Node. n is nil if the Node is gone. Source:
// kubernetes-sigs/cluster-api:internal/controllers/machine/machine_controller_noderef.go@v1.5
// (reconcileNode).
func (r *Rancher) annotateNode(ctx context.Context, m *object, n *corev1.Node) error {
	if n == nil || n.Annotations[annotationMachine] == m.GetName() {
		return nil
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q,%q:%q,%q:%q}}}`, labelCAPICluster, str(m, "spec", "clusterName"),
		"cluster.x-k8s.io/cluster-namespace", m.GetNamespace(), annotationMachine, m.GetName())
	if _, err := r.down.CoreV1().Nodes().Patch(ctx, n.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("annotating Node %s: %w", n.Name, err)
	}
	return nil
}

// writeNodeStatus writes the Node's state to its Machine; n is nil if the Node is gone.
func (r *Rancher) writeNodeStatus(ctx context.Context, m *object, n *corev1.Node) error {
	now := r.cfg.Clock.Now()
	healthy := condition{Type: "NodeHealthy", Status: "False", Severity: "Error", Reason: "NodeNotFound"}
	var info, addresses any
	if n != nil {
		healthy = nodeHealth(n)
		var err error
		if info, err = plain(n.Status.NodeInfo); err != nil {
			return err
		}
		if addresses, err = plain(n.Status.Addresses); err != nil {
			return err
		}
	}
	return r.settleStatus(ctx, gvrMachine, m, func(o *object) error {
		errs := []error{
			setCondition(o, healthy, now, true),
			setCondition(o, condition{Type: "Ready", Status: "True"}, now, true),
		}
		if n != nil {
			errs = append(errs, unstructured.SetNestedField(o.Object, info, "status", "nodeInfo"),
				unstructured.SetNestedField(o.Object, "Running", "status", "phase"))
			if list, ok := addresses.([]any); ok {
				errs = append(errs, unstructured.SetNestedSlice(o.Object, list, "status", "addresses"))
			}
			if str(o, "status", "nodeRef", "name") == "" {
				errs = append(errs, unstructured.SetNestedMap(o.Object, map[string]any{
					"apiVersion": "v1", "kind": "Node", "name": n.Name, "uid": string(n.UID)}, "status", "nodeRef"))
			}
		}
		return errors.Join(errs...)
	})
}

// nodeHealth returns Cluster API's summary of a Node: Ready must be True, and the three
// pressure conditions False. An Unknown condition makes the summary Unknown. Source:
// kubernetes-sigs/cluster-api:internal/controllers/machine/machine_controller_noderef.go@v1.5
// (summarizeNodeConditions).
func nodeHealth(n *corev1.Node) condition {
	status, message := corev1.ConditionTrue, ""
	worsen := func(c corev1.NodeCondition, bad bool) {
		switch {
		case bad:
			status, message = corev1.ConditionFalse, message+fmt.Sprintf("Node condition %s is %s. ", c.Type, c.Status)
		case c.Status == corev1.ConditionUnknown:
			if status == corev1.ConditionTrue {
				status = corev1.ConditionUnknown
			}
			message += fmt.Sprintf("Node condition %s is %s. ", c.Type, c.Status)
		}
	}
	for _, c := range n.Status.Conditions {
		switch c.Type {
		case corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure:
			worsen(c, c.Status == corev1.ConditionTrue)
		case corev1.NodeReady:
			worsen(c, c.Status == corev1.ConditionFalse)
		default: // Cluster API looks at no other
		}
	}
	switch status {
	case corev1.ConditionFalse:
		return condition{Type: "NodeHealthy", Status: "False", Severity: "Warning", Reason: "NodeConditionsFailed", Message: message}
	case corev1.ConditionUnknown:
		return condition{Type: "NodeHealthy", Status: "Unknown", Reason: "NodeConditionsFailed", Message: message}
	default:
		return condition{Type: "NodeHealthy", Status: "True"}
	}
}
