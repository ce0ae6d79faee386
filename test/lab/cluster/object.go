package cluster

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The lab's one cluster.
const (
	ClusterName      = "demo"
	ClusterNamespace = "fleet-default"
)

// Object returns the provisioning.cattle.io Cluster that the lab creates. It has the form of
// Rancher's UI (server settings in machineGlobalConfig, the cloud provider in an entry without
// selector; rancher-rke2 facts 3.3), with the options' patch merged over it.
func Object(o Options) (*unstructured.Unstructured, error) {
	pools, err := o.Pools()
	if err != nil {
		return nil, err
	}
	rke := map[string]any{
		"machineGlobalConfig": map[string]any{
			"cni": "calico", "disable-kube-proxy": false, "etcd-expose-metrics": false,
		},
		"machineSelectorConfig": []any{map[string]any{"config": map[string]any{
			"cloud-provider-name": "aws", "protect-kernel-defaults": false,
		}}},
		"upgradeStrategy": map[string]any{
			"controlPlaneConcurrency": "1", "workerConcurrency": "1",
			"controlPlaneDrainOptions": map[string]any{"enabled": false},
			"workerDrainOptions":       map[string]any{"enabled": false},
		},
		"etcd": map[string]any{"snapshotRetention": 5, "snapshotScheduleCron": "0 */5 * * *"},
	}
	if o.Layout != Custom {
		rke["machinePools"] = machinePools(pools)
	}
	object := map[string]any{
		"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": ClusterName, "namespace": ClusterNamespace},
		"spec":     map[string]any{"kubernetesVersion": o.Version, "rkeConfig": rke},
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if raw, err = mergePatch(raw, o.ClusterPatch); err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(raw)
}

func mergePatch(raw, patch []byte) ([]byte, error) {
	if len(patch) == 0 {
		return raw, nil
	}
	asJSON, err := yaml.YAMLToJSONStrict(patch)
	if err != nil {
		return nil, fmt.Errorf("the patch over the Cluster object is no YAML: %w", err)
	}
	out, err := jsonpatch.MergePatch(raw, asJSON)
	if err != nil {
		return nil, fmt.Errorf("merging the patch over the Cluster object: %w", err)
	}
	return out, nil
}

func machinePools(pools []Pool) []any {
	var out []any
	for _, p := range pools {
		pool := map[string]any{
			"name": p.Name, "quantity": p.Quantity,
			"machineConfigRef": map[string]any{"kind": "Amazonec2Config", "name": "nc-" + ClusterName + "-" + p.Name},
		}
		for role, has := range map[string]bool{"controlPlaneRole": p.ControlPlane, "etcdRole": p.Etcd, "workerRole": p.Worker} {
			if has {
				pool[role] = true
			}
		}
		out = append(out, pool)
	}
	return out
}
