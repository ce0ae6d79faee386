package charts_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"helm.sh/helm/v3/pkg/releaseutil"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

const runOfJob = "app.kubernetes.io/component"

// byIdentity are objects by kind, namespace and name. Environment and volumes are lists of
// named things, whose order means nothing where none refers to another.
func byIdentity(t *testing.T, objects []unstructured.Unstructured) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, object := range objects {
		content := any(object.Object)
		if object.GetKind() == "Job" {
			job := strictly[batchv1.Job](t, object)
			slices.SortFunc(job.Spec.Template.Spec.Containers[0].Env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
			content = job
		}
		all[object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName()] = content
	}
	return all
}

// rendered are the objects of the run that the chart makes.
func rendered(t *testing.T, values string) []unstructured.Unstructured {
	t.Helper()
	return slices.DeleteFunc(objects(t, values), func(object unstructured.Unstructured) bool { return object.GetLabels()[runOfJob] != "run" })
}

// printed are those that `awsmigrate job` prints.
func printed(t *testing.T, args ...string) []unstructured.Unstructured {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(t.Context(), append([]string{"job"}, args...), console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var all []unstructured.Unstructured
	documents := releaseutil.SplitManifests(out.String())
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		if object := parsed(t, documents[name]); object != nil {
			all = append(all, unstructured.Unstructured{Object: object})
		}
	}
	return all
}

// The chart's Job is the one that `awsmigrate job` prints, with the same rights and no
// others: whichever made it, the other's journal, lock and documentation hold.
func TestChartMakesThePrintedJob(t *testing.T) {
	const image = "awsmigrate/awsmigrate:0.1.0"
	for values, args := range map[string][]string{
		"{enabled: true, cluster: prod, confirm: prod, edits: apply}":                                           {"--cluster", "prod", "--", "--edits", "apply"},
		"{enabled: true, cluster: prod, confirm: prod, edits: handoff, suspend: true, args: [--until, verify]}": {"--cluster", "prod", "--suspend", "--", "--edits", "handoff", "--until", "verify"},
		"{enabled: true, cluster: prod, confirm: prod, edits: apply, namespace: team-a, awsSecretName: keys}":   {"--cluster", "prod", "-n", "team-a", "--aws-secret", "keys", "--", "--edits", "apply"},
		"{enabled: true, distribution: rke, cluster: c-7kq2x, confirm: c-7kq2x, namespace: team-a}":             {"--distribution", "rke", "--cluster", "c-7kq2x", "-n", "team-a"},
	} {
		args := slices.Insert(args, 0, "--image", image)
		if diff := cmp.Diff(byIdentity(t, printed(t, args...)), byIdentity(t, rendered(t, "job: "+values))); diff != "" {
			t.Errorf("%s: printed (-), in the chart (+):\n%s", values, diff)
		}
	}
	const asked = "{aws: {mode: 'on', region: eu-central-1, assumeRole: 'arn:aws:iam::123456789012:role/a'}, job: {enabled: true, cluster: prod, confirm: prod, edits: apply}}"
	want := printed(t, "--image", image, "--cluster", "prod", "--", "--edits", "apply", "--aws", "on", "--region", "eu-central-1", "--assume-role", "arn:aws:iam::123456789012:role/a")
	if diff := cmp.Diff(byIdentity(t, want), byIdentity(t, rendered(t, asked))); diff != "" {
		t.Errorf("how AWS is asked: printed (-), in the chart (+):\n%s", diff)
	}
}

// With a plan the chart makes all that is printed but the ConfigMap, which is there.
func TestChartMakesThePrintedJobWithAPlan(t *testing.T) {
	const plan = "../internal/cli/testdata/plan.json.golden"
	all := byIdentity(t, printed(t, "--image", "awsmigrate/awsmigrate:0.1.0", "--cluster", "demo", "--plan", plan, "--", "--edits", "apply"))
	delete(all, "ConfigMap fleet-default/awsmigrate.job.demo")
	got := byIdentity(t, rendered(t, "job: {enabled: true, cluster: demo, confirm: demo, edits: apply, plan: awsmigrate.job.demo}"))
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("printed (-), in the chart (+):\n%s", diff)
	}
}

// No Job is made by one value alone: it takes the cluster twice.
func TestJobIsConfirmed(t *testing.T) {
	ch := controllerChart(t)
	for _, values := range []string{
		"{enabled: true, cluster: prod, edits: apply}", "{enabled: true, cluster: prod, edits: apply, confirm: Prod}",
		"{enabled: true, edits: apply}", "{enabled: true, cluster: prod, confirm: prod}", "{enabled: true, cluster: prod, confirm: prod, edits: both}",
		"{enabled: true, distribution: rke, cluster: prod, confirm: prod}", "{enabled: true, distribution: rke, cluster: c-7kq2x, confirm: c-7kq2x, edits: apply}",
	} {
		if _, err := render(t, ch, "job: "+values); err == nil {
			t.Errorf("%s makes a Job", values)
		}
	}
	if got := rendered(t, "job: {cluster: prod, confirm: prod, edits: apply}"); len(got) > 0 {
		t.Errorf("nobody asked for %v", got)
	}
}

// Where pods run, how they get out and whom they trust holds for the Job's as for the
// controller's.
func TestJobRunsWhereTheControllerDoes(t *testing.T) {
	values := strings.Replace(installations()["settings"], "replicas: 2", "job: {enabled: true, cluster: prod, confirm: prod, edits: apply}", 1)
	var job batchv1.Job
	for _, object := range rendered(t, values) {
		if object.GetKind() == "Job" {
			job = strictly[batchv1.Job](t, object)
		}
	}
	own, other := job.Spec.Template.Spec, deployment(t, values).Spec.Template.Spec
	if diff := cmp.Diff([]any{other.NodeSelector, other.Tolerations, other.Affinity, other.PriorityClassName, other.ImagePullSecrets, other.SecurityContext, other.Volumes, other.Containers[0].Image, other.Containers[0].ImagePullPolicy, other.Containers[0].VolumeMounts},
		[]any{own.NodeSelector, own.Tolerations, own.Affinity, own.PriorityClassName, own.ImagePullSecrets, own.SecurityContext, own.Volumes, own.Containers[0].Image, own.Containers[0].ImagePullPolicy, own.Containers[0].VolumeMounts}); diff != "" {
		t.Errorf("the controller's (-), the Job's (+):\n%s", diff)
	}
	named := func(pod corev1.PodSpec, name string) string {
		for _, e := range pod.Containers[0].Env {
			if e.Name == name {
				return e.Value
			}
		}
		return ""
	}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR"} {
		if got := named(own, name); got == "" || got != named(other, name) {
			t.Errorf("%s is %q, the controller's %q", name, got, named(other, name))
		}
	}
}
