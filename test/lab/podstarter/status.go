package podstarter

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waitingStatus returns the status of a pod whose containers cannot be started.
func waitingStatus(pod *corev1.Pod, why error) corev1.PodStatus {
	status := corev1.PodStatus{Phase: corev1.PodPending}
	for _, c := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerError", Message: why.Error()}},
		})
	}
	return status
}

func (p *pod) runningStatus(containers []*task) corev1.PodStatus {
	status := startedStatus(p.spec, corev1.PodRunning, corev1.ConditionTrue)
	for _, c := range containers {
		yes := true
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: containerID(p.spec, c), Ready: true, Started: &yes, RestartCount: p.restarts,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: second(c.process.Started)}},
		})
	}
	return status
}

// backingOff returns the status of a pod whose containers have ended and will be restarted.
func (p *pod) backingOff(containers []*task) corev1.PodStatus {
	status := endedStatus(p.spec, containers)
	status.Phase = corev1.PodRunning
	for i := range status.ContainerStatuses {
		c := &status.ContainerStatuses[i]
		c.RestartCount, c.LastTerminationState = p.restarts, c.State
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	}
	return status
}

// endedStatus returns the status of a pod whose containers are gone: failed if one of them failed.
func endedStatus(pod *corev1.Pod, containers []*task) corev1.PodStatus {
	status := startedStatus(pod, corev1.PodSucceeded, corev1.ConditionFalse)
	for _, c := range containers {
		code, no, reason := c.process.ExitCode(), false, "Completed"
		if code != 0 {
			reason, status.Phase = "Error", corev1.PodFailed
		}
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: containerID(pod, c), Started: &no,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: int32(code), Reason: reason, ContainerID: containerID(pod, c),
				StartedAt: second(c.process.Started), FinishedAt: second(c.ended),
			}},
		})
	}
	return status
}

func startedStatus(pod *corev1.Pod, phase corev1.PodPhase, ready corev1.ConditionStatus) corev1.PodStatus {
	at := second(pod.CreationTimestamp.Time)
	return corev1.PodStatus{Phase: phase, StartTime: &at, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: ready, LastTransitionTime: second(time.Now())},
	}}
}

// withReady keeps the conditions of other writers, such as DisruptionTarget.
func withReady(live, ours []corev1.PodCondition) []corev1.PodCondition {
	kept := slices.DeleteFunc(slices.Clone(live), func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	return append(kept, ours...)
}

func containerID(pod *corev1.Pod, c *task) string {
	return "containerd://" + string(pod.UID) + "-" + c.Name
}

// second truncates a time to the precision of the API.
func second(t time.Time) metav1.Time { return metav1.NewTime(t.Truncate(time.Second)) }
