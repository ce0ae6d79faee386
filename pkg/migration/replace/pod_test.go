package replace

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	setName = wellknown.CCM
	ours    = "containerd://1"
)

// TestOnAPIServer tests what happens around the deletion of a pod. The test is its kubelet.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	n := node{client: kubernetes.NewForConfigOrDie(server.Config())}
	old := n.start(t, "older-than-the-server", setName)
	n.remove(t, n.start(t, "newer", setName).Name)
	server.Restart(t)
	t.Run("end shown", n.endShown)
	t.Run("server restarted", func(t *testing.T) { n.serverRestarted(t, old) })
	t.Run("no proof", n.noProof)
	t.Run("another pod", n.anotherPod)
}

type node struct{ client kubernetes.Interface }

// start creates a pod of a DaemonSet that runs a container.
func (n node) start(t *testing.T, name, owner string) downstream.Pod {
	t.Helper()
	pods := n.client.CoreV1().Pods(wellknown.System)
	made, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: wellknown.CCM, UID: "ds", Controller: new(true)}}},
		Spec:       corev1.PodSpec{NodeName: "cp-0", Containers: []corev1.Container{{Name: wellknown.CCM, Image: "i"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if owner != setName {
		made.OwnerReferences = nil
	}
	if made, err = pods.Update(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	n.show(t, name, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}, ours)
	return downstream.Pod{Name: name, UID: string(made.UID)}
}

// show writes the status of a pod's container.
func (n node) show(t *testing.T, name string, state corev1.ContainerState, id string) {
	t.Helper()
	n.write(t, name, corev1.ContainerStatus{Name: wellknown.CCM, Image: "i", ContainerID: id, State: state})
}

// showAfter writes the status of a pod whose container was restarted.
func (n node) showAfter(t *testing.T, name string, before, state corev1.ContainerState) {
	t.Helper()
	n.write(t, name, corev1.ContainerStatus{Name: wellknown.CCM, Image: "i", ContainerID: "containerd://2", State: state, LastTerminationState: before, RestartCount: 1})
}

func (n node) write(t *testing.T, name string, status corev1.ContainerStatus) {
	t.Helper()
	pods := n.client.CoreV1().Pods(wellknown.System)
	found, err := pods.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found.Status.Phase, found.Status.ContainerStatuses = corev1.PodRunning, []corev1.ContainerStatus{status}
	if _, err := pods.UpdateStatus(t.Context(), found, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// remove removes a pod that has ended, as its kubelet does.
func (n node) remove(t *testing.T, name string) {
	t.Helper()
	if err := n.client.CoreV1().Pods(wellknown.System).Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
		t.Fatal(err)
	}
}

// watch watches and deletes a pod.
func (n node) watch(t *testing.T, p downstream.Pod) *Watched {
	t.Helper()
	w, same, err := Watch(t.Context(), n.client, setName, p)
	if err != nil || !same {
		t.Fatal(same, err)
	}
	t.Cleanup(w.Stop)
	if err := w.Delete(t.Context(), n.client); err != nil {
		t.Fatal(err)
	}
	return w
}

func ended(id, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: id, Reason: reason, FinishedAt: metav1.Now()}}
}

// The object disappears right after the end is shown; the watch has both.
func (n node) endShown(t *testing.T) {
	p := n.start(t, "shown", setName)
	w := n.watch(t, p)
	n.show(t, p.Name, ended(ours, "Completed"), ours)
	n.remove(t, p.Name)
	if !w.AwaitEnd(t.Context(), clock.RealClock{}, ours) {
		t.Error("the end was shown and not seen")
	}
}

// The pod has not changed since before the API server's start.
func (n node) serverRestarted(t *testing.T, p downstream.Pod) {
	w := n.watch(t, p)
	n.show(t, p.Name, ended(ours, "Completed"), ours)
	n.remove(t, p.Name)
	if !w.AwaitEnd(t.Context(), clock.RealClock{}, ours) {
		t.Error("the end was shown and not seen")
	}
}

func (n node) noProof(t *testing.T) {
	for name, state := range map[string]corev1.ContainerState{
		"another-container": ended("containerd://2", "Completed"),
		"unknown":           ended(ours, "ContainerStatusUnknown"),
		"still-running":     {Running: &corev1.ContainerStateRunning{}},
	} {
		p := n.start(t, name, setName)
		w := n.watch(t, p)
		n.show(t, name, state, ours)
		n.remove(t, name)
		if w.AwaitEnd(t.Context(), clock.RealClock{}, ours) {
			t.Errorf("%s: counts as an end", name)
		}
	}
	p := n.start(t, "restarted", setName) // the process after the container may be the leader
	w := n.watch(t, p)
	n.showAfter(t, p.Name, ended(ours, "Error"), corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	n.remove(t, p.Name)
	if w.AwaitEnd(t.Context(), clock.RealClock{}, ours) {
		t.Error("the end of the container before the last one counts as an end")
	}
	n.silent(t)
}

// silent covers a kubelet that shows nothing, and a watch that is cut.
func (n node) silent(t *testing.T) {
	p := n.start(t, "silent", setName)
	w, clk := n.watch(t, p), clocktesting.NewFakeClock(time.Now())
	over := make(chan bool)
	go func() { over <- w.AwaitEnd(t.Context(), clk, ours) }()
	apiserver.Eventually(t, clk.HasWaiters)
	clk.Step(endTimeout)
	if <-over {
		t.Error("a kubelet that shows nothing counts as an end")
	}
	n.remove(t, p.Name)
	stopped := n.watch(t, n.start(t, "cut", setName))
	stopped.Stop()
	if stopped.AwaitEnd(t.Context(), clock.RealClock{}, ours) {
		t.Error("a watch that was cut counts as an end")
	}
}

// Only the pod that was seen is deleted, and only if it is the DaemonSet's.
func (n node) anotherPod(t *testing.T) {
	p := n.start(t, "same-name", setName)
	w, _, err := Watch(t.Context(), n.client, setName, p)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	n.remove(t, p.Name)
	second := n.start(t, p.Name, setName)
	if err := w.Delete(t.Context(), n.client); err != nil {
		t.Error(err)
	}
	now, err := n.client.CoreV1().Pods(wellknown.System).Get(t.Context(), p.Name, metav1.GetOptions{})
	if err != nil || string(now.UID) != second.UID || now.DeletionTimestamp != nil {
		t.Errorf("deleted a pod that was not seen: %v, %+v", err, now.ObjectMeta)
	}
	for name, seen := range map[string]downstream.Pod{"replaced": p, "gone": {Name: "none", UID: "u"}, "of no DaemonSet": n.start(t, "loose", "")} {
		if _, same, err := Watch(t.Context(), n.client, setName, seen); same || err != nil {
			t.Errorf("%s: %t, %v", name, same, err)
		}
	}
}
