package cluster

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

// Kubeconfigs returns the names of the lab's kubeconfigs: the management cluster and the
// downstream one directly as admin, and both through Rancher as operator and as viewer. Without
// Rancher they are the only cluster as admin and as viewer.
func Kubeconfigs(o Options) []string {
	if o.Distro == RKE && o.Real {
		return []string{"downstream"}
	}
	if o.Distro == RKE {
		return []string{"downstream", "downstream-viewer"}
	}
	return []string{"management", "downstream", "rancher", "rancher-viewer"}
}

// Scale sets the quantity of a machine pool in the Cluster object.
func (c *Client) Scale(ctx context.Context, pool string, quantity int) error {
	if c.Distro().ByRKE() {
		return errors.New("a cluster of rke's has no machine pools")
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Files.Kubeconfig("management"))
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	objects := client.Resource(clusters()).Namespace(ClusterNamespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := objects.Get(ctx, ClusterName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := setQuantity(object, pool, quantity); err != nil {
			return err
		}
		_, err = objects.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
}

func setQuantity(object *unstructured.Unstructured, pool string, quantity int) error {
	path := []string{"spec", "rkeConfig", "machinePools"}
	pools, _, err := unstructured.NestedSlice(object.Object, path...)
	if err != nil {
		return err
	}
	var names []string
	for _, item := range pools {
		p, ok := item.(map[string]any)
		if !ok {
			continue
		}
		if p["name"] == pool {
			p["quantity"] = int64(quantity)
			return unstructured.SetNestedSlice(object.Object, pools, path...)
		}
		names = append(names, fmt.Sprint(p["name"]))
	}
	return fmt.Errorf("cluster %s has no machine pool %q; it has %q", object.GetName(), pool, names)
}
