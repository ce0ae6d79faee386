package likeness_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

func waiting(uid types.UID, reason, message string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "ccm-of-" + string(uid), UID: uid},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
		}}},
	}
}

func event(uid types.UID, component, message string) corev1.Event {
	return corev1.Event{
		InvolvedObject: corev1.ObjectReference{UID: uid}, Source: corev1.EventSource{Component: component},
		Type: corev1.EventTypeWarning, Reason: "Failed", Message: message,
	}
}

func TestTrouble(t *testing.T) {
	deleted := waiting("0c0c", "ErrImagePull", "")
	deleted.DeletionTimestamp = &metav1.Time{}
	got := likeness.Trouble([]corev1.Pod{
		waiting("0a0a", "CrashLoopBackOff", "back-off 20s restarting failed container=c pod=ccm-of-0a0a_kube-system(0a0a)"),
		waiting("0b0b", "ContainerCreating", ""),
		deleted,
	}, []corev1.Event{
		event("0a0a", "kubelet", `Failed to pull image "x": rpc error: code = Unknown desc = lookup registry: i/o timeout`),
		event("0a0a", "default-scheduler", "no place"),
		event("0c0c", "kubelet", "of a pod that is being deleted"),
		event("0b0b", "kubelet", `configmaps "x" is forbidden: User "system:node:n" cannot get resource "configmaps": no relationship found between node 'n' and this object`),
	})
	want := []string{
		`event: Warning Failed: Failed to pull image "x": rpc error: code = CAUSE`,
		"waits: ContainerCreating",
		"waits: CrashLoopBackOff: back-off DELAY restarting failed container=c pod=POD_kube-system(UID)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}
