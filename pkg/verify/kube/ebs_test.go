package kube

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
)

// An in-tree EBS volume without a PersistentVolume is found in the templates of all kinds and in
// loose pods. The containers of such a workload are not kept.
func TestWorkloads_volumesOnEBS(t *testing.T) {
	withVolume := func(source corev1.VolumeSource) corev1.PodSpec {
		return corev1.PodSpec{Containers: []corev1.Container{{Name: "db", Image: "postgres:16", Args: []string{"--secret=x"}}}, Volumes: []corev1.Volume{{Name: "data", VolumeSource: source}}}
	}
	ebs := withVolume(corev1.VolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}})
	csi := withVolume(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}})
	objects := []runtime.Object{
		&corev1.Pod{ObjectMeta: named("owned", "apps/v1", "StatefulSet"), Spec: ebs},
		&corev1.Pod{ObjectMeta: named("bare", "", ""), Spec: ebs, Status: corev1.PodStatus{Phase: corev1.PodRunning}},
		&corev1.Pod{ObjectMeta: named("claim", "", ""), Spec: csi},
		&appsv1.ReplicaSet{ObjectMeta: named("old", "apps/v1", "Deployment"), Spec: appsv1.ReplicaSetSpec{Template: corev1.PodTemplateSpec{Spec: ebs}}},
		&batchv1.Job{ObjectMeta: named("ended", "", ""), Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: ebs}},
			Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}}},
	}
	for name, spec := range map[string]corev1.PodSpec{"ebs": ebs, "claim": csi} {
		tmpl := corev1.PodTemplateSpec{Spec: spec}
		objects = append(objects,
			&appsv1.Deployment{ObjectMeta: named(name, "", ""), Spec: appsv1.DeploymentSpec{Template: tmpl}},
			&appsv1.StatefulSet{ObjectMeta: named(name, "", ""), Spec: appsv1.StatefulSetSpec{Template: tmpl}},
			&appsv1.DaemonSet{ObjectMeta: named(name, "", ""), Spec: appsv1.DaemonSetSpec{Template: tmpl}},
			&appsv1.ReplicaSet{ObjectMeta: named(name, "", ""), Spec: appsv1.ReplicaSetSpec{Template: tmpl}},
			&corev1.ReplicationController{ObjectMeta: named(name, "", ""), Spec: corev1.ReplicationControllerSpec{Template: &tmpl}},
			&batchv1.Job{ObjectMeta: named(name, "", ""), Spec: batchv1.JobSpec{Template: tmpl}},
			&batchv1.CronJob{ObjectMeta: named(name, "", ""), Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: tmpl}}}})
	}
	r, err := New(restfake.Config(fake.NewClientset(objects...), "v1.26.13"), clocktesting.NewFakeClock(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	workloads := r.workloads(t.Context(), r.daemonSets(t.Context()))
	for _, w := range workloads.Value {
		if !w.EBS || w.Containers != nil {
			t.Errorf("%s: %+v", w, w)
		}
		got = append(got, w.String())
	}
	pods := r.loosePods(t.Context())
	for _, p := range pods.Value {
		if !p.EBS || p.Containers != nil {
			t.Errorf("%+v", p)
		}
		got = append(got, "Pod "+p.Namespace+"/"+p.Name)
	}
	slices.Sort(got)
	want := []string{"CronJob web/ebs", "DaemonSet web/ebs", "Deployment web/ebs", "Job web/ebs", "Pod web/bare", "ReplicaSet web/ebs", "ReplicationController web/ebs", "StatefulSet web/ebs"}
	if workloads.Err != nil || pods.Err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v: %q, want %q", workloads.Err, pods.Err, got, want)
	}
}

// named returns an object in web, with a controller of that kind if one is given.
func named(name, apiVersion, kind string) metav1.ObjectMeta {
	if kind != "" {
		m := made(name, apiVersion, kind)
		m.Namespace = "web"
		return m
	}
	return metav1.ObjectMeta{Namespace: "web", Name: name, Labels: map[string]string{"app": name}}
}
