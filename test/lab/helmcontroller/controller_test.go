package helmcontroller

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// packed returns a chart of one template, as chartContent holds it.
func packed(t *testing.T, template string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, content := range map[string]string{
		"c/Chart.yaml":          "apiVersion: v2\nname: c\nversion: 0.1.0\nappVersion: v1\n",
		"c/values.yaml":         "a: chart\nb: chart\n",
		"c/templates/cm.yaml":   template,
		"c/templates/NOTES.txt": "",
	} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

const goodTemplate = `
apiVersion: v1
kind: ConfigMap
metadata: {name: made, namespace: kube-system}
data: {a: "{{ .Values.a }}", b: "{{ .Values.b }}", c: "{{ .Values.c }}"}
`

// plane is an API server with a controller; the test acts as kubelet and Job controller.
type plane struct {
	*Controller
	t      *testing.T
	config *rest.Config
}

func newPlane(t *testing.T) *plane {
	t.Helper()
	config := testplane.Start(t, "one")[0]
	c, err := New(Config{Cluster: config, Poll: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &plane{Controller: c, t: t, config: config}
}

func (p *plane) await(what string, look func(context.Context) (string, bool)) {
	p.t.Helper()
	last := ""
	err := wait.PollUntilContextTimeout(p.t.Context(), 50*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		seen, ok := look(ctx)
		if ctx.Err() == nil {
			last = seen
		}
		return ok, nil
	})
	if err != nil {
		p.t.Fatalf("waiting for %s: %v; last seen: %s", what, err, last)
	}
}

func (p *plane) chart(spec map[string]any) {
	p.t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "helm.cattle.io/v1", "kind": "HelmChart",
		"metadata": map[string]any{"name": "demo", "namespace": namespace}, "spec": spec}}
	have, err := p.dyn.Resource(gvrChart).Namespace(namespace).Get(p.t.Context(), "demo", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = p.dyn.Resource(gvrChart).Namespace(namespace).Create(p.t.Context(), o, metav1.CreateOptions{})
	} else if err == nil {
		err = p.change(p.t.Context(), have.GetName(), func(h *unstructured.Unstructured) { h.Object["spec"] = spec })
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// job waits for a Job of that name with another content hash. It completes the deletion of a
// Job, as the garbage collector would.
func (p *plane) job(name, notHash string) *batchv1.Job {
	p.t.Helper()
	var found *batchv1.Job
	p.await("Job "+name, func(ctx context.Context) (string, bool) {
		l, err := p.kube.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error(), false
		}
		seen := ""
		for i := range l.Items {
			j := &l.Items[i]
			seen += j.Name + " " + j.Spec.Template.Annotations[annotationHash] + "; "
			if j.DeletionTimestamp != nil {
				j.Finalizers = nil
				_, _ = p.kube.BatchV1().Jobs(namespace).Update(ctx, j, metav1.UpdateOptions{})
			} else if j.Name == name && j.Spec.Template.Annotations[annotationHash] != notHash {
				found = j
			}
		}
		return seen, found != nil
	})
	return found
}

// runPod runs a Job's container as the node agent does.
func (p *plane) runPod(j *batchv1.Job) (string, error) {
	p.t.Helper()
	dir := p.t.TempDir()
	container := j.Spec.Template.Spec.Containers[0]
	write := func(path string, data []byte) {
		p.t.Helper()
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, v := range j.Spec.Template.Spec.Volumes {
		if v.Secret != nil {
			s, err := p.kube.CoreV1().Secrets(namespace).Get(p.t.Context(), v.Secret.SecretName, metav1.GetOptions{})
			if err != nil {
				p.t.Fatal(err)
			}
			for k, d := range s.Data {
				write("config/"+k, d)
			}
		}
		if v.ConfigMap != nil {
			m, err := p.kube.CoreV1().ConfigMaps(namespace).Get(p.t.Context(), v.ConfigMap.Name, metav1.GetOptions{})
			if err != nil {
				p.t.Fatal(err)
			}
			for k, d := range m.Data {
				write("chart/"+k, []byte(d))
			}
		}
	}
	var out bytes.Buffer
	env := append(plainEnv(j.Spec.Template.Spec), "KUBECONFIG="+testplane.Kubeconfig(p.t, p.config), "LAB_VOLUMES="+dir)
	err := RunKlipper(p.t.Context(), container.Args, env, &out)
	return out.String(), err
}

func (p *plane) made() map[string]string {
	m, err := p.kube.CoreV1().ConfigMaps(namespace).Get(p.t.Context(), "made", metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return m.Data
}

func (p *plane) releases() string {
	l, err := p.kube.CoreV1().Secrets(namespace).List(p.t.Context(), metav1.ListOptions{LabelSelector: "owner=helm,name=demo"})
	if err != nil {
		p.t.Fatal(err)
	}
	out := ""
	for _, s := range l.Items {
		out += s.Name + "=" + s.Labels["status"] + " "
	}
	return strings.TrimSpace(out)
}

func TestChartFromInstallToRemoval(t *testing.T) {
	p := newPlane(t)
	spec := map[string]any{"chartContent": packed(t, goodTemplate), "bootstrap": true, "failurePolicy": "abort",
		"valuesContent": "b: values\n", "backOffLimit": int64(3), "set": map[string]any{"c": "set"}}
	p.chart(spec)
	j := p.job("helm-install-demo", "")
	if out, err := p.runPod(j); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := p.made(); got["a"] != "chart" || got["b"] != "values" || got["c"] != "set" {
		t.Errorf("installed %v", got)
	}
	p.await("status.jobName", func(ctx context.Context) (string, bool) {
		o, err := p.dyn.Resource(gvrChart).Namespace(namespace).Get(ctx, "demo", metav1.GetOptions{})
		if err != nil {
			return err.Error(), false
		}
		name, _, _ := unstructured.NestedString(o.Object, "status", "jobName")
		_, conditions, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		return fmt.Sprint(o.Object["status"]), name == "helm-install-demo" && !conditions
	})

	config := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "helm.cattle.io/v1", "kind": "HelmChartConfig",
		"metadata": map[string]any{"name": "demo", "namespace": namespace}, "spec": map[string]any{"valuesContent": "b: config\n"}}}
	if _, err := p.dyn.Resource(gvrConfig).Namespace(namespace).Create(t.Context(), config, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	j = p.job("helm-install-demo", j.Spec.Template.Annotations[annotationHash])
	if out, err := p.runPod(j); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := p.made(); got["b"] != "config" {
		t.Errorf("upgraded to %v", got)
	}
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=superseded sh.helm.release.v1.demo.v2=deployed" {
		t.Errorf("releases: %s", got)
	}

	if err := p.dyn.Resource(gvrChart).Namespace(namespace).Delete(t.Context(), "demo", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	j = p.job("helm-delete-demo", "")
	if out, err := p.runPod(j); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := p.made(); got != nil || p.releases() != "" {
		t.Errorf("after removal %v, releases %s", got, p.releases())
	}
	now := metav1.Now()
	j.Status.Succeeded, j.Status.StartTime, j.Status.CompletionTime = 1, &now, &now
	j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	if _, err := p.kube.BatchV1().Jobs(namespace).UpdateStatus(t.Context(), j, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	p.await("the HelmChart to go", func(ctx context.Context) (string, bool) {
		_, err := p.dyn.Resource(gvrChart).Namespace(namespace).Get(ctx, "demo", metav1.GetOptions{})
		return fmt.Sprint(err), apierrors.IsNotFound(err)
	})
}

func TestFailedRelease(t *testing.T) {
	p := newPlane(t)
	// The object is refused by the API server, after the release was recorded.
	bad := strings.Replace(goodTemplate, "namespace: kube-system", "namespace: nowhere", 1)
	p.chart(map[string]any{"chartContent": packed(t, bad), "failurePolicy": "abort"})
	j := p.job("helm-install-demo", "")
	if _, err := p.runPod(j); err == nil {
		t.Fatal("a chart that cannot be installed was")
	}
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=failed" {
		t.Fatalf("releases: %s", got)
	}
	p.chart(map[string]any{"chartContent": packed(t, goodTemplate), "failurePolicy": "abort"})
	j = p.job("helm-install-demo", j.Spec.Template.Annotations[annotationHash])
	if _, err := p.runPod(j); err == nil || !strings.Contains(err.Error(), "waiting for operator intervention") {
		t.Fatalf("abort: %v", err)
	}
	if p.made() != nil {
		t.Error("abort installed all the same")
	}
	p.chart(map[string]any{"chartContent": packed(t, goodTemplate)})
	p.await("the policy to reach the job", func(context.Context) (string, bool) {
		j = p.job("helm-install-demo", "")
		env := strings.Join(plainEnv(j.Spec.Template.Spec), " ")
		return env, strings.Contains(env, "FAILURE_POLICY=reinstall")
	})
	if out, err := p.runPod(j); err != nil {
		t.Fatalf("reinstall: %v\n%s", err, out)
	}
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=deployed" || p.made() == nil {
		t.Errorf("releases: %s", got)
	}
	p.interrupted(j)
}

// interrupted kills a job during an upgrade: the next one retries.
func (p *plane) interrupted(j *batchv1.Job) {
	p.t.Helper()
	k := &klipper{env: map[string]string{"KUBECONFIG": testplane.Kubeconfig(p.t, p.config), "TARGET_NAMESPACE": namespace, "NAME": "demo"}, volumes: p.t.TempDir(), out: &bytes.Buffer{}}
	if err := k.connect(); err != nil {
		p.t.Fatal(err)
	}
	r, err := k.last()
	if err != nil || r == nil {
		p.t.Fatalf("last release: %v, %v", r, err)
	}
	r.Info.Status = release.StatusPendingUpgrade
	if err := k.cfg.Releases.Update(r); err != nil {
		p.t.Fatal(err)
	}
	if out, err := p.runPod(j); err != nil || !strings.Contains(out, "Retrying upgrade") {
		p.t.Fatalf("after an interruption: %v\n%s", err, out)
	}
	if got := p.releases(); !strings.Contains(got, "demo.v2=deployed") {
		p.t.Errorf("releases: %s", got)
	}
}
