package podstarter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// NodeName is the name of every pod's node.
const NodeName = "management"

// Kind is the kind of the containers' processes.
const Kind = "container"

// Config configures a starter.
type Config struct {
	API        *rest.Config      // of the cluster, with rights of scheduler and kubelet
	Programs   map[string]string // image → program, or folder of the image as it was built
	Env        []string          // NAME=value: the environment of a pod, such as a role of its machine
	Dir        string            // for volumes and logs
	Supervisor *proc.Supervisor
	// TokenLifetime replaces the token lifetimes of volumes. An API server issues no token for
	// less than ten minutes.
	TokenLifetime time.Duration
	Log           *slog.Logger
}

// starter runs every pod of the cluster.
type starter struct {
	Config
	client kubernetes.Interface
	ctx    context.Context // the context of Run, because a pod outlives its event

	mu   sync.Mutex
	pods map[types.UID]*pod
	all  sync.WaitGroup
}

// Run starts pods until ctx ends, which ends every container.
func Run(ctx context.Context, c Config) error {
	client, err := kubernetes.NewForConfig(c.API)
	if err != nil {
		return fmt.Errorf("pod starter: client: %w", err)
	}
	s := &starter{Config: c, client: client, ctx: ctx, pods: map[types.UID]*pod{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { s.onUpdate(o) },
		UpdateFunc: func(_, o any) { s.onUpdate(o) },
		DeleteFunc: func(o any) { s.onDelete(o) },
	})
	if err != nil {
		return fmt.Errorf("pod starter: %w", err)
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	s.all.Wait()
	return nil
}

// onUpdate starts a pod, or notices that one must be deleted.
func (s *starter) onUpdate(object any) {
	live, ok := object.(*corev1.Pod)
	if !ok || s.ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, known := s.pods[live.UID]
	switch {
	case known && live.DeletionTimestamp != nil:
		p.delete(live)
	case known, isFinished(live):
	default:
		p = newPod(s, live)
		s.pods[live.UID] = p
		s.all.Go(func() { p.run(s.ctx) })
		if live.DeletionTimestamp != nil {
			p.delete(live)
		}
	}
}

// onDelete ends the remains of a pod that was deleted without grace.
func (s *starter) onDelete(object any) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	live, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, known := s.pods[live.UID]; known {
		delete(s.pods, live.UID)
		p.delete(nil)
	}
}

func isFinished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// logFailure logs an error; the next event of the pod retries.
func (s *starter) logFailure(p *corev1.Pod, what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Log.Error("pod starter: "+what, "pod", p.Namespace+"/"+p.Name, "error", err)
	}
}
