package rancher

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// load reads the cluster's Machines with their plan Secrets, by name. The planner does not know
// a Machine without Secret yet. Source: rancher/rancher:pkg/capr/planner/store.go@v2.8.5
// (Load).
func (p *pass) load(ctx context.Context) ([]*entry, error) {
	selector := labelCAPICluster + "=" + p.cp.GetName()
	machines, err := p.list(ctx, gvrMachine, p.cp.GetNamespace(), selector)
	if err != nil {
		return nil, err
	}
	plans, err := p.planSecrets(ctx, p.cp.GetNamespace(), selector)
	if err != nil {
		return nil, err
	}
	var out []*entry
	for i := range machines {
		s := plans[machines[i].GetName()]
		if s == nil {
			continue
		}
		e, err := newEntry(&machines[i], s)
		if err != nil {
			return nil, err
		}
		if err := p.setJoinURL(ctx, &machines[i], e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// planSecrets returns the matching plan Secrets, by the name of their Machine.
func (r *Rancher) planSecrets(ctx context.Context, namespace, selector string) (map[string]*corev1.Secret, error) {
	l, err := r.mgmt.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, FieldSelector: "type=" + secretTypePlan})
	if err != nil {
		return nil, fmt.Errorf("listing plan Secrets: %w", err)
	}
	out := map[string]*corev1.Secret{}
	for i := range l.Items {
		out[l.Items[i].Labels[labelMachineName]] = &l.Items[i]
	}
	return out, nil
}

func newEntry(m *object, s *corev1.Secret) (*entry, error) {
	e := &entry{
		machine: m, Name: m.GetName(), Namespace: m.GetNamespace(), Annotations: s.Annotations, InitNode: s.Labels[labelInitNode] == "true",
		Deleting: m.GetDeletionTimestamp() != nil, InfraReady: isTrue(m, "InfrastructureReady"),
		NodeRef: str(m, "status", "nodeRef", "name"), KubeletVersion: str(m, "status", "nodeInfo", "kubeletVersion"),
		target: target{UID: string(m.GetUID()), Labels: m.GetLabels(), NodeName: s.Labels[labelNodeName]},
	}
	if e.Annotations == nil {
		e.Annotations = map[string]string{}
	}
	if v := e.Annotations[annotationLabels]; v != "" {
		if err := json.Unmarshal([]byte(v), &e.target.Own); err != nil {
			return nil, fmt.Errorf("annotation %s of Machine %s: %w", annotationLabels, e.Name, err)
		}
	}
	if v := e.Annotations[annotationTaints]; v != "" {
		if err := json.Unmarshal([]byte(v), &e.target.Taints); err != nil {
			return nil, fmt.Errorf("annotation %s of Machine %s: %w", annotationTaints, e.Name, err)
		}
	}
	e.summarize(m)
	var err error
	e.Plan, err = readPlan(s)
	return e, err
}

// summarize reports whether the Machine has an error or is in transition, by its conditions
// except Reconciled, which the planner writes itself. Source:
// rancher/wrangler:pkg/summary/summarizers.go (TransitioningUnknown, TransitioningFalse,
// checkErrors).
func (e *entry) summarize(m *object) {
	if e.Deleting {
		e.Transitioning = true
		e.Summary = append(e.Summary, "machine is deleting")
	}
	for _, kind := range []string{"InfrastructureReady", "NodeHealthy", "PlanApplied"} {
		c := conditionOf(m, kind)
		text := c.Message
		if text == "" {
			text = c.Reason
		}
		switch {
		case c.Status == "False" && (kind != "InfrastructureReady" || c.Severity == "Error"):
			e.Errors = true
		case c.Status == "Unknown", c.Status == "False":
			e.Transitioning = true
		default:
			continue
		}
		if text != "" {
			e.Summary = append(e.Summary, text)
		}
	}
}

// Addresses is implemented by an Infrastructure that can have etcd-only machines. It returns
// the address that Rancher's own instruction captures on the first of them, because that
// machine has no API server to register a Node with. Source:
// rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (getJoinURLFromOutput).
type Addresses interface {
	Address(namespace, machine string) string
}

// bootstrapsAlone reports whether the machine is the first one, has only etcd, and has applied
// its plan.
func (e *entry) bootstrapsAlone() bool {
	return e.InitNode && e.target.etcd() && !e.target.controlPlane() && e.Plan != nil && e.Plan.InSync
}

// setJoinURL marks a server that others can join: one whose Node is known, or an etcd-only
// first one.
func (p *pass) setJoinURL(ctx context.Context, m *object, e *entry) error {
	if e.target.onlyWorker() || e.NodeRef == "" && !e.bootstrapsAlone() {
		return nil
	}
	address := ""
	if known, ok := p.cfg.Infrastructure.(Addresses); ok && e.NodeRef == "" {
		address = known.Address(e.Namespace, e.Name)
	}
	all, _, _ := unstructured.NestedSlice(m.Object, "status", "addresses")
	for _, a := range all {
		if am, ok := a.(map[string]any); ok && am["type"] == "InternalIP" && address == "" {
			address, _ = am["address"].(string)
		}
	}
	url := "https://" + address + ":9345"
	if address == "" || e.Annotations[annotationJoinURL] == url {
		return nil
	}
	e.Annotations[annotationJoinURL] = url
	return p.annotatePlan(ctx, e.Namespace, planSecretName(e.Name), map[string]string{annotationJoinURL: url})
}
