package kube

import (
	"context"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// workloads are the objects of every kind of Kubernetes with a pod template that
// runs a controller manager, or the API server beside one, or that has a volume on
// in-tree EBS. DaemonSets of a CCM are
// left to ccm, and Jobs that have ended are left out.
func (r Reader) workloads(ctx context.Context, sets daemonSets) verify.Read[[]downstream.Workload] {
	apps, core, batch := r.Kube.AppsV1(), r.Kube.CoreV1(), r.Kube.BatchV1()
	all := metav1.NamespaceAll
	parts := []verify.Read[[]downstream.Workload]{
		collect(ctx, r, "deployments", metav1.ListOptions{}, apps.Deployments(all).List, func(l *appsv1.DeploymentList) []downstream.Workload {
			return filter(l.Items, func(d *appsv1.Deployment) (downstream.Workload, bool) {
				return workload("Deployment", d.ObjectMeta, pods(d.Spec.Replicas, d.Status.Replicas), d.Spec.Template.Spec)
			})
		}),
		collect(ctx, r, "statefulsets", metav1.ListOptions{}, apps.StatefulSets(all).List, func(l *appsv1.StatefulSetList) []downstream.Workload {
			return filter(l.Items, func(s *appsv1.StatefulSet) (downstream.Workload, bool) {
				return workload("StatefulSet", s.ObjectMeta, pods(s.Spec.Replicas, s.Status.Replicas), s.Spec.Template.Spec)
			})
		}),
		sets().others,
		collect(ctx, r, "replicationcontrollers", metav1.ListOptions{}, core.ReplicationControllers(all).List, func(l *corev1.ReplicationControllerList) []downstream.Workload {
			return filter(l.Items, func(c *corev1.ReplicationController) (downstream.Workload, bool) {
				if c.Spec.Template == nil {
					return downstream.Workload{}, false
				}
				return workload("ReplicationController", c.ObjectMeta, pods(c.Spec.Replicas, c.Status.Replicas), c.Spec.Template.Spec)
			})
		}),
		collect(ctx, r, "jobs", metav1.ListOptions{}, batch.Jobs(all).List, func(l *batchv1.JobList) []downstream.Workload { return filter(l.Items, job) }),
		collect(ctx, r, "cronjobs", metav1.ListOptions{}, batch.CronJobs(all).List, func(l *batchv1.CronJobList) []downstream.Workload {
			return filter(l.Items, func(c *batchv1.CronJob) (downstream.Workload, bool) {
				return workload("CronJob", c.ObjectMeta, unlessSuspended(c.Spec.Suspend), c.Spec.JobTemplate.Spec.Template.Spec)
			})
		}),
		r.replicaSets(ctx),
	}
	var found []downstream.Workload
	var errs []error
	for _, part := range parts {
		found, errs = append(found, part.Value...), append(errs, part.Err)
	}
	if err := errors.Join(errs...); err != nil {
		return verify.Failed[[]downstream.Workload](err)
	}
	return verify.Got(found)
}

// workload returns a workload that some rule looks at. Of one that only has a volume on
// EBS its containers are left out.
func workload(kind string, m metav1.ObjectMeta, replicas int32, spec corev1.PodSpec) (downstream.Workload, bool) {
	w := downstream.Workload{Object: object(kind, m), Replicas: replicas, EBS: onEBS(spec)}
	if cs := containers(spec); downstream.Interesting(cs) {
		w.Containers = cs
	}
	return w, w.EBS || len(w.Containers) > 0
}

// onEBS reports whether a pod has a volume on in-tree EBS that no PersistentVolume
// describes.
func onEBS(spec corev1.PodSpec) bool {
	return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.AWSElasticBlockStore != nil })
}

// pods is how many there are to be, or still are.
func pods(wanted *int32, there int32) int32 {
	if wanted == nil {
		return max(1, there)
	}
	return max(*wanted, there)
}

func unlessSuspended(suspend *bool) int32 {
	if suspend != nil && *suspend {
		return 0
	}
	return 1
}

func job(j *batchv1.Job) (downstream.Workload, bool) {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return downstream.Workload{}, false
		}
	}
	return workload("Job", j.ObjectMeta, max(unlessSuspended(j.Spec.Suspend), j.Status.Active), j.Spec.Template.Spec)
}

// replicaSets are those that no Deployment made: a Deployment is judged by its own
// template, and its old ReplicaSets would be most of the list.
func (r Reader) replicaSets(ctx context.Context) verify.Read[[]downstream.Workload] {
	return whole[downstream.Workload]{
		what: "replicasets", resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"},
		open: func(m metav1.Object) bool { return !madeBy(m, schema.GroupKind{Group: "apps", Kind: "Deployment"}) },
		get: func(ctx context.Context, namespace, name string) ([]downstream.Workload, error) {
			s, err := r.Kube.AppsV1().ReplicaSets(namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return filter([]appsv1.ReplicaSet{*s}, replicaSet), nil
		},
		list: func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]downstream.Workload] {
			return collect(ctx, r, "replicasets", opts, r.Kube.AppsV1().ReplicaSets(namespace).List, func(l *appsv1.ReplicaSetList) []downstream.Workload {
				return filter(l.Items, replicaSet)
			})
		},
	}.read(ctx, r)
}

func replicaSet(s *appsv1.ReplicaSet) (downstream.Workload, bool) {
	w, is := workload("ReplicaSet", s.ObjectMeta, pods(s.Spec.Replicas, s.Status.Replicas), s.Spec.Template.Spec)
	return w, is && !madeBy(s, schema.GroupKind{Group: "apps", Kind: "Deployment"})
}
