package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Selector chooses the pods of a controller, whatever its release is called, and Container
// is the name of theirs. The chart gives both.
const (
	Selector  = "app.kubernetes.io/name=awsmigrate"
	Container = "awsmigrate"
)

// Pods are those of a controller.
type Pods struct {
	Kube      kubernetes.Interface
	Namespace string
	Timeout   time.Duration // of a list of pods; 0: none. A log takes as long as it is
}

// Read gives the lines of all pods that a filter takes to do, in the order of their times,
// those of a container's last crash among them.
func (p Pods) Read(ctx context.Context, f Filter, do func(Line) error) error {
	pods, err := p.list(ctx)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return p.fault("NoController", "no pod with the label "+Selector, nil)
	}
	var all []Line
	keep := func(l Line) error { all = append(all, l); return nil }
	for i := range pods {
		if restarted(pods[i]) { // what the container before this one said may be gone by now
			_ = p.stream(ctx, pods[i].Name, corev1.PodLogOptions{Container: containerOf(pods[i]), Previous: true}, f, keep)
		}
		if err := p.stream(ctx, pods[i].Name, corev1.PodLogOptions{Container: containerOf(pods[i])}, f, keep); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b Line) int { return a.Time.Compare(b.Time) })
	for _, l := range all {
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// again is how long a pod that is new, or whose log ended, may go unread.
const again = 5 * time.Second

// Follow is Read, and goes on with what the pods say from then on, and those that replace
// them, until ctx ends: that is no error. Lines of several pods come as they are read.
func (p Pods) Follow(ctx context.Context, c clock.WithTicker, f Filter, do func(Line) error) error {
	from := metav1.NewTime(c.Now())
	var last time.Time
	if err := p.Read(ctx, f, func(l Line) error { last = l.Time; return do(l) }); err != nil {
		return ended(err)
	}
	t := &tail{pods: p, filter: f, do: do, from: from, after: last, reading: map[string]bool{}, seen: map[string]time.Time{}}
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() error {
		ticker := c.NewTicker(again)
		defer ticker.Stop()
		for {
			if err := t.begin(reading, group); err != nil {
				return err
			}
			select {
			case <-reading.Done():
				return reading.Err()
			case <-ticker.C():
			}
		}
	})
	return ended(group.Wait())
}

// ended leaves out the error of whoever was asked to stop.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// tail reads on what several pods say.
type tail struct {
	pods   Pods
	filter Filter
	from   metav1.Time // what is older was read before
	after  time.Time   // the time of the last line that was

	mu      sync.Mutex
	do      func(Line) error
	reading map[string]bool
	seen    map[string]time.Time // of a pod, the time of its last line
}

// begin reads each pod that is not being read. A list or a log that cannot be had is asked
// for again: API servers go away.
func (t *tail) begin(ctx context.Context, group *errgroup.Group) error {
	pods, err := t.pods.list(ctx)
	if err != nil {
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pod := range pods {
		if t.reading[pod.Name] {
			continue
		}
		t.reading[pod.Name] = true
		options := corev1.PodLogOptions{Container: containerOf(pod), Follow: true, SinceTime: t.since(pod.Name)}
		group.Go(func() error { return t.read(ctx, pod.Name, options) })
	}
	return nil
}

// since is from when on a log is asked for; an API server has whole seconds.
func (t *tail) since(pod string) *metav1.Time {
	from := t.from
	if last := t.seen[pod]; last.After(from.Time) {
		from = metav1.NewTime(last)
	}
	from = metav1.NewTime(from.Truncate(time.Second))
	return &from
}

func (t *tail) read(ctx context.Context, pod string, options corev1.PodLogOptions) error {
	var failed error
	_ = t.pods.stream(ctx, pod, options, t.filter, func(l Line) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !l.Time.After(t.seen[pod]) || !l.Time.After(t.after) {
			return nil // shown already
		}
		t.seen[pod] = l.Time
		failed = t.do(l)
		return failed
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading[pod] = false
	return failed
}

func (p Pods) list(ctx context.Context) ([]corev1.Pod, error) {
	if p.Timeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, p.Timeout)
		defer cancel()
		ctx = bounded
	}
	list, err := p.Kube.CoreV1().Pods(p.Namespace).List(ctx, metav1.ListOptions{LabelSelector: Selector})
	if err != nil {
		return nil, p.fault("Unreachable", "the controller's pods could not be listed", err)
	}
	pods := slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending })
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return pods, nil
}

func (p Pods) stream(ctx context.Context, pod string, options corev1.PodLogOptions, f Filter, do func(Line) error) error {
	log, err := p.Kube.CoreV1().Pods(p.Namespace).GetLogs(pod, &options).Stream(ctx)
	if err != nil {
		return p.fault("LogUnread", "the log of Pod "+pod+" could not be read", err)
	}
	defer log.Close() //nolint:errcheck // it is only read
	return Read(log, f, do)
}

func (p Pods) fault(reason, seen string, err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: reason, Object: fmt.Sprintf("namespace %s", p.Namespace), Seen: seen,
		Fix: "name the controller's namespace with --controller-namespace, or pipe its log: kubectl logs … | awsmigrate logs --from - …", Err: err}
}

func restarted(pod corev1.Pod) bool {
	name := containerOf(pod)
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == name && s.RestartCount > 0 })
}

// containerOf is the controller's container; others may have been put beside it. A pod
// that has none of its name is somebody's own: its first one.
func containerOf(pod corev1.Pod) string {
	if len(pod.Spec.Containers) == 0 || slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == Container }) {
		return Container
	}
	return pod.Spec.Containers[0].Name
}
