package rancher

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// nodeDeletionTimeout bounds Cluster API's attempts to delete a Machine's Node; afterwards it
// deletes the Machine all the same
// (kubernetes-sigs/cluster-api:api/v1beta1/machine_types.go@v1.5, nodeDeletionTimeout).
const nodeDeletionTimeout = 10 * time.Second

const customMachine = "CustomMachine"

func (r *Rancher) reconcileMachine(ctx context.Context, m *object, plan *corev1.Secret, nodes []corev1.Node, nodesKnown bool) error {
	if m.GetDeletionTimestamp() != nil {
		return r.removeMachine(ctx, m)
	}
	if plan == nil {
		return r.ensurePlanSecret(ctx, m)
	}
	if !isTrue(m, "InfrastructureReady") {
		return r.provision(ctx, m)
	}
	if err := r.observePlan(ctx, m, plan); err != nil {
		return err
	}
	if !nodesKnown || !r.agent.up() {
		return nil // Rancher cannot see the downstream cluster
	}
	return r.observeNode(ctx, m, nodes)
}

// provision creates the machine in the Infrastructure. A custom machine registered itself, so
// it exists.
func (r *Rancher) provision(ctx context.Context, m *object) error {
	var err error
	if str(m, "spec", "infrastructureRef", "kind") != customMachine {
		spec, specErr := r.describe(ctx, m)
		if specErr == nil {
			spec.Template, specErr = r.poolTemplate(ctx, spec.Namespace, spec.PoolSpec)
		}
		if specErr != nil {
			return specErr
		}
		err = r.background(ctx, "provision/"+string(m.GetUID()), func(ctx context.Context) error {
			return r.cfg.Infrastructure.Provision(ctx, spec)
		})
	}
	now := r.cfg.Clock.Now()
	infra := condition{Type: "InfrastructureReady", Status: "True"}
	phase := "Provisioned"
	if err != nil {
		infra = condition{Type: "InfrastructureReady", Status: "False", Severity: "Info", Reason: "WaitingForInfrastructure", Message: "creating server"}
		phase = "Provisioning"
	}
	writeErr := r.settleStatus(ctx, gvrMachine, m, func(o *object) error {
		ready := infra
		ready.Type = "Ready"
		return errors.Join(
			unstructured.SetNestedField(o.Object, err == nil, "status", "infrastructureReady"),
			unstructured.SetNestedField(o.Object, true, "status", "bootstrapReady"),
			unstructured.SetNestedField(o.Object, phase, "status", "phase"),
			setCondition(o, condition{Type: "BootstrapReady", Status: "True"}, now, true),
			setCondition(o, infra, now, true), setCondition(o, ready, now, true))
	})
	return errors.Join(err, writeErr)
}

// describe returns the Machine as the Infrastructure needs it.
func (r *Rancher) describe(ctx context.Context, m *object) (Machine, error) {
	l := m.GetLabels()
	out := Machine{
		Namespace: m.GetNamespace(), Name: m.GetName(), UID: string(m.GetUID()), Cluster: str(m, "spec", "clusterName"), Pool: l[labelPool],
		ControlPlane: l[labelControlPlane] == "true", Etcd: l[labelEtcd] == "true", Worker: l[labelWorker] == "true",
		NodeName: l[labelNodeName], OS: l[labelOS], Infrastructure: str(m, "spec", "infrastructureRef", "name"),
	}
	c, err := r.get(ctx, gvrCluster, out.Namespace, out.Cluster)
	if err != nil {
		return out, err
	}
	if c != nil {
		out.PoolSpec, out.ManagementID = poolSpec(c, out.Pool), str(c, "status", "clusterName")
	}
	return out, nil
}

func planSecretName(machine string) string { return machine + "-machine-plan" }

// ensurePlanSecret creates the Secret that carries plans to the machine's agent.
func (r *Rancher) ensurePlanSecret(ctx context.Context, m *object) error {
	ns, name := m.GetNamespace(), planSecretName(m.GetName())
	labels := maps.Clone(m.GetLabels())
	labels[labelMachineName] = m.GetName()
	annotations := map[string]string{}
	for _, a := range []string{annotationLabels, annotationTaints} {
		if v := m.GetAnnotations()[a]; v != "" {
			annotations[a] = v
		}
	}
	_, err := r.mgmt.CoreV1().Secrets(ns).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: labels, Annotations: annotations},
		Type:       secretTypePlan,
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating Secret %s/%s: %w", ns, name, err)
	}
	return nil
}

// observePlan updates the condition PlanApplied and marks a plan whose probes have passed once.
// Source: rancher/rancher:pkg/controllers/capr/plansecret/plansecret.go@v2.8.5.
func (r *Rancher) observePlan(ctx context.Context, m *object, s *corev1.Secret) error {
	p, err := readPlan(s)
	if err != nil {
		return err
	}
	if p != nil && p.InSync && p.Healthy && len(s.Data["probe-statuses"]) > 0 && !p.ProbesPassed {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, annotationProbesPassed, r.cfg.Clock.Now().UTC().Format(time.RFC3339))
		if _, err := r.mgmt.CoreV1().Secrets(s.Namespace).Update(ctx, s, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	applied := condition{Type: "PlanApplied", Status: "True"}
	if f := s.Data["failed-checksum"]; len(f) > 0 && string(f) == checksum(s.Data["plan"]) {
		applied = condition{Type: "PlanApplied", Status: "False", Severity: "Error", Reason: "Error",
			Message: "error applying plan -- check rancher-system-agent.service logs on node for more information"}
	}
	return r.settleStatus(ctx, gvrMachine, m, func(o *object) error {
		return setCondition(o, applied, r.cfg.Clock.Now(), true)
	})
}

// removeMachine removes the infrastructure, then the downstream Node, then the Machine.
func (r *Rancher) removeMachine(ctx context.Context, m *object) error {
	spec, err := r.describe(ctx, m)
	if err != nil {
		return err
	}
	if str(m, "status", "phase") != "Deleting" {
		err := r.settleStatus(ctx, gvrMachine, m, func(o *object) error {
			return unstructured.SetNestedField(o.Object, "Deleting", "status", "phase")
		})
		if err != nil {
			return err
		}
	}
	if str(m, "spec", "infrastructureRef", "kind") != customMachine {
		err := r.background(ctx, "terminate/"+string(m.GetUID()), func(ctx context.Context) error {
			return r.cfg.Infrastructure.Terminate(ctx, spec)
		})
		if err != nil {
			return err
		}
	}
	if node := str(m, "status", "nodeRef", "name"); node != "" {
		err := r.down.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{})
		overdue := r.cfg.Clock.Since(m.GetDeletionTimestamp().Time) > nodeDeletionTimeout
		if err != nil && !apierrors.IsNotFound(err) && !overdue {
			return fmt.Errorf("deleting Node %s: %w", node, err)
		}
	}
	err = r.mgmt.CoreV1().Secrets(m.GetNamespace()).Delete(ctx, planSecretName(m.GetName()), metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	r.mu.Lock()
	delete(r.unwell, string(m.GetUID()))
	r.mu.Unlock()
	return r.mutate(ctx, gvrMachine, m.GetNamespace(), m.GetName(), func(o *object) error {
		o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == finalizerMachine }))
		return nil
	})
}

func fnvSum(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // a hash never fails to write
	return h.Sum32()
}
