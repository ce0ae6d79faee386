package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

func controlPlanes() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
}

// resetTimeout bounds a reset.
const resetTimeout = 4 * time.Minute

// remember takes the baseline of a lab that has just become ready.
func (l *Lab) remember(ctx context.Context) error {
	switch l.options.Distro {
	case RKE:
		return l.rememberRKE(ctx)
	case RKE1:
		return l.rememberManaged(ctx)
	case RKE2:
	}
	object, err := l.mgmtObjects.Resource(clusters()).Namespace(ClusterNamespace).Get(ctx, ClusterName, metav1.GetOptions{})
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
	// Service accounts and similar objects are derived from namespaces; clusters are restored, not
	// deleted.
	l.baseline.management, err = takeInventory(ctx, l.mgmt.Discovery(), l.mgmtObjects, []string{"clusters"})
	return err
}

// reset restores the state of a booted lab when it became ready. It deletes newer objects,
// restores the Cluster's spec, the machines, their instances, the roles' policies and the
// nodes' cordons, and waits until everything is Ready again. Other changes of old objects
// remain. The records continue, because a reset is part of the observer's history.
func (l *Lab) reset(ctx context.Context, _ Order) (string, error) {
	if phase, detail, _ := l.state.get(); phase != PhaseReady {
		return "", fmt.Errorf("the lab is %s (%s); only a ready one is reset", phase, detail)
	}
	l.state.set(PhaseReset, "", time.Now())
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, resetTimeout, fmt.Errorf("the lab was not reset within %s", resetTimeout))
	defer cancel()
	l.setDowntime(0, 0)
	defer l.setDowntime(l.options.APIServerDown, l.options.ComponentDown)
	steps := map[Distro]func() []resetStep{RKE: l.resetRKE, RKE1: l.resetManaged, RKE2: l.resetRKE2}[l.options.Distro]
	if step, err := l.runSteps(ctx, steps()); err != nil {
		err = fmt.Errorf("resetting %s: %w", step, err)
		l.state.set(PhaseFailed, err.Error(), time.Now())
		return "", err
	}
	removed := l.baseline.removed
	l.state.set(PhaseReady, "", time.Now())
	return fmt.Sprintf("reset in %.0f s; removed %d objects: %s", time.Since(began).Seconds(), len(removed), strings.Join(removed, ", ")), nil
}

func (l *Lab) resetRKE2() []resetStep {
	return []resetStep{
		{"AWS and machines", l.resetMachines},
		{"new objects", func(ctx context.Context) (err error) { l.baseline.removed, err = l.removeNew(ctx); return err }},
		{"templates of machine pools", l.applyTemplates},
		{"the Cluster", l.resetCluster},
		{"Cluster applied", l.waitApplied},
		{"Nodes", l.resetNodes},
		{"Leases", l.resetLeases},
		{"pods of cloud controller managers", l.waitPodsGone},
		{"Service default/web", l.seed},
		{"machines and Nodes", l.waitNodes},
		{"load balancer", l.waitService},
		{"controllers", l.waitLeader},
		{"Cluster Ready", l.waitCluster},
	}
}

func (l *Lab) setDowntime(apiServer, component time.Duration) {
	for _, m := range l.machines.list() {
		m.agent.SetDowntime(apiServer, component)
	}
}

// resetMachines thaws frozen processes, powers on machines that are off, removes left manifests
// and restores the roles' policies.
func (l *Lab) resetMachines(_ context.Context) error {
	var errs []error
	if l.rancher != nil {
		l.rancher.Start()
	}
	for _, m := range l.machines.list() {
		m.agent.Thaw()
	}
	for _, p := range l.supervisor.Processes() {
		_ = p.Signal(syscall.SIGCONT) // only fails if the process has just exited
	}
	for role, actions := range aws.DefaultPolicies() {
		errs = append(errs, l.cloud.SetPolicy(role, actions))
	}
	l.cloud.SetThrottle(nil)
	if l.rancher != nil {
		errs = append(errs, l.rancher.Proxy(rancher.ProxyOpen))
	}
	for _, m := range l.machines.list() {
		m.agent.FailPlans("")
		errs = append(errs, m.agent.RemoveManifests())
		if instance, ok := l.cloud.Instance(m.Instance); ok && instance.State == aws.StateStopped {
			errs = append(errs, l.cloud.SetInstanceState(m.Instance, aws.StateRunning))
			m.agent.PowerOn()
		}
	}
	return errors.Join(errs...)
}

func (l *Lab) removeNew(ctx context.Context) ([]string, error) {
	down, err := l.baseline.downstream.removeNew(ctx)
	if l.options.Distro == RKE {
		return down, err
	}
	mgmt, mgmtErr := l.baseline.management.removeNew(ctx)
	return append(down, mgmt...), errors.Join(err, mgmtErr)
}

// resetCluster restores the spec and ends the pause.
func (l *Lab) resetCluster(ctx context.Context) error {
	release := []byte(`{"metadata":{"annotations":{"cluster.x-k8s.io/paused":null}}}`)
	_, err := l.mgmtObjects.Resource(controlPlanes()).Namespace(ClusterNamespace).Patch(ctx, ClusterName, types.MergePatchType, release, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec", "value": l.baseline.spec}})
	if err != nil {
		return err
	}
	_, err = l.mgmtObjects.Resource(clusters()).Namespace(ClusterNamespace).Patch(ctx, ClusterName, types.JSONPatchType, patch, metav1.PatchOptions{})
	return err
}

// waitApplied waits until the spec has reached every machine.
func (l *Lab) waitApplied(ctx context.Context) error {
	want, _, err := unstructured.NestedMap(l.baseline.spec, "rkeConfig")
	if err != nil {
		return err
	}
	return poll(ctx, 250*time.Millisecond, "the Cluster to be applied everywhere", func(ctx context.Context) (bool, string, error) {
		o, err := l.mgmtObjects.Resource(controlPlanes()).Namespace(ClusterNamespace).Get(ctx, ClusterName, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		spec, _, _ := unstructured.NestedMap(o.Object, "spec")
		applied, _, _ := unstructured.NestedMap(o.Object, "status", "appliedSpec")
		copied := equalJSON(spec["machineGlobalConfig"], want["machineGlobalConfig"]) && equalJSON(spec["machineSelectorConfig"], want["machineSelectorConfig"]) &&
			equalJSON(spec["additionalManifest"], want["additionalManifest"])
		ready, message := condition(o, "Ready")
		return copied && equalJSON(spec, applied) && ready == "True", fmt.Sprintf("copied: %t, condition Ready is %q: %s", copied, ready, message), nil
	})
}

// equalJSON compares as JSON, in which a missing and an empty value are equal.
func equalJSON(a, b any) bool {
	text := func(v any) string {
		raw, err := json.Marshal(v)
		if s := string(raw); err == nil && s != `""` && s != "null" {
			return s
		}
		return ""
	}
	return text(a) == text(b)
}

// resetNodes removes cordons and notes, and Nodes without a machine.
func (l *Lab) resetNodes(ctx context.Context) error {
	list, err := l.down.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range list.Items {
		annotations := map[string]any{}
		for key := range n.Annotations {
			if strings.HasPrefix(key, "awsmigrate.io/") {
				annotations[key] = nil
			}
		}
		if n.Spec.Unschedulable || len(annotations) > 0 {
			patch, err := json.Marshal(map[string]any{"spec": map[string]any{"unschedulable": nil}, "metadata": map[string]any{"annotations": annotations}})
			if err != nil {
				return err
			}
			_, err = l.down.CoreV1().Nodes().Patch(ctx, n.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			errs = append(errs, err)
		}
		if l.isOrphan(n) {
			errs = append(errs, l.down.CoreV1().Nodes().Delete(ctx, n.Name, metav1.DeleteOptions{}))
		}
	}
	return errors.Join(errs...)
}

// isOrphan reports whether a Node does not have its machine's name under the in-tree provider:
// the EC2 private DNS name.
func (l *Lab) isOrphan(n corev1.Node) bool {
	m := l.machineOf(n)
	return m == nil || n.Name != m.Facts.PrivateDNSName
}

// machineOf returns the machine of a Node: by Rancher's label, or on a cluster of rke by its
// private address. It returns nil for a Node that only exists.
func (l *Lab) machineOf(n corev1.Node) *machine {
	for _, m := range l.machines.list() {
		if !l.options.Distro.ByRKE() && m.UID == n.Labels["rke.cattle.io/machine"] {
			return m
		}
		for _, a := range n.Status.Addresses {
			if l.options.Distro.ByRKE() && a.Type == corev1.NodeInternalIP && a.Address == m.Facts.PrivateIP {
				return m
			}
		}
	}
	return nil
}

// resetLeases removes the Leases that only a migration creates, once no process renews them.
func (l *Lab) resetLeases(ctx context.Context) error {
	return poll(ctx, time.Second, "cloud controller managers to be gone", func(ctx context.Context) (bool, string, error) {
		for _, p := range l.supervisor.Processes() {
			if strings.Contains(p.Spec.Kind, "cloud-controller-manager") {
				return false, p.Spec.Name + " runs", nil
			}
		}
		for _, name := range leaseNames()[1:] {
			err := l.down.CoordinationV1().Leases("kube-system").Delete(ctx, name, metav1.DeleteOptions{})
			if err = ignoreNotFound(err); err != nil {
				return false, "", err
			}
		}
		return true, "", nil
	})
}

// waitPodsGone waits until every pod of a cloud controller manager is gone. A pod outlives its
// process, and a cluster before its migration has none.
func (l *Lab) waitPodsGone(ctx context.Context) error {
	return poll(ctx, 250*time.Millisecond, "pods of cloud controller managers to be gone", func(ctx context.Context) (bool, string, error) {
		list, err := l.down.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		for _, p := range list.Items {
			if strings.HasPrefix(p.Name, "aws-cloud-controller-manager") {
				return false, p.Name + " is there", nil
			}
		}
		return true, "", nil
	})
}

// waitLeader waits until a running controller manager holds the main lease.
func (l *Lab) waitLeader(ctx context.Context) error {
	return poll(ctx, 250*time.Millisecond, "a kube-controller-manager to lead", func(ctx context.Context) (bool, string, error) {
		leases, err := l.leases(ctx)
		if err != nil || len(leases) == 0 {
			return false, "", err
		}
		return leases[0].Exists && leases[0].AgeSeconds < 3, fmt.Sprintf("%s renewed %.1f s ago", leases[0].Holder, leases[0].AgeSeconds), nil
	})
}
