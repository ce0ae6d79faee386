package replace

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// endTimeout is the time within which a kubelet must show the end of a deleted pod. Later the lease
// has expired anyway, or the pod still renews it. The watch itself lasts no longer than a request
// (--request-timeout, 30 seconds by default).
const endTimeout = 25 * time.Second

// Watched is a pod of the DaemonSet that is watched from before its deletion. The object
// disappears right after its kubelet has shown the end of its container, so that readings at
// intervals miss it.
type Watched struct {
	pod    downstream.Pod
	events watch.Interface
}

// Watch begins to watch a pod. The second value is false if the pod is not what was seen: it is
// gone, about to end, or not of the DaemonSet named set. The watch begins at the version of a
// list: an API server that has restarted since the pod last changed does not know that older
// version.
func Watch(ctx context.Context, client kubernetes.Interface, set string, seen downstream.Pod) (*Watched, bool, error) {
	pods, named := client.CoreV1().Pods(wellknown.System), fields.OneTermEqualSelector("metadata.name", seen.Name).String()
	found, err := pods.List(ctx, metav1.ListOptions{FieldSelector: named})
	if err != nil {
		return nil, false, migration.CouldNotRead(object(seen), err)
	}
	if len(found.Items) != 1 {
		return nil, false, nil
	}
	pod := &found.Items[0]
	if owner := metav1.GetControllerOf(pod); string(pod.UID) != seen.UID || pod.DeletionTimestamp != nil || owner == nil || owner.Kind != "DaemonSet" || owner.Name != set {
		return nil, false, nil
	}
	events, err := pods.Watch(ctx, metav1.ListOptions{FieldSelector: named, ResourceVersion: found.ResourceVersion})
	if err != nil {
		return nil, false, migration.CouldNotRead(object(seen), err)
	}
	return &Watched{pod: seen, events: events}, true, nil
}

// Stop ends the watch.
func (w *Watched) Stop() { w.events.Stop() }

// Delete deletes the pod that is watched, and no other of its name. A pod that is gone is no
// error.
func (w *Watched) Delete(ctx context.Context, client kubernetes.Interface) error {
	err := client.CoreV1().Pods(wellknown.System).Delete(ctx, w.pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID(w.pod.UID))}})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("delete %s: %w", object(w.pod), awsccm.CouldNotLook(err))
}

// AwaitEnd reports whether the kubelet shows that the pod ended with this container. It returns
// false if the object disappears without that, if the watch ends, or after 25 seconds.
func (w *Watched) AwaitEnd(ctx context.Context, clk clock.WithTicker, container string) bool {
	limit := clk.NewTimer(endTimeout)
	defer limit.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-limit.C():
			return false
		case event, open := <-w.events.ResultChan():
			pod, is := event.Object.(*corev1.Pod)
			if !open || !is || string(pod.UID) != w.pod.UID {
				return false
			}
			if hasEnded(pod, container) {
				return true
			}
			if event.Type == watch.Deleted {
				return false
			}
		}
	}
}

// hasEnded reports whether a deleted pod ended with a container. The end of the container before
// the last one proves nothing: the process after it may be the leader, and its start not shown yet
// when the leader was looked for.
func hasEnded(pod *corev1.Pod, container string) bool {
	for _, one := range pod.Status.ContainerStatuses {
		if end := kube.ContainerStatus(one).Ended; pod.DeletionTimestamp != nil && end != nil && end.ID == container && end.Certain() {
			return true
		}
	}
	return false
}

func object(p downstream.Pod) string { return "Pod " + wellknown.System + "/" + p.Name }
