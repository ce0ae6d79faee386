package podstarter

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// pod runs one pod on the node.
type pod struct {
	s    *starter
	spec *corev1.Pod // as first seen
	dir  string

	tokens   []*token // the tokens in its volumes
	restarts int32

	once     sync.Once
	stopping chan struct{} // closed when the pod must be deleted
	grace    time.Duration // set before that
}

func newPod(s *starter, live *corev1.Pod) *pod {
	return &pod{s: s, spec: live.DeepCopy(), dir: filepath.Join(s.Dir, "pods", string(live.UID)), stopping: make(chan struct{})}
}

// delete ends the pod's containers after the grace period of its deletion, or at once if live
// is nil.
func (p *pod) delete(live *corev1.Pod) {
	p.once.Do(func() {
		if live != nil && live.DeletionGracePeriodSeconds != nil {
			p.grace = time.Duration(*live.DeletionGracePeriodSeconds) * time.Second
		}
		close(p.stopping)
	})
}

// run binds the pod, runs its containers, restarts them if required, and reports their end. It
// returns when the pod is deleted, which may happen at any moment.
func (p *pod) run(ctx context.Context) {
	if err := p.bind(ctx); err != nil {
		p.s.logFailure(p.spec, "binding", err)
		return
	}
	for again := true; again; {
		containers := p.untilStarted(ctx)
		if containers == nil {
			break
		}
		p.report(ctx, p.runningStatus(containers))
		p.watch(ctx, containers)
		again = p.reportEnd(ctx, containers)
	}
	select {
	case <-p.stopping:
		p.s.logFailure(p.spec, "removing", p.remove(context.WithoutCancel(ctx)))
	case <-ctx.Done():
	}
}

// reportEnd reports the containers' end, and reports after a pause whether they must restart.
func (p *pod) reportEnd(ctx context.Context, containers []*task) bool {
	over := func() bool {
		select {
		case <-p.stopping:
			return true
		default:
			return ctx.Err() != nil || p.spec.Spec.RestartPolicy != corev1.RestartPolicyAlways
		}
	}
	if over() {
		p.report(context.WithoutCancel(ctx), endedStatus(p.spec, containers))
		return false
	}
	p.restarts++
	p.report(ctx, p.backingOff(containers))
	timer := time.NewTimer(backOff)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.stopping:
	case <-ctx.Done():
	}
	return !over()
}

// bind assigns the pod to the node, as the scheduler does.
func (p *pod) bind(ctx context.Context) error {
	if p.spec.Spec.NodeName != "" {
		return nil
	}
	err := p.s.client.CoreV1().Pods(p.spec.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.spec.Namespace, Name: p.spec.Name, UID: p.spec.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: NodeName},
	}, metav1.CreateOptions{})
	p.spec.Spec.NodeName = NodeName
	return err
}

// task is a container's process.
type task struct {
	corev1.Container
	process *proc.Process
	ended   time.Time
}

// The kubelet's pauses: where something that a pod refers to is not there yet, and before
// the first restart. The lab's do not become longer.
const (
	retryAfter = 500 * time.Millisecond
	backOff    = 10 * time.Second
)

// untilStarted starts the containers as soon as that is possible. It returns nil if the pod
// ended before.
func (p *pod) untilStarted(ctx context.Context) []*task {
	ticker := time.NewTicker(retryAfter)
	defer ticker.Stop()
	for said := ""; ; {
		containers, err := p.start(ctx)
		if err == nil {
			return containers
		}
		if said != err.Error() {
			said = err.Error()
			p.report(ctx, waitingStatus(p.spec, err))
		}
		select {
		case <-ticker.C:
		case <-p.stopping:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// start starts all containers, or none.
func (p *pod) start(ctx context.Context) ([]*task, error) {
	if policy := p.spec.Spec.RestartPolicy; policy == corev1.RestartPolicyOnFailure {
		return nil, fmt.Errorf("restart policy %s: the lab knows Never and Always", policy)
	}
	mounted, err := p.materialise(ctx)
	if err != nil {
		return nil, err
	}
	var out []*task
	for _, c := range p.spec.Spec.Containers {
		spec, err := p.process(ctx, c, mounted)
		if err == nil {
			var started *proc.Process
			if started, err = p.s.Supervisor.Start(spec); err == nil {
				out = append(out, &task{Container: c, process: started})
				continue
			}
		}
		for _, before := range out {
			before.process.Stop(0)
		}
		return nil, err
	}
	return out, nil
}

// watch renews the tokens and waits for the end of every container, which a deletion causes.
// When the lab ends they are killed, as by a power cut of their machine.
func (p *pod) watch(ctx context.Context, containers []*task) {
	running, stop := context.WithCancel(ctx)
	var all, tokens sync.WaitGroup
	defer tokens.Wait()
	defer stop()
	tokens.Go(func() { p.keepTokens(running) })
	for _, c := range containers {
		all.Go(func() {
			select {
			case <-c.process.Done():
			case <-p.stopping:
				c.process.Stop(p.grace)
			case <-ctx.Done():
				c.process.Stop(0)
			}
			c.ended = time.Now()
		})
	}
	all.Wait()
}

// report writes the pod's status, and retries if the Job controller changes its finalizers
// meanwhile.
func (p *pod) report(ctx context.Context, status corev1.PodStatus) {
	pods := p.s.client.CoreV1().Pods(p.spec.Namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := pods.Get(ctx, p.spec.Name, metav1.GetOptions{})
		if err != nil || live.UID != p.spec.UID {
			return err
		}
		status.QOSClass, status.Conditions = live.Status.QOSClass, withReady(live.Status.Conditions, status.Conditions)
		live.Status = status
		_, err = pods.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		return err
	})
	if !apierrors.IsNotFound(err) {
		p.s.logFailure(p.spec, "reporting", err)
	}
}

// remove deletes a pod after its grace period, as the kubelet does.
func (p *pod) remove(ctx context.Context) error {
	none := int64(0)
	err := p.s.client.CoreV1().Pods(p.spec.Namespace).Delete(ctx, p.spec.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &none, Preconditions: &metav1.Preconditions{UID: &p.spec.UID},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
