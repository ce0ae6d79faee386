package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func templates() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "rke-machine-config.cattle.io", Version: "v1", Resource: "amazonec2configs"}
}

// Templates returns the Amazonec2Config of every pool that refers to one. The instances are tagged
// for the cluster's name, as the subnets and the security group of the account are. No template
// has a zone, so that the lab distributes the machines over all zones.
func Templates(o Options, network aws.Network) ([]*unstructured.Unstructured, error) {
	cluster, err := Object(o)
	if err != nil {
		return nil, err
	}
	pools, _, err := unstructured.NestedSlice(cluster.Object, "spec", "rkeConfig", "machinePools")
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, item := range pools {
		pool, _ := item.(map[string]any)
		ref, _ := pool["machineConfigRef"].(map[string]any)
		if ref["kind"] != "Amazonec2Config" {
			continue
		}
		role := aws.RoleWorker
		if pool["controlPlaneRole"] == true {
			role = aws.RoleControlPlane
		}
		out = append(out, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": templates().GroupVersion().String(), "kind": "Amazonec2Config",
			"metadata": map[string]any{"name": ref["name"], "namespace": ClusterNamespace},
			"ami":      "ami-0123456789abcdef0", "region": network.Region, "vpcId": network.VpcID, "securityGroup": []any{"rancher-nodes"},
			"httpEndpoint": aws.EndpointEnabled, "httpTokens": o.IMDS, "iamInstanceProfile": aws.Profile(role),
			"tags": "kubernetes.io/cluster/" + network.ClusterID + ",owned", "sshUser": "ubuntu",
		}})
	}
	return out, nil
}

// applyTemplates creates the templates, or restores them.
func (l *Lab) applyTemplates(ctx context.Context) error {
	wanted, err := Templates(l.options, l.cloud.Network())
	if err != nil {
		return err
	}
	client := l.mgmtObjects.Resource(templates()).Namespace(ClusterNamespace)
	for _, o := range wanted {
		_, err := client.Create(ctx, o, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			var have *unstructured.Unstructured
			if have, err = client.Get(ctx, o.GetName(), metav1.GetOptions{}); err != nil {
				return err
			}
			o.SetResourceVersion(have.GetResourceVersion())
			_, err = client.Update(ctx, o, metav1.UpdateOptions{})
		}
		if err != nil {
			return fmt.Errorf("template %s: %w", o.GetName(), err)
		}
	}
	return nil
}
