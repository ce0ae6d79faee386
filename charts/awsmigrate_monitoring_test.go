package charts_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// serviceMonitor has the fields that the chart uses
// (prometheus-operator/prometheus-operator:pkg/apis/monitoring/v1/servicemonitor_types.go@v0.79.2).
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			HonorLabels bool   `json:"honorLabels"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// prometheusRule has the used fields of rules
// (prometheus-operator/prometheus-operator:pkg/apis/monitoring/v1/prometheusrule_types.go@v0.79.2).
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              rules `json:"spec"`
}

type rules struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	} `json:"groups"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func readYAML[T any](t *testing.T, path string) (content T) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

func alerts(t *testing.T) (all []rule) {
	t.Helper()
	for _, group := range readYAML[rules](t, "awsmigrate/files/alerts.yaml").Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// The operator's objects are created only if they are requested and known.
func TestMonitoring_objects_onlyOnRequest(t *testing.T) {
	const both = "{serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}}"
	const apart = "The Prometheus operator is not installed"
	for _, tt := range []struct {
		values string
		apis   []string
		want   []string
		notes  bool
	}{
		{"{}", []string{"monitoring.coreos.com/v1"}, nil, false},
		{both, nil, nil, true},
		{both, []string{"monitoring.coreos.com/v1"}, []string{"prometheusrule", "service", "servicemonitor"}, false},
		{"serviceMonitor: {enabled: true}", []string{"monitoring.coreos.com/v1"}, []string{"service", "servicemonitor"}, false},
		{"prometheusRule: {enabled: true}", []string{"monitoring.coreos.com/v1"}, []string{"prometheusrule"}, false},
	} {
		files, err := renderWith(t, controllerChart(t), tt.values, tt.apis...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"prometheusrule", "service", "servicemonitor"} {
			if strings.TrimSpace(files["awsmigrate/templates/"+name+".yaml"]) != "" {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, tt.want) || strings.Contains(files["awsmigrate/templates/NOTES.txt"], apart) != tt.notes {
			t.Errorf("%s with %q: %q, notes:\n%s", tt.values, tt.apis, got, files["awsmigrate/templates/NOTES.txt"])
		}
	}
}

// Prometheus reaches the pods' port by the Service, and each metric keeps the namespace of its
// cluster. The rules arrive unchanged from the file that promtool tests.
func TestMonitoring_service_leadsToPods(t *testing.T) {
	const values = "{serviceMonitor: {enabled: true, labels: {release: m, app.kubernetes.io/name: other}}, prometheusRule: {enabled: true, labels: {release: m}}}"
	pod := deployment(t, values).Spec.Template
	for _, object := range objects(t, values) {
		switch object.GetKind() {
		case "ServiceMonitor":
			monitor := strictly[serviceMonitor](t, object)
			for key, value := range monitor.Spec.Selector.MatchLabels {
				if pod.Labels[key] != value {
					t.Errorf("chooses %s=%s, the pods have %q", key, value, pod.Labels[key])
				}
			}
			if e := monitor.Spec.Endpoints; len(e) != 1 || e[0].Port != pod.Spec.Containers[0].Ports[0].Name || !e[0].HonorLabels || object.GetLabels()["release"] != "m" ||
				object.GetLabels()["app.kubernetes.io/name"] != "awsmigrate" {
				t.Errorf("%+v", object)
			}
		case "PrometheusRule":
			var got []rule
			for _, group := range strictly[prometheusRule](t, object).Spec.Groups {
				got = append(got, group.Rules...)
			}
			if diff := cmp.Diff(alerts(t), got); diff != "" || object.GetLabels()["release"] != "m" {
				t.Errorf("labels %v, in the file (-), in the object (+):\n%s", object.GetLabels(), diff)
			}
		}
	}
}

// alertTests holds the tests of rules, in promtool's format.
type alertTests struct {
	RuleFiles          []string `json:"rule_files"`
	EvaluationInterval string   `json:"evaluation_interval"`
	Tests              []struct {
		Name        string `json:"name"`
		Interval    string `json:"interval"`
		InputSeries []struct {
			Series, Values string
		} `json:"input_series"`
		AlertRuleTest []struct {
			EvalTime  string `json:"eval_time"`
			Alertname string `json:"alertname"`
			ExpAlerts []struct {
				ExpLabels      map[string]string `json:"exp_labels"`
				ExpAnnotations map[string]string `json:"exp_annotations"`
			} `json:"exp_alerts"`
		} `json:"alert_rule_test"`
	} `json:"tests"`
}

// Every alert has a severity and a page, and is in docs/metrics.md with its severity and time.
// Its test shows it quiet, firing, and quiet again.
func TestAlerts_each_documentedAndTested(t *testing.T) {
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	course := map[string]string{} // of an alert over all its tests: - quiet, ! fires once
	for _, test := range readYAML[alertTests](t, "../test/alerts/alerts.yaml").Tests {
		for _, at := range test.AlertRuleTest {
			course[at.Alertname] += strings.Repeat("!", len(at.ExpAlerts))
			if len(at.ExpAlerts) == 0 {
				course[at.Alertname] += "-"
			}
		}
	}
	var names []string
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		wait := a.For
		if wait == "" {
			wait = "at once"
		}
		row := "| <a id=\"" + strings.ToLower(a.Alert) + "\"></a>`" + a.Alert + "` | " + a.Labels["severity"] + " | " + wait + " |"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/metrics.md lacks %s", row)
		}
		if !slices.Contains([]string{"critical", "warning", "info"}, a.Labels["severity"]) || a.Annotations["summary"] == "" || a.Annotations["description"] == "" ||
			!strings.HasSuffix(a.Annotations["runbook_url"], "docs/metrics.md#"+strings.ToLower(a.Alert)) {
			t.Errorf("%+v", a)
		}
		if !regexp.MustCompile(`-!+-`).MatchString(course[a.Alert]) {
			t.Errorf("the tests of %s: %q; wanted it quiet, firing, quiet", a.Alert, course[a.Alert])
		}
		delete(course, a.Alert)
	}
	if rows := strings.Count(string(page), "`Awsmigrate"); len(course) > 0 || rows != len(names) {
		t.Errorf("%d rows in docs/metrics.md for %q; tests of no alert: %v", rows, names, course)
	}
}

// Every metric of an alert exists: docs/metrics.md is compared with the program.
func TestAlerts_metrics_exist(t *testing.T) {
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alerts(t) {
		asked := regexp.MustCompile(`awsmigrate_\w+`).FindAllString(a.Expr, -1)
		for _, metric := range asked {
			if !strings.Contains(string(page), "| `"+metric+"` |") {
				t.Errorf("%s asks for %s", a.Alert, metric)
			}
		}
		if len(asked) == 0 {
			t.Errorf("%s asks for nothing: %s", a.Alert, a.Expr)
		}
	}
}

// Prometheus' own tool plays the tests of the alerts. `make alerts` insists on it.
func TestAlerts_promtool_fireAndClear(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: no promtool in PATH (Debian has it in the package prometheus): no alert was played")
	}
	for _, args := range [][]string{{"check", "rules", "awsmigrate/files/alerts.yaml"}, {"test", "rules", "../test/alerts/alerts.yaml"}} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}
