package awsccm

import (
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// unschedulableFor is how long a pod may find no place before that is a fault:
// the one before it on the same Node may still be ending and hold the port.
const unschedulableFor = 2 * time.Minute

func daemonSetObject(r Rollout) string {
	return "DaemonSet " + r.DaemonSet.Namespace + "/" + r.DaemonSet.Name
}

func noNodes(r Rollout) error {
	if len(r.Nodes) > 0 {
		return nil
	}
	return broken("NoControlPlane", daemonSetObject(r), "no control-plane Node is known",
		"at least one Node with the control-plane label", "kubectl get nodes --show-labels")
}

// notSelected finds control-plane Nodes that the node selector passes by.
func notSelected(r Rollout) error {
	selector := r.DaemonSet.Spec.Template.Spec.NodeSelector
	var out []string
	for _, n := range r.Nodes {
		for key, want := range selector {
			if have, ok := n.Labels[key]; !ok || have != want {
				out = append(out, fmt.Sprintf("%s (%s)", n.Name, labelSeen(key, have, ok)))
				break
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	sort.Strings(out)
	seen := "its node selector passes by " + strings.Join(out, ", ")
	if len(out) == len(r.Nodes) {
		seen = "its node selector matches no control-plane Node: " + strings.Join(out, ", ")
	}
	return broken("SelectorMatchesNoNode", daemonSetObject(r), seen, "a selector that matches all of them",
		"correct nodeSelector in --values")
}

func labelSeen(key, have string, ok bool) string {
	if !ok {
		return "no label " + key
	}
	return key + "=" + have
}

// Taints are a node's, as tolerations are held against them.
func Taints(n downstream.Node) []corev1.Taint {
	taints := make([]corev1.Taint, 0, len(n.Taints))
	for _, t := range n.Taints {
		taints = append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return taints
}

// notTolerated finds control-plane Nodes whose taints keep the pods away.
func notTolerated(r Rollout) error {
	var out []string
	for _, n := range r.Nodes {
		for _, taint := range Taints(n) {
			if keepsAway(taint, r.DaemonSet.Spec.Template.Spec.Tolerations) {
				out = append(out, n.Name+" ("+taint.ToString()+")")
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	sort.Strings(out)
	return broken("UntoleratedTaint", daemonSetObject(r), "its pods do not tolerate the taint of "+strings.Join(out, ", "),
		"a toleration by Exists for each", "run again, which reads the taints anew, or add it to --values")
}

// refused finds admission's refusal of pods, which only an event tells. An
// event older than the newest pod is history.
func refused(r Rollout) error {
	if nodesWithoutPod(r) == "" {
		return nil
	}
	var newest time.Time
	for _, p := range r.Pods {
		if p.CreationTimestamp.After(newest) {
			newest = p.CreationTimestamp.Time
		}
	}
	for _, e := range latestFirst(r.Events) {
		if e.Reason != "FailedCreate" || e.InvolvedObject.UID != r.DaemonSet.UID || !eventTime(e).After(newest) {
			continue
		}
		for _, word := range []string{"forbidden", "denied", "admission webhook", "exceeded quota", "Invalid value", "violates PodSecurity"} {
			if strings.Contains(e.Message, word) {
				return broken("PodsRefused", daemonSetObject(r), "the API server refuses its pods: "+e.Message,
					"pods accepted in "+wellknown.System, "exempt "+wellknown.System+" or this DaemonSet from that policy")
			}
		}
	}
	return nil
}

// badPod finds the first pod with a cause that waiting does not mend.
func badPod(r Rollout) error {
	pods := append([]corev1.Pod(nil), r.Pods...)
	sort.Slice(pods, func(i, j int) bool { return pods[i].Name < pods[j].Name })
	for _, p := range pods {
		if p.DeletionTimestamp != nil || !current(r.DaemonSet, p) {
			continue
		}
		for _, look := range []func(Rollout, corev1.Pod) error{unplaced, unmounted, unstarted, crashing, complaining} {
			if err := look(r, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func podObject(p corev1.Pod) string {
	return fmt.Sprintf("Pod %s/%s on Node %s", p.Namespace, p.Name, orUnknown(p.Spec.NodeName))
}

func orUnknown(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func unplaced(r Rollout, p corev1.Pod) error {
	for _, c := range p.Status.Conditions {
		since := r.Now.Sub(c.LastTransitionTime.Time)
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && since > unschedulableFor {
			return broken("NotScheduled", podObject(p), fmt.Sprintf("not scheduled for %s: %s", since.Round(time.Second), c.Message),
				"a place on its Node", "make room there: the pod needs its CPU, memory and port")
		}
	}
	return nil
}

// unmounted finds a Secret or ConfigMap that is not there.
func unmounted(r Rollout, p corev1.Pod) error {
	if p.Status.Phase != corev1.PodPending {
		return nil
	}
	for _, e := range latestFirst(r.Events) {
		ours := e.InvolvedObject.UID == p.UID && e.Reason == "FailedMount"
		if ours && strings.Contains(e.Message, "not found") {
			return broken("MissingFile", podObject(p), e.Message, "the Secret or ConfigMap that it mounts",
				"run again, which makes ours; one named in --values must exist")
		}
	}
	return nil
}

// unstarted reads why the container does not start. ErrImagePull alone may be
// one bad moment of a registry; ImagePullBackOff is its repetition.
func unstarted(_ Rollout, p corev1.Pod) error {
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Waiting == nil {
			continue
		}
		message := strings.TrimSpace(c.State.Waiting.Message)
		switch c.State.Waiting.Reason {
		case "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull":
			return broken("ImagePull", podObject(p), fmt.Sprintf("cannot pull %s: %s", c.Image, message),
				"an image that every control-plane Node can pull", "name a mirror with --ccm-image, or its pull secret in --values")
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return broken("ContainerConfig", podObject(p), c.State.Waiting.Reason+": "+message,
				"a container that starts", "correct --values")
		}
	}
	return nil
}

// crashing reads what the container said before it died, once it is held back
// or has died twice: a process that loses its lease exits by design, and does so
// once for every restart of its API server.
func crashing(r Rollout, p corev1.Pod) error {
	for _, c := range p.Status.ContainerStatuses {
		ended := c.LastTerminationState.Terminated
		if c.State.Terminated != nil {
			ended = c.State.Terminated
		}
		looping := c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
		if ended == nil || c.Ready || (!looping && c.RestartCount < 2) {
			continue
		}
		text := strings.TrimSpace(ended.Message + "\n" + r.Logs[p.Name])
		cause, line := causeOf(text)
		if cause.passing || r.Outage && cause.word == "" {
			continue
		}
		return broken(cause.reason, podObject(p),
			fmt.Sprintf("exited %d times, last with code %d: %s", c.RestartCount, ended.ExitCode, line),
			cause.wanted, cause.fix)
	}
	return nil
}

// complaining reads the log of a pod that runs but does not get ready.
func complaining(r Rollout, p corev1.Pod) error {
	text := r.Logs[p.Name]
	if podReady(p) || text == "" {
		return nil
	}
	cause, line := causeOf(text)
	if cause.reason != "MissingRights" {
		return nil
	}
	return broken(cause.reason, podObject(p), line, cause.wanted, cause.fix)
}

func latestFirst(events []corev1.Event) []corev1.Event {
	out := append([]corev1.Event(nil), events...)
	sort.SliceStable(out, func(i, j int) bool { return eventTime(out[i]).After(eventTime(out[j])) })
	return out
}

func eventTime(e corev1.Event) time.Time {
	t := e.LastTimestamp.Time
	for _, other := range []time.Time{e.EventTime.Time, e.FirstTimestamp.Time} {
		if other.After(t) {
			t = other
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(t) {
		t = e.Series.LastObservedTime.Time
	}
	return t
}
