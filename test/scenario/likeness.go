package scenario

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

// Distro returns the lab's distribution: rke2, rke (of a cluster.yml) or rke1 (RKE in Rancher).
func (l *Lab) Distro() string {
	switch {
	case l.Target[0] == "rke2":
		return "rke2"
	case l.ClusterFile != "":
		return "rke"
	}
	return "rke1"
}

// Sight describes the Nodes, leaders and static pods of the cluster as a client of its API sees them.
func (l *Lab) Sight(ctx context.Context) ([]string, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	leases, err := l.Downstream.CoordinationV1().Leases("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods, err := l.Downstream.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return likeness.Describe(nodes.Items, leases.Items, pods.Items)
}

// Course watches the Nodes, static pods and leaders of the cluster until ctx ends.
func (l *Lab) Course(ctx context.Context) (*likeness.Course, error) {
	course := likeness.NewCourse()
	factory := informers.NewSharedInformerFactoryWithOptions(l.Downstream, 0, informers.WithNamespace(metav1.NamespaceSystem))
	var delivered []cache.InformerSynced
	for informer, see := range map[cache.SharedIndexInformer]func(object any, isGone bool){
		factory.Core().V1().Nodes().Informer(): func(object any, isGone bool) {
			if node, is := object.(*corev1.Node); is && !isGone {
				course.Node(time.Now(), node)
			}
		},
		factory.Core().V1().Pods().Informer(): func(object any, isGone bool) {
			if pod, is := object.(*corev1.Pod); is {
				course.Pod(time.Now(), pod, isGone)
			}
		},
		factory.Coordination().V1().Leases().Informer(): func(object any, isGone bool) {
			if lease, is := object.(*coordinationv1.Lease); is {
				course.Lease(time.Now(), lease, isGone)
			}
		},
	} {
		registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { see(object, false) },
			UpdateFunc: func(_, object any) { see(object, false) },
			DeleteFunc: func(object any) {
				if last, missed := object.(cache.DeletedFinalStateUnknown); missed {
					object = last.Obj
				}
				see(object, true)
			},
		})
		if err != nil {
			return nil, err
		}
		delivered = append(delivered, registered.HasSynced)
	}
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), delivered...)
	course.Begin(time.Now())
	return course, ctx.Err()
}
