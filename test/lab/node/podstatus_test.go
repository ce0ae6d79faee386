package node

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestPodPhase(t *testing.T) {
	running, waiting := taskState{Running: true}, taskState{Waiting: "ContainerCreating"}
	good, bad := taskState{Ended: true, Last: &termination{}}, taskState{Ended: true, Last: &termination{ExitCode: 1}}
	between := taskState{Waiting: "CrashLoopBackOff", Last: &termination{ExitCode: 1}}
	for _, test := range []struct {
		name   string
		policy corev1.RestartPolicy
		states []taskState
		want   corev1.PodPhase
	}{
		{"creating", corev1.RestartPolicyAlways, []taskState{waiting}, corev1.PodPending},
		{"one of two creating", corev1.RestartPolicyAlways, []taskState{running, waiting}, corev1.PodPending},
		{"running", corev1.RestartPolicyAlways, []taskState{running}, corev1.PodRunning},
		{"crash loop", corev1.RestartPolicyAlways, []taskState{between}, corev1.PodRunning},
		{"job done", corev1.RestartPolicyNever, []taskState{good}, corev1.PodSucceeded},
		{"job failed", corev1.RestartPolicyNever, []taskState{good, bad}, corev1.PodFailed},
		{"job half done", corev1.RestartPolicyNever, []taskState{good, running}, corev1.PodRunning},
	} {
		if got := podPhase(test.policy, test.states); got != test.want {
			t.Errorf("%s: %s, wanted %s", test.name, got, test.want)
		}
	}
}

func TestPodStatusKeepsTransitionTimes(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	at := func(seconds int64) podFacts { return podFacts{now: time.Unix(seconds, 0), accepted: time.Unix(1, 0)} }
	pod.Status = podStatus(pod, []taskState{{Running: true}}, at(10))
	pod.Status = podStatus(pod, []taskState{{Running: true, Ready: true}}, at(20))
	for _, c := range pod.Status.Conditions {
		want := int64(10)
		if c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			want = 20
		}
		if c.Status != corev1.ConditionTrue || c.LastTransitionTime.Unix() != want {
			t.Errorf("%s: %s since %d, wanted true since %d", c.Type, c.Status, c.LastTransitionTime.Unix(), want)
		}
	}
}

func TestContainerStatus(t *testing.T) {
	end := &termination{ExitCode: 1, Message: "why", Restarts: 2}
	c := corev1.Container{Name: "c", Image: "i"}
	if s := containerStatus(c, taskState{Running: true, Restarts: 3, Last: end}, "p"); s.State.Running == nil || s.ContainerID != "containerd://p-c-3" || s.LastTerminationState.Terminated.ContainerID != "containerd://p-c-2" || s.LastTerminationState.Terminated.Message != "why" {
		t.Errorf("running after a crash: %+v", s)
	}
	if s := containerStatus(c, taskState{Waiting: "CrashLoopBackOff", Restarts: 2, Last: end}, "p"); s.ContainerID != s.LastTerminationState.Terminated.ContainerID || s.State.Waiting.Reason != "CrashLoopBackOff" || s.LastTerminationState.Terminated.Reason != "Error" {
		t.Errorf("backing off: %+v", s)
	}
	if s := containerStatus(c, taskState{Ended: true, Last: &termination{}}, "p"); s.State.Terminated == nil || s.State.Terminated.Reason != "Completed" {
		t.Errorf("completed: %+v", s)
	}
}
