package kube

import (
	"maps"
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
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Images from ECR are found in templates and loose pods. Pull secrets count from the template,
// and from a pod to which its ServiceAccount gave them.
func TestRead_imagesOnECR(t *testing.T) {
	spec := func(image, account string, secrets ...string) corev1.PodSpec {
		s := corev1.PodSpec{ServiceAccountName: account, Containers: []corev1.Container{{Name: "web", Image: image}}}
		for _, name := range secrets {
			s.ImagePullSecrets = append(s.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
		}
		return s
	}
	const image = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/web:1"
	initial := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "init", Image: image}}, Containers: []corev1.Container{{Name: "web", Image: "nginx"}}}
	deployment := func(name string, s corev1.PodSpec) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: named(name, "", ""), Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}, Spec: s}}}
	}
	pod := func(name string, s corev1.PodSpec) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: named(name+"-1", "apps/v1", "ReplicaSet"), Spec: s}
		p.Labels = map[string]string{"app": name}
		return p
	}
	objects := []runtime.Object{
		deployment("bare", spec(image, "")), pod("bare", spec(image, "default")),
		deployment("secret", spec(image, "", "regcred")),
		deployment("account", spec(image, "puller")), pod("account", spec(image, "puller", "regcred")),
		deployment("other-account", spec(image, "own")), pod("other-account", spec(image, "puller", "regcred")),
		deployment("idle", spec(image, "idle")),
		deployment("nginx", spec("nginx", "")),
		&batchv1.CronJob{ObjectMeta: named("cron", "", ""), Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: initial}}}}},
		&corev1.Pod{ObjectMeta: named("loose", "", ""), Spec: spec(image, "", "regcred")},
	}
	r, err := New(restfake.Config(fake.NewClientset(objects...), "v1.26.13"), clocktesting.NewFakeClock(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	workloads, pods := r.workloads(t.Context(), r.daemonSets(t.Context())), r.loosePods(t.Context())
	r.addPullSecrets(t.Context(), workloads.Value)
	got := map[string]bool{}
	for _, w := range workloads.Value {
		got[w.Name] = w.PullSecrets
	}
	want := map[string]bool{"bare": false, "secret": true, "account": true, "other-account": false, "idle": false, "cron": false}
	if workloads.Err != nil || !maps.Equal(got, want) {
		t.Errorf("%v: %v, want %v", workloads.Err, got, want)
	}
	if len(pods.Value) != 1 || !pods.Value[0].ECR || !pods.Value[0].PullSecrets || pods.Value[0].Containers != nil {
		t.Errorf("%v: %+v", pods.Err, pods.Value)
	}
}

// The number of requests is bounded.
func TestAddPullSecrets_manyAccounts(t *testing.T) {
	client := fake.NewClientset()
	var workloads []downstream.Workload
	for i := range 3 * maxAccountPods {
		workloads = append(workloads, downstream.Workload{ECR: true, PodLabels: map[string]string{"app": "web"}, ServiceAccount: "a" + string(rune('a'+i))})
	}
	Reader{Kube: client, Timeout: time.Second}.addPullSecrets(t.Context(), workloads)
	if n := len(client.Actions()); n != maxAccountPods {
		t.Errorf("%d requests", n)
	}
}
