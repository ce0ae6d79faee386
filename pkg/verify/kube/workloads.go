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

// workloads reads the objects of all built-in kinds with a pod template. It returns those that run a
// controller manager or an API server, or have an in-tree EBS volume or an image from ECR, or
// run the EBS CSI driver. It omits DaemonSets of a CCM, which ccm reads, and Jobs that have ended.
func (r Reader) workloads(ctx context.Context, sets daemonSets) verify.Read[[]downstream.Workload] {
	apps, core, batch := r.Kube.AppsV1(), r.Kube.CoreV1(), r.Kube.BatchV1()
	all := metav1.NamespaceAll
	parts := []verify.Read[[]downstream.Workload]{
		collect(ctx, r, "deployments", metav1.ListOptions{}, apps.Deployments(all).List, func(l *appsv1.DeploymentList) []downstream.Workload {
			return filter(l.Items, func(d *appsv1.Deployment) (downstream.Workload, bool) {
				w, is := convertWorkload("Deployment", d.ObjectMeta, podCount(d.Spec.Replicas, d.Status.Replicas), d.Spec.Template)
				w.EBSDriver = ebsDriver(d.Spec.Template.Spec, d.Status.ReadyReplicas)
				return w, is || w.EBSDriver != nil
			})
		}),
		collect(ctx, r, "statefulsets", metav1.ListOptions{}, apps.StatefulSets(all).List, func(l *appsv1.StatefulSetList) []downstream.Workload {
			return filter(l.Items, func(s *appsv1.StatefulSet) (downstream.Workload, bool) {
				return convertWorkload("StatefulSet", s.ObjectMeta, podCount(s.Spec.Replicas, s.Status.Replicas), s.Spec.Template)
			})
		}),
		sets().others,
		collect(ctx, r, "replicationcontrollers", metav1.ListOptions{}, core.ReplicationControllers(all).List, func(l *corev1.ReplicationControllerList) []downstream.Workload {
			return filter(l.Items, func(c *corev1.ReplicationController) (downstream.Workload, bool) {
				if c.Spec.Template == nil {
					return downstream.Workload{}, false
				}
				return convertWorkload("ReplicationController", c.ObjectMeta, podCount(c.Spec.Replicas, c.Status.Replicas), *c.Spec.Template)
			})
		}),
		collect(ctx, r, "jobs", metav1.ListOptions{}, batch.Jobs(all).List, func(l *batchv1.JobList) []downstream.Workload { return filter(l.Items, convertJob) }),
		collect(ctx, r, "cronjobs", metav1.ListOptions{}, batch.CronJobs(all).List, func(l *batchv1.CronJobList) []downstream.Workload {
			return filter(l.Items, func(c *batchv1.CronJob) (downstream.Workload, bool) {
				return convertWorkload("CronJob", c.ObjectMeta, suspendableCount(c.Spec.Suspend), c.Spec.JobTemplate.Spec.Template)
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

// convertWorkload converts a workload and reports whether a rule uses it. It omits the containers if
// only an EBS volume or an image makes it relevant.
func convertWorkload(kind string, m metav1.ObjectMeta, replicas int32, template corev1.PodTemplateSpec) (downstream.Workload, bool) {
	spec := template.Spec
	w := downstream.Workload{Object: convertObject(kind, m), Replicas: replicas, EBS: onEBS(spec), ECR: onECR(spec)}
	if cs := convertContainers(spec); downstream.Interesting(cs) {
		w.Containers = cs
	}
	if w.ECR {
		w.PullSecrets, w.PodLabels, w.ServiceAccount = len(spec.ImagePullSecrets) > 0, template.Labels, accountOf(spec)
	}
	return w, w.EBS || w.ECR || len(w.Containers) > 0
}

// onEBS reports whether a pod has an in-tree EBS volume that is not a PersistentVolume.
func onEBS(spec corev1.PodSpec) bool {
	return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.AWSElasticBlockStore != nil })
}

// podCount returns how many pods a workload wants or still has.
func podCount(wanted *int32, existing int32) int32 {
	if wanted == nil {
		return max(1, existing)
	}
	return max(*wanted, existing)
}

func suspendableCount(suspend *bool) int32 {
	if suspend != nil && *suspend {
		return 0
	}
	return 1
}

func convertJob(j *batchv1.Job) (downstream.Workload, bool) {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return downstream.Workload{}, false
		}
	}
	return convertWorkload("Job", j.ObjectMeta, max(suspendableCount(j.Spec.Suspend), j.Status.Active), j.Spec.Template)
}

// replicaSets reads the ReplicaSets without a Deployment. A Deployment is judged by its own
// template, and its old ReplicaSets would be most of the list.
func (r Reader) replicaSets(ctx context.Context) verify.Read[[]downstream.Workload] {
	return selection[downstream.Workload]{
		name: "replicasets", resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"},
		needsRead: func(m metav1.Object) bool { return !madeBy(m, schema.GroupKind{Group: "apps", Kind: "Deployment"}) },
		get: func(ctx context.Context, namespace, name string) ([]downstream.Workload, error) {
			s, err := r.Kube.AppsV1().ReplicaSets(namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return filter([]appsv1.ReplicaSet{*s}, convertReplicaSet), nil
		},
		list: func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]downstream.Workload] {
			return collect(ctx, r, "replicasets", opts, r.Kube.AppsV1().ReplicaSets(namespace).List, func(l *appsv1.ReplicaSetList) []downstream.Workload {
				return filter(l.Items, convertReplicaSet)
			})
		},
	}.read(ctx, r)
}

func convertReplicaSet(s *appsv1.ReplicaSet) (downstream.Workload, bool) {
	w, is := convertWorkload("ReplicaSet", s.ObjectMeta, podCount(s.Spec.Replicas, s.Status.Replicas), s.Spec.Template)
	return w, is && !madeBy(s, schema.GroupKind{Group: "apps", Kind: "Deployment"})
}
