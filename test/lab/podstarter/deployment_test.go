package podstarter_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/test/lab/podstarter"
)

const (
	whole   = "registry.test/whole:1" // an image as it was built
	program = "/usr/bin/looks"
)

// wholeImage returns an image whose program reports its environment.
func wholeImage(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, podstarter.RootFolder, program), "../container/testdata/looks")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(folder, podstarter.ConfigFile), []byte(`{"config":{"User":"1000:1000","Env":["PATH=/usr/bin"],"Entrypoint":["`+program+`"]}}`), 0o600))
	return folder
}

// deployment creates a Deployment of that image.
func (p plane) deployment(name, argument string) {
	p.t.Helper()
	labels := map[string]string{"app": name}
	_, err := p.AppsV1().Deployments("default").Create(p.t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: "runner",
					SecurityContext:    &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(65534))},
					Containers: []corev1.Container{{
						Name: "main", Image: whole, Args: []string{argument},
						Env:       []corev1.EnvVar{{Name: "LIMIT", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.memory"}}}},
						Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")}},
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	must(p.t, err)
}

// podOf waits until the one pod of a Deployment satisfies a condition.
func (p plane) podOf(name string, wanted func(corev1.Pod) bool) (pod corev1.Pod) {
	p.t.Helper()
	err := wait.PollUntilContextTimeout(p.t.Context(), 100*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		pods, err := p.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "app=" + name})
		if err != nil || len(pods.Items) != 1 {
			return false, err
		}
		pod = pods.Items[0]
		return wanted(pod), nil
	})
	if err != nil {
		p.t.Fatalf("%v: %+v\n%s", err, pod.Status, p.output(pod.Name))
	}
	return pod
}

func deployed(t *testing.T, p plane) {
	requireRoot(t)
	p.deployment("stays", "stay")
	pod := p.podOf("stays", func(pod corev1.Pod) bool { return strings.Contains(p.output(pod.Name), "NoNewPrivs") })
	for _, want := range []string{"user 65534 group 1000\nroot [dev proc usr var]\nlimit 536870912 server " + p.host + " outside /usr/bin\ntoken true <nil>\n", "\nNoNewPrivs 1\n"} {
		if out := p.output(pod.Name); !strings.Contains(out, want) {
			t.Errorf("%s\nwanted %q", out, want)
		}
	}
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		d, err := p.AppsV1().Deployments("default").Get(ctx, "stays", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 1, err
	})
	must(t, err)
	must(t, p.AppsV1().Deployments("default").Delete(t.Context(), "stays", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))
	err = wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		pods, err := p.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "app=stays"})
		return err == nil && len(pods.Items) == 0, err
	})
	must(t, err)
}

func restarted(t *testing.T, p plane) {
	requireRoot(t)
	p.deployment("fails", "fail")
	pod := p.podOf("fails", func(pod corev1.Pod) bool {
		return len(pod.Status.ContainerStatuses) == 1 && pod.Status.ContainerStatuses[0].RestartCount > 1
	})
	if last := pod.Status.ContainerStatuses[0].LastTerminationState.Terminated; pod.Status.Phase != corev1.PodRunning || last == nil || last.ExitCode != 3 {
		t.Errorf("%+v\n%s", pod.Status, p.output(pod.Name))
	}
}

// requireRoot skips a test that needs root.
func requireRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a container with a user of its own needs root")
	}
}
