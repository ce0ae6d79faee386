package charts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
)

const (
	controller = "awsmigrate" // the chart, its release, and most of its objects
	home       = "cattle-awsmigrate-system"
	election   = "awsmigrate" // the Lease by which one of several leads
)

// installations are values whose objects are kept as golden files.
func installations() map[string]string {
	return map[string]string{
		"defaults":     "{}",
		"migrate":      "mode: migrate",
		"bound":        "{namespaces: [fleet-default, team-a], access: {clusters: [prod, staging]}}",
		"bound-writes": "{mode: migrate, namespaces: [fleet-default, team-a], access: {clusters: [prod], rke1: [c-7kq2x], secrets: [cloud]}}",
		"rke1":         "{mode: migrate, access: {rke1: [c-7kq2x, c-b9b9b]}}",
		"settings": `
replicas: 2
maxConcurrent: 20
auditInterval: 90m
image: {tag: "1.2", digest: "sha256:` + strings.Repeat("a", 64) + `", pullPolicy: Always}
imagePullSecrets: [{name: mirror}]
resources: {limits: {memory: 1Gi}, requests: {cpu: 1}}
nodeSelector: {kubernetes.io/os: windows, pool: system}
tolerations: [{key: system, operator: Exists}]
affinity: {podAntiAffinity: {}}
priorityClassName: system-cluster-critical
extraAnnotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/audit"}
proxy: http://proxy.example:3128
noProxy: 10.0.0.0/8,rancher.example
additionalTrustedCAs: true
global: {cattle: {systemDefaultRegistry: registry.example/, clusterName: local}}`,
		"surroundings": `
replicas: 3
aws: {mode: "on", region: eu-central-1, assumeRole: "arn:aws:iam::123456789012:role/audit", secretName: aws-keys}
networkPolicy: {enabled: true, egressPorts: [443, 6443]}
proxy: http://proxy.example:3128
userRoles: {create: true}`,
		"unlimited":  "resources: {limits: {memory: null}}",
		"monitoring": "{serviceMonitor: {enabled: true, labels: {release: monitoring}}, prometheusRule: {enabled: true}}",
	}
}

func controllerChart(t *testing.T) *chart.Chart {
	t.Helper()
	ch, err := loader.Load(controller)
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Validate(); err != nil {
		t.Fatal(err)
	}
	return ch
}

func parsed(t *testing.T, values string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := yaml.Unmarshal([]byte(values), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// render returns the objects that Helm would apply, by file, if the Prometheus operator is
// installed.
func render(t *testing.T, ch *chart.Chart, values string) (map[string]string, error) {
	t.Helper()
	return renderWith(t, ch, values, "monitoring.coreos.com/v1")
}

// renderWith does the same on a server with further APIs.
func renderWith(t *testing.T, ch *chart.Chart, values string, apis ...string) (map[string]string, error) {
	t.Helper()
	return renderParsed(ch, parsed(t, values), apis...)
}

func renderParsed(ch *chart.Chart, values map[string]any, apis ...string) (map[string]string, error) {
	release := chartutil.ReleaseOptions{Name: controller, Namespace: home, Revision: 1, IsInstall: true}
	server := chartutil.DefaultCapabilities.Copy()
	server.APIVersions = append(server.APIVersions, apis...)
	all, err := chartutil.ToRenderValues(ch, values, release, server)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(ch, all)
}

// manifest returns all files except the notes, in the order of their names.
func manifest(t *testing.T, values string) string {
	t.Helper()
	files, err := render(t, controllerChart(t), values)
	if err != nil {
		t.Fatal(err)
	}
	return manifestOf(files)
}

func manifestOf(files map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if one := strings.TrimSpace(files[name]); one != "" && strings.HasSuffix(name, ".yaml") {
			text.WriteString("---\n" + one + "\n")
		}
	}
	return text.String()
}

func objects(t *testing.T, values string) []unstructured.Unstructured {
	t.Helper()
	return objectsIn(t, manifest(t, values))
}

func objectsIn(t *testing.T, manifest string) []unstructured.Unstructured {
	t.Helper()
	var list []unstructured.Unstructured
	documents := releaseutil.SplitManifests(manifest)
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		list = append(list, unstructured.Unstructured{Object: parsed(t, documents[name])})
	}
	return list
}

// strictly parses an object as its type, and refuses unknown fields.
func strictly[T any](t *testing.T, object unstructured.Unstructured) T {
	t.Helper()
	var typed T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &typed, true); err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return typed
}

func deployment(t *testing.T, values string) appsv1.Deployment {
	t.Helper()
	for _, object := range objects(t, values) {
		if object.GetKind() == "Deployment" {
			return strictly[appsv1.Deployment](t, object)
		}
	}
	t.Fatal("no Deployment")
	return appsv1.Deployment{}
}

func TestControllerGoldens(t *testing.T) {
	for name, values := range installations() {
		golden.Require(t, controller+"/"+name+".yaml", manifest(t, values))
	}
}

// Every object is one that Kubernetes 1.25 has, with fields of its type and no other; the
// test on an API server sends them to one.
func TestObjects_each_fitsItsType(t *testing.T) {
	for _, values := range installations() {
		for _, object := range objects(t, values) {
			switch kind := object.GetAPIVersion() + " " + object.GetKind(); kind {
			case "apps/v1 Deployment":
				strictly[appsv1.Deployment](t, object)
			case "batch/v1 Job":
				strictly[batchv1.Job](t, object)
			case "v1 ConfigMap":
				strictly[corev1.ConfigMap](t, object)
			case "networking.k8s.io/v1 NetworkPolicy":
				strictly[networkingv1.NetworkPolicy](t, object)
			case "policy/v1 PodDisruptionBudget":
				strictly[policyv1.PodDisruptionBudget](t, object)
			case "v1 Service":
				strictly[corev1.Service](t, object)
			case "monitoring.coreos.com/v1 ServiceMonitor":
				strictly[serviceMonitor](t, object)
			case "monitoring.coreos.com/v1 PrometheusRule":
				strictly[prometheusRule](t, object)
			case "v1 ServiceAccount":
				strictly[corev1.ServiceAccount](t, object)
			case "rbac.authorization.k8s.io/v1 ClusterRole":
				strictly[rbacv1.ClusterRole](t, object)
			case "rbac.authorization.k8s.io/v1 Role":
				strictly[rbacv1.Role](t, object)
			case "rbac.authorization.k8s.io/v1 ClusterRoleBinding":
				strictly[rbacv1.ClusterRoleBinding](t, object)
			case "rbac.authorization.k8s.io/v1 RoleBinding":
				strictly[rbacv1.RoleBinding](t, object)
			default:
				t.Errorf("%s %s", kind, object.GetName())
			}
		}
	}
}

func TestChart_helmLint_isClean(t *testing.T) {
	for name, values := range installations() {
		for _, message := range lint.AllWithKubeVersion(controller, parsed(t, values), home, &chartutil.KubeVersion{Version: "v1.26.0", Major: "1", Minor: "26"}).Messages {
			if message.Severity >= support.InfoSev {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}

// Rancher's catalogue installs both charts in the same version.
func TestCharts_versions_equal(t *testing.T) {
	definitions, err := loader.Load("awsmigrate-crd")
	if err != nil {
		t.Fatal(err)
	}
	of := func(ch *chart.Chart) [3]string {
		return [3]string{ch.Metadata.Version, ch.Metadata.AppVersion, ch.Metadata.KubeVersion}
	}
	if got, want := of(controllerChart(t)), of(definitions); got != want {
		t.Errorf("%v, and %v of the definitions", got, want)
	}
}

// After a restart of its container the controller has the same names, so the next process takes
// over the locks of the previous one.
func TestDeployment_restart_keepsIdentity(t *testing.T) {
	for _, values := range installations() {
		container := deployment(t, values).Spec.Template.Spec.Containers[0]
		env := map[string]corev1.EnvVar{}
		for _, e := range container.Env {
			env[e.Name] = e
		}
		for name, path := range map[string]string{
			job.EnvPodName: "metadata.name", job.EnvPodUID: "metadata.uid", job.EnvNodeName: "spec.nodeName", "POD_NAMESPACE": "metadata.namespace",
		} {
			if from := env[name].ValueFrom; from == nil || from.FieldRef == nil || from.FieldRef.FieldPath != path {
				t.Errorf("%s: %+v", name, env[name])
			}
		}
		if env[job.EnvContainerName].Value != container.Name {
			t.Errorf("%s is %q in container %s", job.EnvContainerName, env[job.EnvContainerName].Value, container.Name)
		}
		_, limited := container.Resources.Limits[corev1.ResourceMemory]
		if from := env["GOMEMLIMIT"].ValueFrom; limited != (from != nil) ||
			limited && (from.ResourceFieldRef.Resource != "limits.memory" || from.ResourceFieldRef.ContainerName != container.Name) {
			t.Errorf("GOMEMLIMIT is %+v with limits %v", env["GOMEMLIMIT"], container.Resources.Limits)
		}
	}
}

// No noProxy shuts out the API server, or the addresses at which AWS gives an identity.
func TestDeployment_noProxy_keepsServers(t *testing.T) {
	const always = "$(KUBERNETES_SERVICE_HOST),.svc,169.254.0.0/16,fd00:ec2::/32"
	for noProxy, want := range map[string]string{
		`""`:            always,
		"rancher.local": "rancher.local," + always,
	} {
		var got string
		for _, e := range deployment(t, "{proxy: 'http://proxy:3128', noProxy: "+noProxy+"}").Spec.Template.Spec.Containers[0].Env {
			if e.Name == "NO_PROXY" {
				got = e.Value
			}
		}
		if got != want {
			t.Errorf("noProxy %s: %q, want %q", noProxy, got, want)
		}
	}
}

// The notes name the readable Secrets and their readers, and nothing untrue.
func TestNotes_values_nameReadableSecrets(t *testing.T) {
	for values, says := range map[string]string{
		"{}": "can read every Secret of fleet-default",
		"{access: {clusters: [prod], secrets: [cloud]}}":               "the kubeconfigs of\nprod, and cloud, and no others.",
		"{mode: migrate, access: {clusters: [prod], rke1: [c-7kq2x]}}": "the kubeconfigs of\nprod, c-7kq2x, and no others.\nIt can read every Secret of c-7kq2x.\n",
		"{mode: migrate}": "helm uninstall and mode audit are refused while a cluster rolls out",
	} {
		files, err := render(t, controllerChart(t), values)
		if notes := files["awsmigrate/templates/NOTES.txt"]; err != nil || !strings.Contains(notes, says) ||
			!strings.Contains(notes, "acts as cluster-owner") || strings.Contains(notes, "\n\n\n") {
			t.Errorf("%s: want %q (%v):\n%s", values, says, err, notes)
		}
	}
}
