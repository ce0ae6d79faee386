package kube

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Annotations that kubelets and Helm write.
const (
	annotationMirror     = "kubernetes.io/config.mirror"
	annotationSource     = "kubernetes.io/config.source"
	annotationConfigHash = "kubernetes.io/config.hash"
	annotationRelease    = "meta.helm.sh/release-name"
	annotationReleaseNS  = "meta.helm.sh/release-namespace"
)

func convertObject(kind string, m metav1.ObjectMeta) downstream.Object {
	o := downstream.Object{Kind: kind, Namespace: m.Namespace, Name: m.Name}
	if release := m.Annotations[annotationRelease]; release != "" {
		o.Owner = "helm " + m.Annotations[annotationReleaseNS] + "/" + release
	}
	return o
}

func convertPod(p *corev1.Pod) downstream.Pod {
	out := downstream.Pod{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Node: p.Spec.NodeName, Labels: p.Labels,
		ConfigHash: p.Annotations[annotationConfigHash], Phase: string(p.Status.Phase),
		Deleting: p.DeletionTimestamp != nil, HostNetwork: p.Spec.HostNetwork, Containers: convertContainers(p.Spec),
	}
	if _, out.Mirror = p.Annotations[annotationMirror]; out.Mirror {
		addManagerEnv(out.Containers, p.Spec.Containers)
	}
	out.FromFile, out.Created = p.Annotations[annotationSource] == "file", p.CreationTimestamp.Time
	for _, c := range p.Spec.Containers {
		out.PodHash = out.PodHash || slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == component.PodHash })
	}
	if maker := metav1.GetControllerOf(p); maker != nil && maker.Kind != "Node" {
		out.Controller = maker.Kind + " " + maker.Name
	}
	for _, c := range p.Status.Conditions {
		switch c.Type {
		case corev1.PodReady:
			out.Ready = c.Status == corev1.ConditionTrue
		case corev1.PodScheduled:
			out.Scheduled = downstream.Condition{Status: string(c.Status), Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime.Time}
		default: // no rule uses it
		}
	}
	for _, s := range p.Status.ContainerStatuses {
		out.Statuses = append(out.Statuses, ContainerStatus(s))
		out.Restarts += s.RestartCount
		if s.State.Waiting != nil && out.Waiting == "" {
			out.Waiting = s.State.Waiting.Reason
		}
		if s.State.Running != nil && out.Started.IsZero() {
			out.Started = s.State.Running.StartedAt.Time
		}
	}
	return out
}

// addManagerEnv adds the environment of a static kube-controller-manager to its container.
func addManagerEnv(to []downstream.Container, from []corev1.Container) {
	for i, c := range from {
		if c.Name != wellknown.KCM {
			continue
		}
		for _, v := range c.Env {
			to[i].Env = append(to[i].Env, downstream.Variable{Name: v.Name, Value: v.Value})
		}
	}
}

// ContainerStatus converts a kubelet's status of a container.
func ContainerStatus(s corev1.ContainerStatus) downstream.ContainerStatus {
	out := downstream.ContainerStatus{ID: s.ContainerID, Image: s.Image, Ready: s.Ready, Restarts: s.RestartCount,
		Ended: convertEnd(s.State.Terminated), Before: convertEnd(s.LastTerminationState.Terminated)}
	if w := s.State.Waiting; w != nil {
		out.Waiting = &downstream.Waiting{Reason: w.Reason, Message: w.Message}
	}
	return out
}

func convertEnd(t *corev1.ContainerStateTerminated) *downstream.End {
	if t == nil {
		return nil
	}
	return &downstream.End{ID: t.ContainerID, Code: t.ExitCode, Reason: t.Reason, Message: t.Message, At: t.FinishedAt.Time}
}

func convertContainers(spec corev1.PodSpec) []downstream.Container {
	volumes := map[string]downstream.Mount{}
	for _, v := range spec.Volumes {
		switch {
		case v.ConfigMap != nil:
			volumes[v.Name] = downstream.Mount{Kind: "ConfigMap", Name: v.ConfigMap.Name}
		case v.Secret != nil:
			volumes[v.Name] = downstream.Mount{Kind: "Secret", Name: v.Secret.SecretName}
		case v.HostPath != nil:
			volumes[v.Name] = downstream.Mount{Kind: "HostPath", Name: v.HostPath.Path}
		case v.Projected != nil && hasFiles(v.Projected):
			volumes[v.Name] = downstream.Mount{Kind: "Projected", Name: v.Name}
		}
	}
	out := make([]downstream.Container, 0, len(spec.Containers))
	for _, c := range allContainers(spec) {
		d := downstream.Container{Name: c.Name, Image: c.Image, Command: c.Command, Args: c.Args}
		for _, m := range c.VolumeMounts {
			if v, ok := volumes[m.Name]; ok {
				v.Path = m.MountPath
				d.Mounts = append(d.Mounts, v)
			}
		}
		out = append(out, d)
	}
	return out
}

// allContainers returns a pod's containers, then its init and ephemeral containers, which run
// programs as well.
func allContainers(spec corev1.PodSpec) []corev1.Container {
	all := slices.Concat(spec.Containers, spec.InitContainers)
	for _, c := range spec.EphemeralContainers {
		all = append(all, corev1.Container(c.EphemeralContainerCommon))
	}
	return all
}

// hasFiles reports whether a projected volume contains a Secret or a ConfigMap.
func hasFiles(p *corev1.ProjectedVolumeSource) bool {
	return slices.ContainsFunc(p.Sources, func(s corev1.VolumeProjection) bool { return s.Secret != nil || s.ConfigMap != nil })
}

// DaemonSet converts a rendered or live DaemonSet.
func DaemonSet(d *appsv1.DaemonSet) downstream.DaemonSet {
	return convertDaemonSet(d, convertContainers(d.Spec.Template.Spec))
}

func convertDaemonSet(d *appsv1.DaemonSet, cs []downstream.Container) downstream.DaemonSet {
	spec := d.Spec.Template.Spec
	out := downstream.DaemonSet{
		Object: convertObject("DaemonSet", d.ObjectMeta), UID: string(d.UID), NodeSelector: spec.NodeSelector,
		Affinity: spec.Affinity != nil && spec.Affinity.NodeAffinity != nil, HostNetwork: spec.HostNetwork,
		ServiceAccount: spec.ServiceAccountName, Containers: cs, Deleting: d.DeletionTimestamp != nil,
		Desired: d.Status.DesiredNumberScheduled, Current: d.Status.CurrentNumberScheduled, Ready: d.Status.NumberReady,
		Updated: d.Status.UpdatedNumberScheduled, Available: d.Status.NumberAvailable, Misscheduled: d.Status.NumberMisscheduled,
		Generation: d.Generation, Observed: d.Status.ObservedGeneration, OnDelete: d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType,
	}
	if d.Spec.Selector != nil {
		out.Selector = d.Spec.Selector.MatchLabels
	}
	for _, t := range spec.Tolerations {
		out.Tolerations = append(out.Tolerations, downstream.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect)})
	}
	return out
}
