package node

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/reference"
)

// podEvent is an event of a pod in the kubelet's words, as test/e2e/testdata has them of a real one
// (kubernetes/kubernetes@v1.26.13:pkg/kubelet/images/image_manager.go and
// pkg/kubelet/kuberuntime/kuberuntime_container.go).
type podEvent struct{ kind, reason, message string }

// events writes those of one container. The zero value writes none, as for static pods.
type events struct {
	container, image string
	pod              string // name_namespace(UID)
	record           func(podEvent)
}

func (e events) say(all ...podEvent) {
	for _, one := range all {
		if e.record != nil {
			e.record(one)
		}
	}
}

func startedWell(e events) []podEvent {
	return []podEvent{
		present(e),
		{corev1.EventTypeNormal, "Created", "Created container " + e.container},
		{corev1.EventTypeNormal, "Started", "Started container " + e.container},
	}
}

func present(e events) podEvent {
	return podEvent{corev1.EventTypeNormal, "Pulled", fmt.Sprintf("Container image %q already present on machine", e.image)}
}

// notStarted returns the events of a start that failed.
func notStarted(e events, err error) []podEvent {
	if reasonOf(err) != "ErrImagePull" {
		return []podEvent{present(e), {corev1.EventTypeWarning, "Failed", "Error: " + err.Error()}}
	}
	return []podEvent{
		{corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", e.image)},
		{corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %v", e.image, err)},
		{corev1.EventTypeWarning, "Failed", "Error: ErrImagePull"},
	}
}

func pullingAgain(e events) []podEvent {
	return []podEvent{
		{corev1.EventTypeNormal, "BackOff", fmt.Sprintf("Back-off pulling image %q", e.image)},
		{corev1.EventTypeWarning, "Failed", "Error: ImagePullBackOff"},
	}
}

func crashing(e events) podEvent {
	return podEvent{corev1.EventTypeWarning, "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s", e.container, e.pod)}
}

func stopping(e events) podEvent {
	return podEvent{corev1.EventTypeNormal, "Killing", "Stopping container " + e.container}
}

// events returns those of one of the pod's containers.
func (w *podWorker) events(container corev1.Container) events {
	return events{
		container: container.Name, image: container.Image, pod: kubeletName(w.pod),
		record: func(e podEvent) {
			about, err := reference.GetPartialReference(scheme.Scheme, w.pod, "spec.containers{"+container.Name+"}")
			if err != nil {
				w.m.a.logf("pod %s/%s: event %s: %v", w.pod.Namespace, w.pod.Name, e.reason, err)
				return
			}
			w.record(about, e)
		},
	}
}

func (w *podWorker) record(about runtime.Object, e podEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recorder.Event(about, e.kind, e.reason, e.message)
}

// eventRecorder returns that of one run of the kubelet, until ctx ends. Like the kubelet's, it counts what
// repeats.
func eventRecorder(ctx context.Context, client kubernetes.Interface, node string) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	context.AfterFunc(ctx, broadcaster.Shutdown)
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: node})
}
