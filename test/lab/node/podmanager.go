package node

import (
	"context"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// podManager runs the pods bound to the machine's Node. Their processes live until the
// power-off; kubelets may come and go. A kubelet with another Node name ends all of them,
// because none is its own, and does not change the old Node's pods in the API.
type podManager struct {
	a   *Agent
	ctx context.Context

	mu      sync.Mutex
	node    string
	workers map[types.UID]*podWorker
}

func newPodManager(ctx context.Context, a *Agent) *podManager {
	return &podManager{a: a, ctx: ctx, workers: map[types.UID]*podWorker{}}
}

// podSyncPeriod bounds the age of the pods in the API if no event arrives.
const podSyncPeriod = time.Second

// serve synchronises pods and mirror pods with the API until ctx ends.
func (m *podManager) serve(ctx context.Context, k *kubelet) {
	m.adopt(k.id.Name)
	for _, worker := range m.list() {
		worker.probeAgain()
	}
	wake := make(chan struct{}, 1)
	m.a.mu.Lock()
	m.a.watchers = []func(){func() { nudge(wake) }}
	m.a.mu.Unlock()

	informer := m.informer(k)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { nudge(wake) },
		UpdateFunc: func(any, any) { nudge(wake) },
		DeleteFunc: func(any) { nudge(wake) },
	}); err != nil {
		m.a.logf("kubelet: watching pods: %v", err)
		return
	}
	var watching sync.WaitGroup
	watching.Go(func() { informer.Run(ctx.Done()) })
	defer watching.Wait()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return
	}
	ticker := m.a.c.Clock.NewTicker(podSyncPeriod)
	defer ticker.Stop()
	for m.a.kubeletRuns.pass(ctx) {
		m.sync(ctx, k, informer.GetStore().List())
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-ticker.C():
		}
	}
}

func (m *podManager) informer(k *kubelet) cache.SharedInformer {
	source := cache.NewListWatchFromClient(k.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll,
		fields.OneTermEqualSelector("spec.nodeName", k.id.Name))
	return cache.NewSharedInformer(source, &corev1.Pod{}, 0)
}

// adopt ends the pods of a Node of another name.
func (m *podManager) adopt(node string) {
	m.mu.Lock()
	other := m.node != "" && m.node != node
	m.node = node
	m.mu.Unlock()
	if other {
		m.a.logf("kubelet: the node is now %s, ending the containers of the old one", node)
		m.stopAll()
	}
}

func (m *podManager) sync(ctx context.Context, k *kubelet, listed []any) {
	mirrors := map[string]*corev1.Pod{}
	live := map[types.UID]*corev1.Pod{}
	for _, item := range listed {
		pod, ok := item.(*corev1.Pod)
		if !ok {
			continue
		}
		if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
			mirrors[pod.Name] = pod
			continue
		}
		live[pod.UID] = pod
	}
	m.syncMirrors(ctx, k, mirrors)
	for uid, pod := range live {
		m.ensure(k, uid, pod)
	}
	for uid, worker := range m.list() {
		worker.sync(ctx, k, live[uid])
	}
}

func (m *podManager) syncMirrors(ctx context.Context, k *kubelet, mirrors map[string]*corev1.Pod) {
	for _, static := range k.s.static.list() {
		name := static.manifest.Name + "-" + k.id.Name
		if err := k.syncMirror(ctx, static, mirrors[name]); err != nil && ctx.Err() == nil {
			m.a.logf("kubelet: mirror pod %s: %v", name, err)
		}
		delete(mirrors, name)
	}
	for name, pod := range mirrors { // a static pod that is no longer configured
		if err := deletePod(ctx, k.client, pod, 0); err != nil && ctx.Err() == nil {
			m.a.logf("kubelet: mirror pod %s: %v", name, err)
		}
	}
}

// ensure starts a worker for an unfinished pod that has none.
func (m *podManager) ensure(k *kubelet, uid types.UID, pod *corev1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if m.workers[uid] != nil || over && pod.DeletionTimestamp == nil || m.ctx.Err() != nil {
		return
	}
	m.workers[uid] = startWorker(m.ctx, m, k, pod)
}

func (m *podManager) list() map[types.UID]*podWorker {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[types.UID]*podWorker, len(m.workers))
	for uid, worker := range m.workers {
		out[uid] = worker
	}
	return out
}

func (m *podManager) forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.workers, uid)
}

// stopAll ends every pod's processes and returns when they are gone.
func (m *podManager) stopAll() {
	var all sync.WaitGroup
	for uid, worker := range m.list() {
		all.Go(func() {
			worker.stop()
			m.forget(uid)
		})
	}
	all.Wait()
}

func (m *podManager) killAll() {
	for _, worker := range m.list() {
		_, _ = worker.signal(os.Kill, afterPower) // an error means that it has exited
	}
}

func (m *podManager) signal(pod string, sig os.Signal) (bool, error) {
	for _, worker := range m.list() {
		if worker.pod.Name == pod {
			return worker.signal(sig, 0)
		}
	}
	return false, nil
}
