package watch

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// The previous run has one restart fewer, unless it is the last.
func TestRunsOfAContainer(t *testing.T) {
	ended := func(id string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: id, ExitCode: 1}}
	}
	for _, test := range []struct {
		name   string
		status corev1.ContainerStatus
		want   []record.Container
	}{
		{"it runs again", corev1.ContainerStatus{RestartCount: 3, ContainerID: "c3", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: ended("c2")},
			[]record.Container{{ID: "c2", Restarts: 2, State: record.Terminated, Exit: 1}, {ID: "c3", Restarts: 3, State: record.Running}}},
		{"it waits to be run again", corev1.ContainerStatus{RestartCount: 2, ContainerID: "c2", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, LastTerminationState: ended("c2")},
			[]record.Container{{ID: "c2", Restarts: 2, State: record.Terminated, Exit: 1}, {Restarts: 2, State: record.Waiting, Reason: "CrashLoopBackOff"}}},
		{"it has ended", corev1.ContainerStatus{RestartCount: 2, ContainerID: "c2", State: ended("c2"), LastTerminationState: ended("c1")},
			[]record.Container{{ID: "c1", Restarts: 1, State: record.Terminated, Exit: 1}, {ID: "c2", Restarts: 2, State: record.Terminated, Exit: 1}}},
	} {
		if diff := cmp.Diff(test.want, containers(test.status)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", test.name, diff)
		}
	}
}

// A Service's addresses in another order are the same ones.
func TestServiceEntry_otherOrder_sameEntry(t *testing.T) {
	entry := func(hosts ...string) record.Entry {
		s := corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
		for _, host := range hosts {
			s.Status.LoadBalancer.Ingress = append(s.Status.LoadBalancer.Ingress, corev1.LoadBalancerIngress{Hostname: host})
		}
		e, _ := serviceEntry(&s, false)
		return e
	}
	if a, b := entry("x", "y"), entry("y", "x"); !slices.Equal(a.Service.Ingress, b.Service.Ingress) {
		t.Errorf("%v and %v", a.Service.Ingress, b.Service.Ingress)
	}
}
