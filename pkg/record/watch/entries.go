package watch

import (
	"bytes"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// machineOfNode names the Machine of a Node
// (kubernetes-sigs/cluster-api:internal/controllers/machine/machine_controller_noderef.go@v1.5.5).
const machineOfNode = "cluster.x-k8s.io/machine"

func leaseEntry(l *coordinationv1.Lease, gone bool) (record.Entry, bool) {
	out := record.Lease{Name: l.Name, UID: string(l.UID), ResourceVersion: l.ResourceVersion}
	if gone {
		return record.Entry{Lease: &record.Lease{Name: l.Name, Gone: true}}, true
	}
	if l.Spec.HolderIdentity != nil {
		out.Holder = *l.Spec.HolderIdentity
	}
	if l.Spec.LeaseDurationSeconds != nil {
		out.Seconds = int(*l.Spec.LeaseDurationSeconds)
	}
	if l.Spec.LeaseTransitions != nil {
		out.Transitions = int(*l.Spec.LeaseTransitions)
	}
	if l.Spec.AcquireTime != nil {
		out.Acquire = l.Spec.AcquireTime.UTC()
	}
	if l.Spec.RenewTime != nil {
		out.Renew = l.Spec.RenewTime.UTC()
	}
	out.Manager = renewer(l.ManagedFields)
	return record.Entry{Lease: &out}, true
}

// renewer returns the field manager that owns renewTime: the executable that renewed.
func renewer(entries []metav1.ManagedFieldsEntry) string {
	for _, e := range entries {
		if e.FieldsV1 != nil && bytes.Contains(e.FieldsV1.GetRawBytes(), []byte(`"f:renewTime"`)) {
			return e.Manager
		}
	}
	return ""
}

func podEntry(p *corev1.Pod, gone bool) (record.Entry, bool) {
	program, container := programOf(p)
	if program == "" {
		return record.Entry{}, false
	}
	_, mirror := p.Annotations[corev1.MirrorPodAnnotationKey]
	out := record.Pod{Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Program: program, Node: p.Spec.NodeName,
		Mirror: mirror, HostNetwork: p.Spec.HostNetwork, Deleting: p.DeletionTimestamp != nil, Gone: gone, Image: container.Image, Flags: flags(container), Frozen: frozen(p),
		MigrationFile: p.Annotations[wellknown.MigrationFileNote]}
	if p.Status.StartTime != nil {
		out.Started = p.Status.StartTime.UTC()
	}
	for _, c := range p.Status.Conditions {
		out.Ready = out.Ready || c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}
	for _, s := range p.Status.ContainerStatuses {
		if s.Name == container.Name {
			out.Containers = containers(s)
		}
	}
	return record.Entry{Pod: &out}, true
}

// programOf returns the controller manager that a pod runs, and its container.
func programOf(p *corev1.Pod) (string, downstream.Container) {
	var all []downstream.Container
	for _, c := range p.Spec.Containers {
		all = append(all, downstream.Container{Name: c.Name, Image: c.Image, Command: c.Command, Args: c.Args})
	}
	if c, is := downstream.RunsKCM(all); is {
		return wellknown.KCM, c
	}
	if c, is := downstream.RunsCCM(all); is {
		return wellknown.CCM, c
	}
	return "", downstream.Container{}
}

// flags returns the recorded flags of the program.
func flags(c downstream.Container) []string {
	args := c.Flags()
	var kept []string
	for _, name := range record.Flags() {
		if args.Has(name) {
			kept = append(kept, "--"+name+"="+args.Last(name))
		}
	}
	return kept
}

// frozen returns why a mirror pod may show outdated arguments, or "". It does not read the
// kubelet's version: the pod's own marks identify the same releases.
func frozen(p *corev1.Pod) string {
	m := component.Mirror{Hash: p.Annotations["kubernetes.io/config.hash"]}
	for _, c := range p.Spec.Containers {
		m.PodHash = m.PodHash || slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == component.PodHash })
	}
	return m.Frozen()
}

// containers returns the previous run and the present one.
func containers(s corev1.ContainerStatus) []record.Container {
	var all []record.Container
	if t := s.LastTerminationState.Terminated; t != nil {
		restarts := s.RestartCount
		if t.ContainerID != s.ContainerID { // otherwise the last run has no successor
			restarts--
		}
		all = append(all, terminated(t, restarts))
	}
	switch {
	case s.State.Terminated != nil:
		all = append(all, terminated(s.State.Terminated, s.RestartCount))
	case s.State.Running != nil:
		all = append(all, record.Container{ID: s.ContainerID, Restarts: s.RestartCount, State: record.Running, Started: s.State.Running.StartedAt.UTC()})
	case s.State.Waiting != nil:
		// A waiting container has no ID; the ID in the status belongs to the previous one.
		all = append(all, record.Container{Restarts: s.RestartCount, State: record.Waiting, Reason: s.State.Waiting.Reason})
	}
	return all
}

func terminated(t *corev1.ContainerStateTerminated, restarts int32) record.Container {
	out := record.Container{ID: t.ContainerID, Restarts: restarts, State: record.Terminated, Exit: t.ExitCode, Reason: t.Reason}
	if !t.StartedAt.IsZero() {
		out.Started = t.StartedAt.UTC()
	}
	if !t.FinishedAt.IsZero() {
		out.Finished = t.FinishedAt.UTC()
	}
	return out
}

func nodeEntry(n *corev1.Node, gone bool) (record.Entry, bool) {
	out := record.Node{Name: n.Name, UID: string(n.UID), ProviderID: n.Spec.ProviderID, Unschedulable: n.Spec.Unschedulable,
		Hostname: n.Labels[corev1.LabelHostname], Machine: n.Annotations[machineOfNode], Gone: gone}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			out.Ready = string(c.Status)
		}
	}
	for _, t := range n.Spec.Taints {
		out.Uninitialized = out.Uninitialized || t.Key == "node.cloudprovider.kubernetes.io/uninitialized"
	}
	for _, a := range n.Status.Addresses {
		out.Addresses = append(out.Addresses, record.Address{Type: string(a.Type), Address: a.Address})
	}
	return record.Entry{Node: &out}, true
}

func serviceEntry(s *corev1.Service, gone bool) (record.Entry, bool) {
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return record.Entry{}, false
	}
	out := record.Service{Namespace: s.Namespace, Name: s.Name, UID: string(s.UID), Gone: gone}
	for _, i := range s.Status.LoadBalancer.Ingress {
		out.Ingress = append(out.Ingress, i.Hostname+i.IP)
	}
	slices.Sort(out.Ingress) // their order has no meaning
	return record.Entry{Service: &out}, true
}
