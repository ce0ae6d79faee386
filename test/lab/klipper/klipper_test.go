package klipper

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

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

const namespace = "kube-system"

// plane is an API server on which a test runs Jobs of the HelmChart "demo".
type plane struct {
	t          *testing.T
	kube       kubernetes.Interface
	kubeconfig string
}

func newPlane(t *testing.T) *plane {
	t.Helper()
	config := testplane.Start(t, "one")[0]
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &plane{t: t, kube: client, kubeconfig: testplane.Kubeconfig(t, config)}
}

// helmChart holds what the helm controller passes on to a Job.
type helmChart struct {
	chart  string   // its chartContent
	values []string // of the HelmChart, then of its HelmChartConfig
	args   []string
	policy string // or empty
}

// run runs the container of a Job as a machine's agent does, and returns its output.
func (p *plane) run(h helmChart) (string, error) {
	p.t.Helper()
	dir := p.t.TempDir()
	files := map[string]string{"chart/demo.tgz.base64": h.chart}
	for i, name := range []string{"config/values-01_HelmChart.yaml", "config/values-10_HelmChartConfig.yaml"} {
		if i < len(h.values) {
			files[name] = h.values[i]
		}
	}
	for path, text := range files {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	var out bytes.Buffer
	env := []string{
		"NAME=demo", "TARGET_NAMESPACE=" + namespace, "FAILURE_POLICY=" + h.policy, "KUBECONFIG=" + p.kubeconfig, "LAB_VOLUMES=" + dir,
	}
	err := Run(p.t.Context(), h.args, env, &out)
	return out.String(), err
}

// must runs a Job that succeeds.
func (p *plane) must(h helmChart) string {
	p.t.Helper()
	out, err := p.run(h)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// made returns the data of the chart's ConfigMap, or nil without one.
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
	h := helmChart{chart: packed(t, goodTemplate), values: []string{"b: values\n"}, args: []string{"install", "--set", "c=set"}}
	p.must(h)
	if got := p.made(); got["a"] != "chart" || got["b"] != "values" || got["c"] != "set" {
		t.Errorf("installed %v", got)
	}
	h.values = append(h.values, "b: config\n")
	p.must(h)
	if got := p.made(); got["b"] != "config" {
		t.Errorf("upgraded to %v", got)
	}
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=superseded sh.helm.release.v1.demo.v2=deployed" {
		t.Errorf("releases: %s", got)
	}
	h.args = []string{"delete"}
	p.must(h)
	if got := p.made(); got != nil || p.releases() != "" {
		t.Errorf("after removal %v, releases %s", got, p.releases())
	}
	if out := p.must(h); !strings.Contains(out, "nothing to delete") {
		t.Errorf("a second removal: %s", out)
	}
}

func TestFailedRelease(t *testing.T) {
	p := newPlane(t)
	// The object is refused by the API server, after the release was recorded.
	bad := strings.Replace(goodTemplate, "namespace: kube-system", "namespace: nowhere", 1)
	h := helmChart{chart: packed(t, bad), args: []string{"install"}, policy: "abort"}
	if _, err := p.run(h); err == nil {
		t.Fatal("a chart that cannot be installed was")
	}
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=failed" {
		t.Fatalf("releases: %s", got)
	}
	h.chart = packed(t, goodTemplate)
	if _, err := p.run(h); err == nil || !strings.Contains(err.Error(), "waiting for operator intervention") {
		t.Fatalf("abort: %v", err)
	}
	if p.made() != nil {
		t.Error("abort installed all the same")
	}
	h.policy = "reinstall"
	p.must(h)
	if got := p.releases(); got != "sh.helm.release.v1.demo.v1=deployed" || p.made() == nil {
		t.Errorf("releases: %s", got)
	}
	p.interrupt()
	if out := p.must(h); !strings.Contains(out, "Retrying upgrade") {
		t.Errorf("after an interruption: %s", out)
	}
	if got := p.releases(); !strings.Contains(got, "demo.v2=deployed") {
		t.Errorf("releases: %s", got)
	}
}

// interrupt leaves the last release as a Job does that is killed during an upgrade.
func (p *plane) interrupt() {
	p.t.Helper()
	k := &run{env: map[string]string{"KUBECONFIG": p.kubeconfig, "TARGET_NAMESPACE": namespace, "NAME": "demo"}, volumes: p.t.TempDir(), out: &bytes.Buffer{}}
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
}
