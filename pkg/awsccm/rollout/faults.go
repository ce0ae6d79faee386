package rollout

import (
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// unschedulableTimeout is the time that a pod may remain unscheduled before that is a fault:
// the previous pod on the same Node may still be ending and hold the port.
const unschedulableTimeout = 2 * time.Minute

func daemonSetObject(r Observation) string {
	return "DaemonSet " + r.DaemonSet.Namespace + "/" + r.DaemonSet.Name
}

func checkNodes(r Observation) error {
	if len(r.Nodes) > 0 {
		return nil
	}
	return newFault("NoControlPlane", daemonSetObject(r), "no control-plane Node is known",
		"at least one Node with the control-plane label", "kubectl get nodes --show-labels")
}

// checkSelector returns an error for control-plane Nodes that the node selector excludes.
func checkSelector(r Observation) error {
	selector := r.DaemonSet.NodeSelector
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
	return newFault("SelectorMatchesNoNode", daemonSetObject(r), seen, "a selector that matches all of them",
		"correct nodeSelector in --values")
}

func labelSeen(key, have string, ok bool) string {
	if !ok {
		return "no label " + key
	}
	return key + "=" + have
}

// Taints returns the taints of a node in the form that tolerations match.
func Taints(n downstream.Node) []corev1.Taint {
	taints := make([]corev1.Taint, 0, len(n.Taints))
	for _, t := range n.Taints {
		taints = append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return taints
}

// tolerations returns those of a DaemonSet in the form that matches taints.
func tolerations(d *downstream.DaemonSet) []corev1.Toleration {
	list := make([]corev1.Toleration, 0, len(d.Tolerations))
	for _, t := range d.Tolerations {
		list = append(list, corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return list
}

// checkTolerations returns an error for control-plane Nodes whose taints exclude the pods.
func checkTolerations(r Observation) error {
	var out []string
	for _, n := range r.Nodes {
		for _, taint := range Taints(n) {
			if ccmchart.KeepsAway(taint, tolerations(r.DaemonSet)) {
				out = append(out, n.Name+" ("+taint.ToString()+")")
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	sort.Strings(out)
	return newFault("UntoleratedTaint", daemonSetObject(r), "its pods do not tolerate the taint of "+strings.Join(out, ", "),
		"a toleration by Exists for each", "run again to read the new taints, or add it to --values")
}

// checkAdmission returns an error if admission refuses the pods, which only an event shows. It
// ignores events older than the newest pod.
func checkAdmission(r Observation) error {
	if nodesWithoutPod(r) == "" {
		return nil
	}
	var newest time.Time
	for _, p := range r.Pods {
		if p.Created.After(newest) {
			newest = p.Created
		}
	}
	for _, e := range latestFirst(r.Events) {
		if e.Reason != "FailedCreate" || e.UID != r.DaemonSet.UID || !e.Latest.After(newest) {
			continue
		}
		for _, word := range []string{"forbidden", "denied", "admission webhook", "exceeded quota", "Invalid value", "violates PodSecurity"} {
			if strings.Contains(e.Message, word) {
				return newFault("PodsRefused", daemonSetObject(r), "the API server refuses its pods: "+e.Message,
					"pods accepted in "+wellknown.System, "exempt "+wellknown.System+" or this DaemonSet from that policy")
			}
		}
	}
	return nil
}

// checkPods returns the fault of the first pod with a cause that does not resolve without action.
func checkPods(r Observation) error {
	pods := append([]downstream.Pod(nil), r.Pods...)
	sort.Slice(pods, func(i, j int) bool { return pods[i].Name < pods[j].Name })
	for _, p := range pods {
		if p.Deleting || !current(r.DaemonSet, p) {
			continue
		}
		for _, look := range []func(Observation, downstream.Pod) error{checkScheduling, checkMounts, checkStart, checkCrash, checkLogs} {
			if err := look(r, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func podObject(p downstream.Pod) string {
	return fmt.Sprintf("Pod %s/%s on Node %s", p.Namespace, p.Name, orUnknown(p.Node))
}

func orUnknown(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func checkScheduling(r Observation, p downstream.Pod) error {
	since := r.Now.Sub(p.Scheduled.Since)
	if p.Scheduled.Status != "False" || since <= unschedulableTimeout {
		return nil
	}
	return newFault("NotScheduled", podObject(p), fmt.Sprintf("not scheduled for %s: %s", since.Round(time.Second), p.Scheduled.Message),
		"a place on its Node", "make room there: the pod needs its CPU, memory and port")
}

// checkMounts returns an error for a missing Secret, ConfigMap, key of one, or path of the host.
func checkMounts(r Observation, p downstream.Pod) error {
	if p.Phase != "Pending" {
		return nil
	}
	for _, e := range latestFirst(r.Events) {
		if e.UID != p.UID || e.Reason != "FailedMount" {
			continue
		}
		for _, words := range []string{"not found", "references non-existent", "hostPath type check failed"} {
			if strings.Contains(e.Message, words) {
				return newFault("MissingFile", podObject(p), e.Message, "the Secrets, ConfigMaps and paths that it mounts",
					"run again, which makes ours; those named in --values must exist")
			}
		}
	}
	return nil
}

// checkStart returns an error if the container cannot start. ErrImagePull alone may be a short
// failure of a registry; ImagePullBackOff is its repetition.
func checkStart(r Observation, p downstream.Pod) error {
	for _, c := range p.Statuses {
		if c.Waiting == nil {
			continue
		}
		message := strings.TrimSpace(c.Waiting.Message)
		switch c.Waiting.Reason {
		case "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull":
			return newFault("ImagePull", podObject(p), fmt.Sprintf("cannot pull %s: %s", c.Image, pullError(r, p, message)),
				"an image that every control-plane Node can pull", "name a mirror with --ccm-image, or its pull secret in --values")
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return newFault("ContainerConfig", podObject(p), c.Waiting.Reason+": "+message,
				"a container that starts", "correct --values")
		}
	}
	return nil
}

// pullError returns why an image was not pulled. The kubelet says it in an event; the state of a container
// in back-off names the image alone until kubernetes/kubernetes#127918
// (kubernetes/kubernetes@v1.26.13:pkg/kubelet/images/image_manager.go).
func pullError(r Observation, p downstream.Pod, state string) string {
	for _, e := range latestFirst(r.Events) {
		if _, cause, is := strings.Cut(e.Message, `": `); is && e.UID == p.UID && e.Reason == "Failed" && strings.HasPrefix(e.Message, "Failed to pull image ") {
			return strings.TrimSpace(cause)
		}
	}
	return state
}

// checkCrash returns an error with the container's last log lines if it is in back-off or has
// died twice. A process that loses its lease exits by design, once for every restart of its API
// server.
func checkCrash(r Observation, p downstream.Pod) error {
	for _, c := range p.Statuses {
		ended := c.LastEnd()
		looping := c.Waiting != nil && c.Waiting.Reason == "CrashLoopBackOff"
		if ended == nil || c.Ready || (!looping && c.Restarts < 2) {
			continue
		}
		text := strings.TrimSpace(ended.Message + "\n" + r.Logs[p.Name])
		cause, line := causeOf(text)
		if cause.passing || r.Outage && len(cause.words) == 0 {
			continue
		}
		return newFault(cause.reason, podObject(p),
			fmt.Sprintf("exited %d times, last with code %d: %s", c.Restarts, ended.Code, line),
			cause.wanted, cause.fix)
	}
	return nil
}

// checkLogs returns an error from the log of a pod that runs but does not become ready.
func checkLogs(r Observation, p downstream.Pod) error {
	text := r.Logs[p.Name]
	if p.Ready || text == "" {
		return nil
	}
	cause, line := causeOf(text)
	if cause.reason != "MissingRights" {
		return nil
	}
	return newFault(cause.reason, podObject(p), line, cause.wanted, cause.fix)
}

func latestFirst(events []downstream.Event) []downstream.Event {
	out := append([]downstream.Event(nil), events...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Latest.After(out[j].Latest) })
	return out
}
