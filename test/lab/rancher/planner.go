package rancher

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pass is one pass of the planner over one cluster: its input, and the status that it will
// write.
type pass struct {
	*Rancher
	cp      *object
	spec    controlPlaneSpec
	release release
	entries []*entry
	status  passStatus
}

// passStatus is the part of an RKEControlPlane's status that the planner owns.
type passStatus struct {
	bootstrapped, provisioned, initialized bool
	stable                                 *bool
	snapshot                               map[string]any
	phase                                  string
}

func (r *Rancher) reconcileControlPlanes(ctx context.Context) error {
	all, err := r.list(ctx, gvrControlPlane, "", "")
	if err != nil {
		return err
	}
	var errs []error
	for i := range all {
		if all[i].GetDeletionTimestamp() != nil {
			continue
		}
		if err := r.reconcileControlPlane(ctx, &all[i]); err != nil {
			errs = append(errs, fmt.Errorf("RKEControlPlane %s/%s: %w", all[i].GetNamespace(), all[i].GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// reconcileControlPlane runs the planner and writes its result. A wait makes Ready and
// Reconciled Unknown, regardless of earlier results. An error makes both False. appliedSpec is
// written only without a wait. Source:
// rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.8.5 (OnChange).
func (r *Rancher) reconcileControlPlane(ctx context.Context, cp *object) error {
	p := &pass{Rancher: r, cp: cp, status: passStatus{
		bootstrapped: isTrue(cp, "Bootstrapped"), provisioned: isTrue(cp, "Provisioned"), initialized: boolean(cp, "status", "initialized"),
		snapshot: mapAt(cp, "status", "etcdSnapshotCreate"), phase: str(cp, "status", "etcdSnapshotCreatePhase"),
	}}
	err := decode(cp.Object["spec"], &p.spec)
	if err == nil {
		err = p.process(ctx)
	}
	return errors.Join(r.settleStatus(ctx, gvrControlPlane, cp, func(o *object) error {
		return p.report(o, err)
	}), ignoreWait(err))
}

// ignoreWait returns err unless it only means that the planner waits.
func ignoreWait(err error) error {
	if _, ok := errors.AsType[waitError](err); ok {
		return nil
	}
	return err
}

func (p *pass) report(o *object, err error) error {
	now := p.cfg.Clock.Now()
	ready, reconciled := condition{Type: "Ready", Status: "True"}, condition{Type: "Reconciled", Status: "True"}
	if w, ok := errors.AsType[waitError](err); ok {
		ready = condition{Type: "Ready", Status: "Unknown", Reason: "Waiting", Message: w.Error()}
		reconciled = condition{Type: "Reconciled", Status: "Unknown", Reason: "Waiting", Message: "RKEControlPlane has not been fully reconciled yet"}
	} else if err != nil {
		ready = condition{Type: "Ready", Status: "False", Reason: "Error", Message: err.Error()}
		reconciled = condition{Type: "Reconciled", Status: "False", Reason: "Error", Message: err.Error()}
	}
	errs := []error{
		setCondition(o, ready, now, false), setCondition(o, reconciled, now, false),
		unstructured.SetNestedField(o.Object, p.cp.GetGeneration(), "status", "observedGeneration"),
		unstructured.SetNestedField(o.Object, p.status.initialized, "status", "initialized"),
		unstructured.SetNestedField(o.Object, p.status.initialized, "status", "ready"),
	}
	if p.status.bootstrapped {
		errs = append(errs, setCondition(o, condition{Type: "Bootstrapped", Status: "True"}, now, false))
	}
	if p.status.provisioned {
		errs = append(errs, setCondition(o, condition{Type: "Provisioned", Status: "True"}, now, false))
	}
	if err == nil {
		stable := true
		p.status.stable = &stable
		errs = append(errs, unstructured.SetNestedMap(o.Object, mapAt(p.cp, "spec"), "status", "appliedSpec"))
	}
	if s := p.status.stable; s != nil {
		text := map[bool]string{true: "True", false: "False"}[*s]
		errs = append(errs, setCondition(o, condition{Type: "Stable", Status: text}, now, false))
	}
	return errors.Join(append(errs, p.reportSnapshot(o))...)
}

// process is the planner. Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (Process).
func (p *pass) process(ctx context.Context) error {
	version, err := p.version(ctx)
	if err != nil {
		return err
	}
	if p.release, err = releaseFor(version, p.spec.KubernetesVersion); err != nil {
		return err
	}
	capi, err := p.get(ctx, gvrCAPICluster, p.cp.GetNamespace(), p.cp.GetName())
	switch {
	case err != nil:
		return err
	case capi == nil:
		return waitError("CAPI cluster does not exist")
	case !boolean(capi, "status", "infrastructureReady"):
		return waitError("waiting for infrastructure ready")
	}
	if p.entries, err = p.load(ctx); err != nil {
		return err
	}
	if !p.hasAllRoles() {
		unstable := false
		p.status.stable, p.status.initialized = &unstable, false
		return waitError("waiting for at least one control plane, etcd, and worker node to be registered")
	}
	p.status.provisioned = true
	if err := p.createSnapshot(ctx); err != nil {
		return err
	}
	// A pause stops only what comes after here: a snapshot is not interrupted.
	if _, annotated := p.cp.GetAnnotations()[annotationPaused]; annotated || boolean(capi, "spec", "paused") {
		return waitError("CAPI cluster or RKEControlPlane is paused")
	}
	return p.fullReconcile(ctx)
}

// version returns the setting server-version, or else the configured version.
func (p *pass) version(ctx context.Context) (string, error) {
	s, err := p.get(ctx, gvrSetting, "", "server-version")
	if err != nil {
		return "", err
	}
	if s != nil && str(s, "value") != "" {
		return str(s, "value"), nil
	}
	return p.cfg.Version, nil
}

// hasAllRoles reports whether every role has a machine that is not being deleted.
func (p *pass) hasAllRoles() bool {
	has := func(role func(target) bool) bool {
		for _, e := range p.entries {
			if !e.Deleting && role(e.target) {
				return true
			}
		}
		return false
	}
	return has(target.controlPlane) && has(target.etcd) && has(target.worker)
}

func (p *pass) secret(ctx context.Context) secretReader {
	return func(namespace, name string) (*corev1.Secret, error) {
		return p.mgmt.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	}
}

func (p *pass) desired(ctx context.Context, e *entry, join string) (nodePlan, error) {
	t := e.target
	t.Join = join
	return desiredPlan(p.spec, p.release, t, p.secret(ctx), p.cp.GetName(), p.cp.GetNamespace())
}

// deliver writes a plan and removes the results of the previous one. Source:
// rancher/rancher:pkg/capr/planner/store.go@v2.8.5 (UpdatePlan).
func (p *pass) deliver(ctx context.Context, e *entry, raw, joinedTo string, failureThreshold string) error {
	secrets := p.mgmt.CoreV1().Secrets(e.Namespace)
	s, err := secrets.Get(ctx, planSecretName(e.Name), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Data["plan"] = []byte(raw)
	s.Data["max-failures"], s.Data["failure-threshold"] = []byte("-1"), []byte(failureThreshold)
	delete(s.Data, "probe-statuses")
	delete(s.Annotations, annotationProbesPassed)
	s.Annotations[annotationPlanUpdated] = p.cfg.Clock.Now().UTC().Format(time.RFC3339)
	switch {
	case joinedTo == "-" || e.InitNode:
		delete(s.Annotations, annotationJoinedTo)
	case joinedTo != "":
		s.Annotations[annotationJoinedTo] = joinedTo
	}
	if s, err = secrets.Update(ctx, s, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("delivering the plan of Machine %s: %w", e.Name, err)
	}
	e.Annotations = s.Annotations
	e.Plan, err = readPlan(s)
	return err
}
