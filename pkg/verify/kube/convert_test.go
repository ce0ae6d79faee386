package kube

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func TestConvertPod_podHash(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotationConfigHash: "abc"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Env: []corev1.EnvVar{{Name: "FILE_HASH"}}}}}}
	if convertPod(p).PodHash {
		t.Error("FILE_HASH is in every release")
	}
	p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: "POD_HASH", Value: "x"})
	if m := convertPod(p).Shows("v1.26.7+rke2r1"); !convertPod(p).PodHash || !m.PodHash || m.Hash != "abc" || m.Kubelet != "v1.26.7+rke2r1" {
		t.Errorf("%+v", m)
	}
}

// Only a static kube-controller-manager's environment is read.
func TestConvertPod_env_ofStaticManager(t *testing.T) {
	for name, tt := range map[string]struct {
		container string
		mirror    bool
		want      int
	}{"a static manager": {wellknown.KCM, true, 1}, "another manager": {wellknown.KCM, false, 0}, "another static pod": {"etcd", true, 0}} {
		p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: tt.container, Env: []corev1.EnvVar{{Name: "HTTPS_PROXY", Value: "p"}}}}}}
		if tt.mirror {
			p.Annotations = map[string]string{annotationMirror: "x"}
		}
		if env := convertPod(p).Containers[0].Env; len(env) != tt.want || tt.want > 0 && env[0] != (downstream.Variable{Name: "HTTPS_PROXY", Value: "p"}) {
			t.Errorf("%s: %v", name, env)
		}
	}
}

// The conversion keeps the fields that explain why a pod does not run.
func TestConvertPod_notRunning_reasonsKept(t *testing.T) {
	since := metav1.NewTime(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC))
	ended := func(code int32, message string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: message}}
	}
	got := convertPod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: since, Annotations: map[string]string{annotationSource: "file"}},
		Status: corev1.PodStatus{
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodReady, Status: corev1.ConditionTrue},
				{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no room", LastTransitionTime: since},
			},
			ContainerStatuses: []corev1.ContainerStatus{
				{Image: "img", Ready: true, RestartCount: 2, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}}, LastTerminationState: ended(1, "boom")},
				{RestartCount: 1, State: ended(137, "killed"), LastTerminationState: ended(2, "before")},
				{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: since}}},
			},
		},
	})
	if !got.Static() || got.Mirror || got.Created != since.Time || got.Started != since.Time || !got.Ready || got.Restarts != 3 ||
		got.Scheduled.Status != "False" || got.Scheduled.Message != "no room" || got.Scheduled.Since != since.Time || len(got.Statuses) != 3 {
		t.Fatalf("%+v", got)
	}
	held, over, runs := got.Statuses[0], got.Statuses[1], got.Statuses[2]
	if held.Image != "img" || !held.Ready || held.Restarts != 2 || *held.Waiting != (downstream.Waiting{Reason: "CrashLoopBackOff", Message: "back-off"}) ||
		!held.HeldBack() || *held.LastEnd() != (downstream.End{Code: 1, Message: "boom"}) {
		t.Errorf("held back: %+v", held)
	}
	if !over.HeldBack() || *over.LastEnd() != (downstream.End{Code: 137, Message: "killed"}) || over.Before.Code != 2 {
		t.Errorf("ended: %+v", over)
	}
	if runs.HeldBack() || runs.LastEnd() != nil {
		t.Errorf("running: %+v", runs)
	}
}

// An event has several times, and a series updates only its own.
func TestConvertEvent_severalTimes_newest(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2024, 5, 1, 12, minute, 0, 0, time.UTC) }
	for name, e := range map[string]corev1.Event{
		"last":  {LastTimestamp: metav1.NewTime(at(9)), FirstTimestamp: metav1.NewTime(at(1))},
		"first": {FirstTimestamp: metav1.NewTime(at(9))},
		"event": {EventTime: metav1.NewMicroTime(at(9)), LastTimestamp: metav1.NewTime(at(3))},
		"series": {LastTimestamp: metav1.NewTime(at(3)), EventTime: metav1.NewMicroTime(at(2)),
			Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(9))}},
	} {
		e.InvolvedObject.UID = "u"
		if got := convertEvent(&e); !got.Latest.Equal(at(9)) || got.UID != "u" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
