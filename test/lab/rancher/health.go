package rancher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ensureHealthCheck keeps the MachineHealthCheck of a pool with an unhealthyNodeTimeout, and
// deletes that of any other pool. Source:
// rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5
// (deploymentHealthChecks).
func (r *Rancher) ensureHealthCheck(ctx context.Context, c *object, p machinePool, name string) error {
	timeout, err := duration(p.UnhealthyNodeTimeout)
	if err != nil {
		return fmt.Errorf("machinePool [%s] unhealthyNodeTimeout: %w", p.Name, err)
	}
	if timeout <= 0 {
		return r.remove(ctx, gvrHealthCheck, c.GetNamespace(), name)
	}
	spec := map[string]any{
		"clusterName": c.GetName(),
		"selector":    map[string]any{"matchLabels": map[string]any{labelCAPIDeployment: name}},
		"unhealthyConditions": []any{
			map[string]any{"type": "Ready", "status": "Unknown", "timeout": p.UnhealthyNodeTimeout},
			map[string]any{"type": "Ready", "status": "False", "timeout": p.UnhealthyNodeTimeout},
		},
	}
	if p.MaxUnhealthy != "" {
		spec["maxUnhealthy"] = p.MaxUnhealthy
	}
	if p.NodeStartupTimeout != "" {
		spec["nodeStartupTimeout"] = p.NodeStartupTimeout
	}
	o := newObject(gvrHealthCheck, "MachineHealthCheck", c.GetNamespace(), name)
	o.SetLabels(map[string]string{labelCAPICluster: c.GetName()})
	o.Object["spec"] = spec
	found, err := r.ensure(ctx, gvrHealthCheck, o)
	if err != nil || equality.Semantic.DeepEqual(found.Object["spec"], any(spec)) {
		return err
	}
	return r.mutate(ctx, gvrHealthCheck, c.GetNamespace(), name, func(o *object) error {
		return unstructured.SetNestedMap(o.Object, spec, "spec")
	})
}

func duration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	return time.ParseDuration(s)
}

// reconcileHealth deletes the Machines that failed their health check for too long.
func (r *Rancher) reconcileHealth(ctx context.Context) error {
	checks, err := r.list(ctx, gvrHealthCheck, "", "")
	if err != nil || len(checks) == 0 || !r.agent.up() {
		return err
	}
	nodes, err := r.downstreamNodes(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for i := range checks {
		errs = append(errs, r.checkHealth(ctx, &checks[i], nodes))
	}
	return errors.Join(errs...)
}

func (r *Rancher) checkHealth(ctx context.Context, check *object, nodes []corev1.Node) error {
	machines, err := r.list(ctx, gvrMachine, check.GetNamespace(), labelCAPIDeployment+"="+check.GetName())
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(check.Object, "spec", "unhealthyConditions")
	if len(conditions) == 0 {
		return nil
	}
	timeoutText, _ := conditions[0].(map[string]any)["timeout"].(string)
	timeout, err := duration(timeoutText)
	if err != nil {
		return fmt.Errorf("MachineHealthCheck %s: %w", check.GetName(), err)
	}
	startup, err := duration(str(check, "spec", "nodeStartupTimeout"))
	if err != nil {
		return fmt.Errorf("MachineHealthCheck %s: %w", check.GetName(), err)
	}
	if startup == 0 {
		startup = 10 * time.Minute
	}
	var lost []*object
	for i := range machines {
		m := &machines[i]
		if m.GetDeletionTimestamp() == nil && r.givenUp(m, nodes, timeout, startup) {
			lost = append(lost, m)
		}
	}
	limit, err := maxUnhealthy(str(check, "spec", "maxUnhealthy"), len(machines))
	if err != nil {
		return fmt.Errorf("MachineHealthCheck %s: %w", check.GetName(), err)
	}
	if len(lost) > limit {
		return nil // too many at once: remediation is not allowed
	}
	for _, m := range lost {
		r.cfg.Log.Info("machine health check deletes a machine", "machine", m.GetName())
		if err := r.remove(ctx, gvrMachine, m.GetNamespace(), m.GetName()); err != nil {
			return err
		}
	}
	return nil
}

// givenUp reports whether a Machine's Node was unhealthy for long enough: a deleted Node at
// once, a False or Unknown one after the timeout, and a missing one after the start-up timeout.
func (r *Rancher) givenUp(m *object, nodes []corev1.Node, timeout, startup time.Duration) bool {
	uid, now := string(m.GetUID()), r.cfg.Clock.Now()
	name := str(m, "status", "nodeRef", "name")
	if name == "" {
		return now.Sub(m.GetCreationTimestamp().Time) > startup
	}
	n := nodeNamed(name, nodes)
	if n == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if nodeReady(n) == corev1.ConditionTrue {
		delete(r.unwell, uid)
		return false
	}
	since, ok := r.unwell[uid]
	if !ok {
		r.unwell[uid], since = now, now
	}
	return now.Sub(since) >= timeout
}

// maxUnhealthy parses a number or a percentage, rounded down; an empty one means all.
func maxUnhealthy(setting string, count int) (int, error) {
	if setting == "" {
		return count, nil
	}
	if p, ok := strings.CutSuffix(setting, "%"); ok {
		f, err := strconv.ParseFloat(p, 64)
		return int(math.Floor(f * float64(count) / 100)), err
	}
	return strconv.Atoi(setting)
}
