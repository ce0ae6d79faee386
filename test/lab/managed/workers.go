package managed

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

func (c *Controller) nodes(ctx context.Context) ([]unstructured.Unstructured, error) {
	list, err := c.Management.Resource(Nodes()).Namespace(c.ID).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// upgradeWorkers applies new plans to the workers, if there are any, under a separate version
// (rkeworkerupgrader/upgrade.go, upgradeCluster).
func (c *Controller) upgradeWorkers(ctx context.Context, want map[string]any) error {
	plans, err := kubelets(c.Engine("").Release, want)
	if err != nil {
		return err
	}
	nodes, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(nodes, func(n unstructured.Unstructured) bool { return workerOnly(&n) && !hasPlan(&n, plans[address(&n)]) }) {
		return c.notePlans(ctx, want)
	}
	err = c.status(ctx, func(s map[string]any) {
		if version, ok := s["nodeVersion"].(int64); ok && message(s, "Upgraded") == "" {
			s["nodeVersion"] = version + 1
		}
		setCondition(s, "Upgraded", "Unknown", "updating worker nodes")
	})
	if err != nil {
		return err
	}
	if err := c.up(ctx, rke.Workers, want); err != nil {
		return c.status(ctx, func(s map[string]any) { setCondition(s, "Upgraded", "Unknown", err.Error()) })
	}
	if err := c.notePlans(ctx, want); err != nil {
		return err
	}
	return c.status(ctx, func(s map[string]any) { setCondition(s, "Upgraded", "True", "") })
}

// notePlans writes to every Node its plan, and that the plan was applied.
func (c *Controller) notePlans(ctx context.Context, want map[string]any) error {
	plans, err := kubelets(c.Engine("").Release, want)
	if err != nil {
		return err
	}
	cluster, err := c.Management.Resource(Clusters()).Get(ctx, c.ID, metav1.GetOptions{})
	if err != nil {
		return err
	}
	version, _, _ := unstructured.NestedInt64(cluster.Object, "status", "nodeVersion")
	nodes, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	for i := range nodes {
		name, plan := nodes[i].GetName(), plans[address(&nodes[i])]
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			o, err := c.Management.Resource(Nodes()).Namespace(c.ID).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			status, _, _ := unstructured.NestedMap(o.Object, "status")
			status["nodePlan"] = map[string]any{"version": version, "plan": map[string]any{
				"processes": map[string]any{"kubelet": map[string]any{"name": "kubelet", "command": plan}}}}
			status["appliedNodeVersion"] = version
			o.Object["status"] = status
			_, err = c.Management.Resource(Nodes()).Namespace(c.ID).UpdateStatus(ctx, o, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			return fmt.Errorf("plan of Node %s/%s: %w", c.ID, name, err)
		}
	}
	return nil
}

// kubelets returns the kubelets' commands by the machine's address.
func kubelets(release rke.Release, want map[string]any) (map[string][]any, error) {
	config, err := decode(want)
	if err != nil {
		return nil, err
	}
	cluster, err := release.Resolve(config)
	if err != nil {
		return nil, err
	}
	out := map[string][]any{}
	for _, h := range cluster.Hosts {
		spec := cluster.Plan(h)["kubelet"]
		for _, word := range append(slices.Clone(spec.Entrypoint), spec.Cmd...) {
			out[h.Address] = append(out[h.Address], word)
		}
	}
	return out, nil
}

func hasPlan(node *unstructured.Unstructured, plan []any) bool {
	have, _, _ := unstructured.NestedSlice(node.Object, "status", "nodePlan", "plan", "processes", "kubelet", "command")
	return reflect.DeepEqual(have, plan)
}

func address(node *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(node.Object, "status", "rkeNode", "address")
	return text
}

func workerOnly(node *unstructured.Unstructured) bool {
	roles, _, _ := unstructured.NestedStringSlice(node.Object, "status", "rkeNode", "role")
	return len(roles) == 1 && roles[0] == "worker"
}
