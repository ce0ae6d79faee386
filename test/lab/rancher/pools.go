package rancher

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// machinePool holds the fields of spec.rkeConfig.machinePools[] that the stand-in reads.
type machinePool struct {
	Name                  string            `json:"name"`
	Quantity              *int64            `json:"quantity"`
	ControlPlaneRole      bool              `json:"controlPlaneRole"`
	EtcdRole              bool              `json:"etcdRole"`
	WorkerRole            bool              `json:"workerRole"`
	MachineOS             string            `json:"machineOS"`
	Labels                map[string]string `json:"labels"`
	MachineLabels         map[string]string `json:"machineDeploymentLabels"`
	MachineAnnotations    map[string]string `json:"machineDeploymentAnnotations"`
	Taints                []any             `json:"taints"`
	Paused                bool              `json:"paused"`
	UnhealthyNodeTimeout  string            `json:"unhealthyNodeTimeout"`
	NodeStartupTimeout    string            `json:"nodeStartupTimeout"`
	MaxUnhealthy          string            `json:"maxUnhealthy"`
	MachineConfigRef      map[string]any    `json:"machineConfigRef"`
	DrainBeforeDelete     bool              `json:"drainBeforeDelete"`
	DrainBeforeDeleteTime string            `json:"drainBeforeDeleteTimeout"`
}

// ensurePools makes MachineDeployments and MachineHealthChecks match the machine pools. A
// deleted pool deletes its machines. Source:
// rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5
// (machineDeployments).
func (r *Rancher) ensurePools(ctx context.Context, c *object) error {
	raw, _, _ := unstructured.NestedSlice(c.Object, "spec", "rkeConfig", "machinePools")
	wanted := map[string]bool{}
	for i, e := range raw {
		var p machinePool
		if err := decode(e, &p); err != nil {
			return fmt.Errorf("machinePools[%d]: %w", i, err)
		}
		name := deploymentName(c.GetName(), p.Name)
		switch {
		case p.Name == "":
			return fmt.Errorf("machinePools[%d]: invalid machinePool [] missing name", i)
		case !p.ControlPlaneRole && !p.EtcdRole && !p.WorkerRole:
			return fmt.Errorf("at least one role of etcd, control-plane or worker must be assigned to machinePool [%s]", p.Name)
		case wanted[name]:
			return fmt.Errorf("duplicate machinePool name [%s] used", p.Name)
		}
		wanted[name] = true
		if err := r.ensurePool(ctx, c, p, name); err != nil {
			return err
		}
	}
	have, err := r.list(ctx, gvrDeployment, c.GetNamespace(), labelCAPICluster+"="+c.GetName())
	if err != nil {
		return err
	}
	var errs []error
	for i := range have {
		if n := have[i].GetName(); !wanted[n] {
			errs = append(errs, r.removePool(ctx, c.GetNamespace(), n))
		}
	}
	return errors.Join(errs...)
}

// deploymentName returns the name of a pool's MachineDeployment. A name of 64 or more
// characters is cut after its 57th, or before that one if it is neither a small letter nor a
// digit, and completed with the beginning of its digest. Source:
// rancher/wrangler:pkg/name/name.go@v2.1.4 (SafeConcatName).
func deploymentName(cluster, pool string) string {
	full := cluster + "-" + pool
	if len(full) < 64 {
		return full
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(full)))
	if last := full[56]; last >= 'a' && last <= 'z' || last >= '0' && last <= '9' {
		return full[:57] + "-" + sum[:5]
	}
	return full[:56] + "-" + sum[:6]
}

func (r *Rancher) removePool(ctx context.Context, namespace, name string) error {
	machines, err := r.list(ctx, gvrMachine, namespace, labelCAPIDeployment+"="+name)
	if err != nil {
		return err
	}
	for i := range machines {
		if err := r.remove(ctx, gvrMachine, namespace, machines[i].GetName()); err != nil {
			return err
		}
	}
	return errors.Join(r.remove(ctx, gvrHealthCheck, namespace, name), r.remove(ctx, gvrDeployment, namespace, name))
}

func (r *Rancher) ensurePool(ctx context.Context, c *object, p machinePool, name string) error {
	spec, err := deploymentSpec(c.GetName(), p, name)
	if err != nil {
		return err
	}
	o := newObject(gvrDeployment, "MachineDeployment", c.GetNamespace(), name)
	o.SetLabels(map[string]string{labelCAPICluster: c.GetName(), labelOS: osOf(p)})
	o.SetAnnotations(p.MachineAnnotations)
	o.Object["spec"] = spec
	found, err := r.ensure(ctx, gvrDeployment, o)
	if err != nil {
		return err
	}
	if !equality.Semantic.DeepEqual(found.Object["spec"], any(spec)) {
		err = r.mutate(ctx, gvrDeployment, c.GetNamespace(), name, func(o *object) error {
			return unstructured.SetNestedMap(o.Object, spec, "spec")
		})
	}
	return errors.Join(err, r.ensureHealthCheck(ctx, c, p, name))
}

func osOf(p machinePool) string {
	if p.MachineOS == "" {
		return "linux"
	}
	return p.MachineOS
}

func deploymentSpec(cluster string, p machinePool, name string) (map[string]any, error) {
	labels := map[string]string{
		labelCAPICluster: cluster, labelClusterName: cluster, labelCAPIDeployment: name, labelPool: p.Name, labelOS: osOf(p),
	}
	for l, on := range map[string]bool{labelControlPlane: p.ControlPlaneRole, labelEtcd: p.EtcdRole, labelWorker: p.WorkerRole} {
		if on {
			labels[l] = "true"
		}
	}
	if p.ControlPlaneRole {
		labels["cluster.x-k8s.io/control-plane"] = "true"
	}
	annotations := map[string]string{}
	if !p.DrainBeforeDelete {
		annotations["machine.cluster.x-k8s.io/exclude-node-draining"] = "true"
	}
	if len(p.Labels) > 0 {
		maps.Copy(labels, p.Labels)
		b, err := json.Marshal(p.Labels)
		if err != nil {
			return nil, err
		}
		annotations[annotationLabels] = string(b)
	}
	if len(p.Taints) > 0 {
		b, err := json.Marshal(p.Taints)
		if err != nil {
			return nil, err
		}
		annotations[annotationTaints] = string(b)
	}
	spec, err := plain(map[string]any{
		"clusterName": cluster,
		"replicas":    quantity(p),
		"paused":      p.Paused,
		"selector":    map[string]any{"matchLabels": map[string]string{labelCAPIDeployment: name}},
		"strategy":    map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"deletePolicy": "Oldest"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels, "annotations": annotations},
			"spec": map[string]any{
				"clusterName":       cluster,
				"bootstrap":         map[string]any{"configRef": map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKEBootstrapTemplate", "name": cluster + "-bootstrap-template"}},
				"infrastructureRef": map[string]any{"apiVersion": "rke-machine.cattle.io/v1", "kind": "Amazonec2MachineTemplate", "name": name},
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return spec.(map[string]any), nil
}

func quantity(p machinePool) int64 {
	if p.Quantity == nil {
		return 1
	}
	return *p.Quantity
}

const machineConfigKind = "Amazonec2Config"

// checkTemplates returns an error if the template of a pool with machines is missing. Rancher then
// generates no object of the Cluster: no edit reaches its RKEControlPlane. Source:
// rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@00914879
// (machineDeployments, toMachineTemplate).
func (r *Rancher) checkTemplates(ctx context.Context, c *object) error {
	raw, _, _ := unstructured.NestedSlice(c.Object, "spec", "rkeConfig", "machinePools")
	for _, e := range raw {
		pool, _ := e.(map[string]any)
		if quantity, set := pool["quantity"].(int64); set && quantity == 0 {
			continue
		}
		if _, err := r.poolTemplate(ctx, c.GetNamespace(), pool); err != nil {
			return err
		}
	}
	return nil
}

// poolTemplate returns the object that a pool's machineConfigRef names, or nil for a pool that is
// not made by the EC2 node driver.
func (r *Rancher) poolTemplate(ctx context.Context, namespace string, pool map[string]any) (map[string]any, error) {
	ref, _ := pool["machineConfigRef"].(map[string]any)
	name, _ := ref["name"].(string)
	if ref["kind"] != machineConfigKind || name == "" {
		return nil, nil
	}
	o, err := r.get(ctx, gvrMachineConfig, namespace, name)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fmt.Errorf("%s %q not found", gvrMachineConfig.GroupResource(), name)
	}
	return o.Object, nil
}

// poolSpec returns the raw entry of a pool, for the Infrastructure.
func poolSpec(c *object, pool string) map[string]any {
	raw, _, _ := unstructured.NestedSlice(c.Object, "spec", "rkeConfig", "machinePools")
	for _, e := range raw {
		if m, ok := e.(map[string]any); ok && m["name"] == pool {
			return m
		}
	}
	return nil
}
