package cluster

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/test/lab/managed"
)

// rememberManaged takes the baseline of a cluster that Rancher made with rke.
func (l *Lab) rememberManaged(ctx context.Context) error {
	object, err := l.mgmtObjects.Resource(managed.Clusters()).Get(ctx, ManagedID, metav1.GetOptions{})
	if err != nil {
		return err
	}
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(l.downstream)
	if err != nil {
		return err
	}
	l.baseline = baseline{spec: spec}
	if l.baseline.downstream, err = takeInventory(ctx, l.down.Discovery(), objects, nil); err != nil {
		return err
	}
	l.baseline.management, err = takeInventory(ctx, l.mgmt.Discovery(), l.mgmtObjects, []string{"clusters"})
	return err
}

// resetManaged returns the steps of a reset of a cluster that Rancher manages with rke. Rancher
// itself does the rollback.
func (l *Lab) resetManaged() []resetStep {
	return []resetStep{
		{"AWS and machines", l.resetMachines},
		{"machines and API", l.waitNodes},
		{"new objects", func(ctx context.Context) (err error) { l.baseline.removed, err = l.removeNew(ctx); return err }},
		{"the Cluster", l.resetManagedCluster},
		{"Cluster applied", l.waitManaged},
		{"Nodes", l.resetNodes},
		{"Leases", l.resetLeases},
		{"pods of cloud controller managers", l.waitPodsGone},
		{"Service default/web", l.seed},
		{"machines and Nodes", l.waitNodes},
		{"load balancer", l.waitService},
		{"controllers", l.waitLeader},
		{"Cluster Ready", l.waitManaged},
	}
}

func (l *Lab) resetManagedCluster(ctx context.Context) error {
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec", "value": l.baseline.spec}})
	if err != nil {
		return err
	}
	_, err = l.mgmtObjects.Resource(managed.Clusters()).Patch(ctx, ManagedID, types.JSONPatchType, patch, metav1.PatchOptions{})
	return err
}
