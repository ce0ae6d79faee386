package node

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// podFacts holds the properties of the machine that a pod's status contains.
type podFacts struct {
	hostIP, podIP string
	accepted      time.Time
	now           time.Time
}

func (k *kubelet) podFacts(pod *corev1.Pod, accepted time.Time) podFacts {
	f := podFacts{hostIP: k.a.c.PrivateIP, podIP: k.a.c.PrivateIP, accepted: accepted, now: k.a.c.Clock.Now()}
	if !pod.Spec.HostNetwork {
		f.podIP = podAddress(pod.UID)
	}
	return f
}

// podStatus returns the status that the kubelet reports for the states of the containers.
// Unchanged conditions keep their times.
func podStatus(pod *corev1.Pod, states []taskState, f podFacts) corev1.PodStatus {
	status := corev1.PodStatus{
		Phase: podPhase(pod.Spec.RestartPolicy, states), QOSClass: pod.Status.QOSClass,
		HostIP: f.hostIP, PodIP: f.podIP, PodIPs: []corev1.PodIP{{IP: f.podIP}},
		StartTime: ptr.To(metav1.NewTime(f.accepted.Truncate(time.Second))),
	}
	ready := len(states) == len(pod.Spec.Containers)
	for i, container := range pod.Spec.Containers {
		var state taskState
		if i < len(states) {
			state = states[i]
		}
		if state.Waiting == "CrashLoopBackOff" {
			state.Message += "=" + container.Name + " pod=" + kubeletName(pod)
		}
		ready = ready && state.Ready
		status.ContainerStatuses = append(status.ContainerStatuses, containerStatus(container, state, string(pod.UID)))
	}
	done := status.Phase == corev1.PodSucceeded
	notReady := ""
	if !ready {
		if notReady = "ContainersNotReady"; done {
			notReady = "PodCompleted"
		}
	}
	for _, c := range []struct {
		kind   corev1.PodConditionType
		is     bool
		reason string
	}{
		{corev1.PodInitialized, true, ""}, {corev1.PodReady, ready, notReady},
		{corev1.ContainersReady, ready, notReady}, {corev1.PodScheduled, true, ""},
	} {
		status.Conditions = append(status.Conditions, podCondition(pod.Status.Conditions, c.kind, c.is, c.reason, f.now))
	}
	return status
}

// kubeletName returns a pod's name in the kubelet's messages. The UID of a static pod there is the hash of
// its manifest.
func kubeletName(pod *corev1.Pod) string {
	uid := string(pod.UID)
	if hash := pod.Annotations[configHash]; hash != "" {
		uid = hash
	}
	return pod.Name + "_" + pod.Namespace + "(" + uid + ")"
}

func podCondition(old []corev1.PodCondition, kind corev1.PodConditionType, is bool, reason string, now time.Time) corev1.PodCondition {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.NewTime(now.Truncate(time.Second))}
	if is {
		c.Status = corev1.ConditionTrue
	}
	for _, before := range old {
		if before.Type == kind && before.Status == c.Status {
			c.LastTransitionTime = before.LastTransitionTime
		}
	}
	return c
}

// podPhase follows the kubelet's getPhase.
func podPhase(policy corev1.RestartPolicy, states []taskState) corev1.PodPhase {
	running, ended, failed, waiting := 0, 0, 0, 0
	for _, s := range states {
		switch {
		case s.Running:
			running++
		case s.Ended:
			ended++
			if s.Last != nil && s.Last.ExitCode != 0 {
				failed++
			}
		case s.Last != nil: // between two runs
			running++
		default:
			waiting++
		}
	}
	switch {
	case waiting > 0 || len(states) == 0:
		return corev1.PodPending
	case running > 0 || policy == corev1.RestartPolicyAlways:
		return corev1.PodRunning
	case failed > 0:
		return corev1.PodFailed
	default:
		return corev1.PodSucceeded
	}
}

func containerStatus(container corev1.Container, s taskState, pod string) corev1.ContainerStatus {
	run := func(n int) string { return "containerd://" + pod + "-" + container.Name + "-" + strconv.Itoa(n) }
	out := corev1.ContainerStatus{
		Name: container.Name, Image: runtimeName(container.Image), RestartCount: int32(s.Restarts), Ready: s.Ready, Started: ptr.To(s.Running),
	}
	if s.Running || s.Last != nil {
		out.ImageID, out.ContainerID = container.Image+"@sha256:lab", run(s.Restarts)
	}
	ended := terminated(s.Last, run)
	switch {
	case s.Running:
		out.State.Running = &corev1.ContainerStateRunning{StartedAt: second(s.Started)}
		out.LastTerminationState.Terminated = ended
	case s.Waiting != "":
		out.State.Waiting = &corev1.ContainerStateWaiting{Reason: s.Waiting, Message: s.Message}
		out.LastTerminationState.Terminated = ended
	case ended != nil:
		out.State.Terminated = ended
	default:
		out.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
	}
	return out
}

func terminated(t *termination, run func(restarts int) string) *corev1.ContainerStateTerminated {
	if t == nil {
		return nil
	}
	reason := "Error"
	if t.ExitCode == 0 {
		reason = "Completed"
	}
	return &corev1.ContainerStateTerminated{
		ExitCode: int32(t.ExitCode), Reason: reason, Message: t.Message,
		StartedAt: second(t.Started), FinishedAt: second(t.Finished), ContainerID: run(t.Restarts),
	}
}

// second truncates a time to the precision of the API, so that a written time equals the one
// that is read.
func second(t time.Time) metav1.Time { return metav1.NewTime(t.Truncate(time.Second)) }

// runtimeName returns an image's name as containerd lists it: Docker Hub has two host names.
func runtimeName(image string) string {
	if rest, ok := strings.CutPrefix(image, "index.docker.io/"); ok {
		return "docker.io/" + rest
	}
	return image
}
