package helmcontroller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func chartNamed(name string, spec chartSpec) *helmChart {
	return &helmChart{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: spec}
}

func TestBootstrapJobToleratesControlPlanesButNoCordon(t *testing.T) {
	pod := build(chartNamed("ccm", chartSpec{ChartContent: "x", Bootstrap: true}), nil, "6443").Job.Spec.Template.Spec
	if !pod.HostNetwork || pod.NodeSelector["node-role.kubernetes.io/control-plane"] != "true" {
		t.Errorf("host network %t, selector %v", pod.HostNetwork, pod.NodeSelector)
	}
	tolerates := func(taint corev1.Taint) bool {
		for _, tol := range pod.Tolerations {
			if tol.Key == taint.Key && (tol.Effect == "" || tol.Effect == taint.Effect) && (tol.Operator == corev1.TolerationOpExists || tol.Value == taint.Value) {
				return true
			}
		}
		return false
	}
	for taint, want := range map[corev1.Taint]bool{
		{Key: "node-role.kubernetes.io/etcd", Effect: "NoExecute"}:                                   true,
		{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}:                         true,
		{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: "NoSchedule"}: true,
		{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}:                              false,
		{Key: "dedicated", Effect: "NoSchedule"}:                                                     false,
	} {
		if tolerates(taint) != want {
			t.Errorf("tolerates %s: %t", taint.ToString(), !want)
		}
	}
	plain := build(chartNamed("ccm", chartSpec{ChartContent: "x"}), nil, "6443").Job.Spec.Template.Spec
	if len(plain.Tolerations) != 0 || plain.HostNetwork || len(plain.NodeSelector) != 1 {
		t.Errorf("a chart without bootstrap: %v %t %v", plain.Tolerations, plain.HostNetwork, plain.NodeSelector)
	}
}

func TestBuildDefaultsAndOverrides(t *testing.T) {
	three := int32(3)
	config := &chartConfig{}
	config.Spec.ValuesContent, config.Spec.FailurePolicy = "b: 2", "abort"
	for _, c := range []struct {
		name   string
		spec   chartSpec
		config *chartConfig
		limit  int32
		env    map[string]string
		values int
	}{
		{"defaults", chartSpec{Chart: "stable/a"}, nil, 1000, map[string]string{"FAILURE_POLICY": "reinstall", "CHART": "stable/a", "TARGET_NAMESPACE": "kube-system", "TIMEOUT": ""}, 0},
		{"chart's own", chartSpec{Chart: "a", Repo: "https://r", TargetNamespace: "other", BackOffLimit: &three, FailurePolicy: "abort", Timeout: &metav1.Duration{Duration: 300 * time.Second}, ValuesContent: "a: 1"},
			nil, 3, map[string]string{"FAILURE_POLICY": "abort", "CHART": "n/a", "TARGET_NAMESPACE": "other", "TIMEOUT": "5m0s"}, 1},
		{"config overrides", chartSpec{Chart: "a", ValuesContent: "a: 1"}, config, 1000, map[string]string{"FAILURE_POLICY": "abort"}, 2},
	} {
		m := build(chartNamed("n", c.spec), c.config, "6443")
		if got := *m.Job.Spec.BackoffLimit; got != c.limit {
			t.Errorf("%s: backoffLimit %d, wanted %d", c.name, got, c.limit)
		}
		got := map[string]string{}
		for _, e := range m.Job.Spec.Template.Spec.Containers[0].Env {
			got[e.Name] = e.Value
		}
		for k, want := range c.env {
			if got[k] != want {
				t.Errorf("%s: %s=%q, wanted %q", c.name, k, got[k], want)
			}
		}
		if len(m.Values.Data) != c.values {
			t.Errorf("%s: values %v", c.name, m.Values.Data)
		}
	}
}

func TestContentHashFollowsValuesAndChart(t *testing.T) {
	hash := func(s chartSpec, c *chartConfig) string {
		return build(chartNamed("n", s), c, "6443").Job.Spec.Template.Annotations[annotationHash]
	}
	config := &chartConfig{}
	config.Spec.ValuesContent = "x: 1"
	base := hash(chartSpec{ChartContent: "a", ValuesContent: "v: 1"}, nil)
	if base != hash(chartSpec{ChartContent: "a", ValuesContent: "v: 1"}, nil) {
		t.Error("the hash is not stable")
	}
	for what, other := range map[string]string{
		"chart":  hash(chartSpec{ChartContent: "b", ValuesContent: "v: 1"}, nil),
		"values": hash(chartSpec{ChartContent: "a", ValuesContent: "v: 2"}, nil),
		"config": hash(chartSpec{ChartContent: "a", ValuesContent: "v: 1"}, config),
	} {
		if other == base {
			t.Errorf("the hash does not follow the %s", what)
		}
	}
}

func TestArgs(t *testing.T) {
	c := chartNamed("n", chartSpec{TargetNamespace: "t", CreateNamespace: true, Version: "1.2.3", Set: map[string]intstr.IntOrString{
		"z": intstr.FromInt32(1), "a": intstr.FromString("x,y"), "m": intstr.FromString("true")}})
	want := []string{"install", "--namespace", "t", "--create-namespace", "--version", "1.2.3", "--set-string", `a=x\,y`, "--set", "m=true", "--set", "z=1"}
	if d := cmp.Diff(want, args(c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	now := metav1.Now()
	c.DeletionTimestamp = &now
	if d := cmp.Diff([]string{"delete"}, args(c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if m := build(c, nil, "6443"); m.Job.Name != "helm-delete-n" {
		t.Errorf("job %s", m.Job.Name)
	}
}
