package rancher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// reconcileMachines is one pass over MachineDeployments and Machines. It skips a paused Cluster
// API cluster.
func (r *Rancher) reconcileMachines(ctx context.Context) error {
	clusters, err := r.list(ctx, gvrCAPICluster, "", "")
	if err != nil {
		return err
	}
	nodes, nodesErr := r.downstreamNodes(ctx)
	var errs []error
	for i := range clusters {
		c := &clusters[i]
		if boolean(c, "spec", "paused") || c.GetAnnotations()[annotationPaused] != "" {
			continue
		}
		errs = append(errs, r.reconcileClusterMachines(ctx, c, nodes, nodesErr == nil))
	}
	return errors.Join(errs...)
}

func (r *Rancher) reconcileClusterMachines(ctx context.Context, c *object, nodes []corev1.Node, nodesKnown bool) error {
	selector := labelCAPICluster + "=" + c.GetName()
	deployments, err := r.list(ctx, gvrDeployment, c.GetNamespace(), selector)
	if err != nil {
		return err
	}
	machines, err := r.list(ctx, gvrMachine, c.GetNamespace(), selector)
	if err != nil {
		return err
	}
	plans, err := r.planSecrets(ctx, c.GetNamespace(), selector)
	if err != nil {
		return err
	}
	var errs []error
	for i := range deployments {
		if err := r.scale(ctx, &deployments[i], machines); err != nil {
			errs = append(errs, fmt.Errorf("MachineDeployment %s: %w", deployments[i].GetName(), err))
		}
	}
	for i := range machines {
		m := &machines[i]
		err := r.reconcileMachine(ctx, m, plans[m.GetName()], nodes, nodesKnown)
		if err != nil && !errors.Is(err, errRunning) {
			errs = append(errs, fmt.Errorf("Machine %s: %w", m.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// scale adjusts the number of Machines of a deployment. Surplus Machines are deleted oldest
// first, after those marked for deletion. A Machine that is being deleted does not count.
func (r *Rancher) scale(ctx context.Context, d *object, machines []object) error {
	if boolean(d, "spec", "paused") {
		return nil
	}
	var live []*object
	ready := int64(0)
	for i := range machines {
		m := &machines[i]
		if m.GetLabels()[labelCAPIDeployment] != d.GetName() || m.GetDeletionTimestamp() != nil {
			continue
		}
		live = append(live, m)
		if str(m, "status", "nodeRef", "name") != "" && isTrue(m, "NodeHealthy") {
			ready++
		}
	}
	want := integer(d, "spec", "replicas")
	slices.SortFunc(live, deleteOrder)
	for int64(len(live)) > want {
		if err := r.remove(ctx, gvrMachine, d.GetNamespace(), live[0].GetName()); err != nil {
			return err
		}
		live = live[1:]
	}
	have := int64(len(live))
	for ; have < want; have++ {
		m := machineFor(d)
		if _, err := r.dyn.Resource(gvrMachine).Namespace(d.GetNamespace()).Create(ctx, m, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating Machine %s: %w", m.GetName(), err)
		}
	}
	return r.settleStatus(ctx, gvrDeployment, d, func(o *object) error {
		phase := "Running"
		if ready != want {
			phase = "ScalingUp"
		}
		return unstructured.SetNestedMap(o.Object, map[string]any{
			"observedGeneration": d.GetGeneration(), "replicas": have, "updatedReplicas": have, "readyReplicas": ready,
			"availableReplicas": ready, "unavailableReplicas": max(want-ready, 0), "phase": phase,
		}, "status")
	})
}

func deleteOrder(a, b *object) int {
	marked := func(m *object) int {
		if _, ok := m.GetAnnotations()[annotationDeleteFirst]; ok {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(marked(a), marked(b)), a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time), cmp.Compare(a.GetName(), b.GetName()))
}

// machineFor returns a new Machine of a deployment. Its name has the form of a MachineSet's:
// deployment, a hash of the template, five random characters. The infrastructure object is
// named after the template of the pool, whose name Rancher derives from its contents. Cluster
// API gives both one name from v1.7 on, but Rancher 2.8 has v1.5. Source:
// kubernetes-sigs/cluster-api:controllers/external/util.go@v1.5 (GenerateTemplate).
func machineFor(d *object) *object {
	hash := utilrand.SafeEncodeString(strconv.FormatUint(uint64(fnvSum(d.GetName())), 10))
	m := newObject(gvrMachine, "Machine", d.GetNamespace(), d.GetName()+"-"+hash+"-"+utilrand.String(5))
	labels, _, _ := unstructured.NestedStringMap(d.Object, "spec", "template", "metadata", "labels")
	annotations, _, _ := unstructured.NestedStringMap(d.Object, "spec", "template", "metadata", "annotations")
	m.SetLabels(labels)
	m.SetAnnotations(annotations)
	m.SetFinalizers([]string{finalizerMachine})
	infra := fmt.Sprintf("%s-%08x-%s", d.GetName(), fnvSum(d.GetName()), utilrand.String(5))
	m.Object["spec"] = machineSpec(str(d, "spec", "clusterName"), m.GetName(), "rke-machine.cattle.io/v1", "Amazonec2Machine", infra)
	return m
}

func machineSpec(cluster, name, infraVersion, infraKind, infra string) map[string]any {
	return map[string]any{
		"clusterName":       cluster,
		"bootstrap":         map[string]any{"configRef": map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKEBootstrap", "name": name}, "dataSecretName": name + "-machine-bootstrap"},
		"infrastructureRef": map[string]any{"apiVersion": infraVersion, "kind": infraKind, "name": infra},
	}
}
