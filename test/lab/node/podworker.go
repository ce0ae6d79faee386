package node

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
)

// podWorker runs one pod.
type podWorker struct {
	m        *podManager
	pod      *corev1.Pod // as accepted
	dir      string
	accepted time.Time
	ended    chan struct{} // every process is gone
	stopping sync.Once

	mu       sync.Mutex
	cancel   context.CancelFunc
	tasks    []*task
	client   kubernetes.Interface
	recorder record.EventRecorder
}

func startWorker(ctx context.Context, m *podManager, k *kubelet, pod *corev1.Pod) *podWorker {
	ctx, cancel := context.WithCancel(ctx)
	w := &podWorker{
		m: m, pod: pod, dir: filepath.Join(m.a.dir, "pods", string(pod.UID)),
		accepted: m.a.c.Clock.Now(), ended: make(chan struct{}), cancel: cancel,
		client: k.client, recorder: k.recorder,
	}
	if pod.DeletionTimestamp != nil || lost(pod) {
		cancel()
		close(w.ended)
		return w
	}
	m.a.logf("pod %s/%s: accepted", pod.Namespace, pod.Name)
	go w.run(ctx)
	return w
}

// lost reports whether a pod that must not be restarted ran here before the machine was off:
// its containers no longer exist.
func lost(pod *corev1.Pod) bool {
	if pod.Spec.RestartPolicy != corev1.RestartPolicyNever {
		return false
	}
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running != nil {
			return true
		}
	}
	return false
}

func (w *podWorker) run(ctx context.Context) {
	defer close(w.ended)
	v, ok := w.prepare(ctx)
	if !ok {
		return
	}
	var all sync.WaitGroup
	tasks := make([]*task, 0, len(w.pod.Spec.Containers))
	for _, container := range w.pod.Spec.Containers {
		tasks = append(tasks, w.task(ctx, container, v))
	}
	w.mu.Lock()
	w.tasks = tasks
	w.mu.Unlock()
	refreshing, stop := context.WithCancel(ctx)
	all.Go(func() { v.keepToken(refreshing) })
	var running sync.WaitGroup
	for _, t := range tasks {
		running.Go(func() { t.run(ctx) })
	}
	running.Wait()
	stop()
	all.Wait()
}

// prepare creates the volumes, and retries until it succeeds.
func (w *podWorker) prepare(ctx context.Context) (*podVolumes, bool) {
	for step := 500 * time.Millisecond; ; step = min(2*step, 10*time.Second) {
		v, err := w.materialise(ctx)
		if err == nil {
			return v, true
		}
		if ctx.Err() == nil {
			w.m.a.logf("pod %s/%s: %v", w.pod.Namespace, w.pod.Name, err)
			w.record(w.pod, podEvent{corev1.EventTypeWarning, "FailedMount", err.Error()})
		}
		if !wait(ctx, w.m.a.c.Clock, step) {
			return nil, false
		}
	}
}

// sync writes the pod's state to the API: its status, and at its end its deletion. live is the
// pod in the API, or nil.
func (w *podWorker) sync(ctx context.Context, k *kubelet, live *corev1.Pod) {
	w.mu.Lock()
	w.client, w.recorder = k.client, k.recorder
	w.mu.Unlock()
	if live == nil || live.DeletionTimestamp != nil {
		w.stopping.Do(w.recordStops)
		w.cancel() // tasks stop their processes, grace included
	}
	gone := w.isGone()
	if live == nil {
		if gone {
			w.m.forget(w.pod.UID)
			w.clean()
		}
		return
	}
	err := w.updateStatus(ctx, k, live)
	if err == nil && gone && live.DeletionTimestamp != nil {
		err = deletePod(ctx, k.client, live, 0)
	}
	if err != nil && ctx.Err() == nil {
		w.m.a.logf("pod %s/%s: %v", live.Namespace, live.Name, err)
	}
}

func (w *podWorker) isGone() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

func (w *podWorker) updateStatus(ctx context.Context, k *kubelet, live *corev1.Pod) error {
	status := podStatus(live, w.states(), k.podFacts(live, w.accepted))
	if live.Status.StartTime != nil {
		status.StartTime = live.Status.StartTime
	}
	if equality.Semantic.DeepEqual(live.Status, status) {
		return nil
	}
	changed := live.DeepCopy()
	changed.Status = status
	_, err := k.client.CoreV1().Pods(live.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // the watch shows the change and starts the next round
	}
	return err
}

func (w *podWorker) states() []taskState {
	w.mu.Lock()
	tasks := w.tasks
	w.mu.Unlock()
	states := make([]taskState, 0, len(w.pod.Spec.Containers))
	for i := range w.pod.Spec.Containers {
		switch {
		case lost(w.pod):
			states = append(states, taskState{Ended: true, Last: &termination{ExitCode: 137, Finished: w.accepted,
				Message: "The container could not be located when the pod was terminated"}})
		case i < len(tasks):
			states = append(states, tasks[i].snapshot())
		default:
			states = append(states, taskState{Waiting: "ContainerCreating"})
		}
	}
	return states
}

// recordStops records that the containers which run are stopped.
func (w *podWorker) recordStops() {
	w.mu.Lock()
	tasks := w.tasks
	w.mu.Unlock()
	for _, t := range tasks {
		if t.snapshot().Running {
			t.events.say(stopping(t.events))
		}
	}
}

func (w *podWorker) signal(sig os.Signal, hold time.Duration) (bool, error) {
	w.mu.Lock()
	tasks := w.tasks
	w.mu.Unlock()
	reached := false
	for _, t := range tasks {
		found, err := t.signal(sig, hold)
		if err != nil {
			return found, err
		}
		reached = reached || found
	}
	return reached, nil
}

// probeAgain forgets the results of probes.
func (w *podWorker) probeAgain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tasks {
		t.probeAgain()
	}
}

// stop ends the processes and returns when they are gone.
func (w *podWorker) stop() {
	w.cancel()
	<-w.ended
}

func (w *podWorker) clean() {
	if err := os.RemoveAll(w.dir); err != nil {
		w.m.a.logf("pod %s/%s: removing its folder: %v", w.pod.Namespace, w.pod.Name, err)
	}
}

func deletePod(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, grace int64) error {
	err := client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &grace, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// podAddress returns a pod's own address. Nothing listens there; probes go to the machine's
// address.
func podAddress(uid types.UID) string {
	sum := 0
	for _, b := range []byte(uid) {
		sum = (sum*31 + int(b)) % (254 * 254)
	}
	return "10.42." + itoa(sum/254+1) + "." + itoa(sum%254+1)
}
