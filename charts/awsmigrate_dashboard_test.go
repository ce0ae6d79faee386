package charts_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// dashboard holds the fields of a Grafana dashboard that the tests read.
type dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Templating struct {
		List []struct{ Name, Type, Definition string } `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID          int      `json:"id"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		GridPos     gridPos  `json:"gridPos"`
		Targets     []target `json:"targets"`
	} `json:"panels"`
}

type gridPos struct{ X, Y, W, H int }

type target struct{ Expr string }

// The ConfigMap holds the file unchanged, where Rancher Monitoring's Grafana reads it.
func TestDashboard_configMap_isWhereGrafanaReads(t *testing.T) {
	file, err := os.ReadFile("awsmigrate/files/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, object := range objects(t, "grafanaDashboard: {enabled: true}") {
		if object.GetKind() != "ConfigMap" {
			continue
		}
		found = true
		config := strictly[corev1.ConfigMap](t, object)
		if config.Namespace != "cattle-dashboards" || config.Labels["grafana_dashboard"] != "1" || strings.TrimSpace(config.Data["awsmigrate.json"]) != strings.TrimSpace(string(file)) {
			t.Errorf("%s/%s, labels %v", config.Namespace, config.Name, config.Labels)
		}
	}
	if !found {
		t.Error("the chart has no dashboard")
	}
}

// Every query asks for metrics that docs/metrics.md has with the labels that it names, and
// no panel covers another.
func TestDashboard_queries_useDocumentedMetrics(t *testing.T) {
	text, err := os.ReadFile("awsmigrate/files/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	metrics := metricsOfThePage(t)
	var queries []string
	for _, variable := range d.Templating.List {
		if variable.Type == "query" {
			queries = append(queries, variable.Definition)
		}
	}
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, panel := range d.Panels {
		if panel.Title == "" || panel.Description == "" || len(panel.Targets) == 0 || ids[panel.ID] {
			t.Errorf("%+v", panel)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
		for x := range panel.GridPos.W {
			for y := range panel.GridPos.H {
				cell := [2]int{panel.GridPos.X + x, panel.GridPos.Y + y}
				if other := taken[cell]; other != "" || cell[0] >= 24 {
					t.Fatalf("%q and %q at %v", panel.Title, other, cell)
				}
				taken[cell] = panel.Title
			}
		}
	}
	for _, query := range queries {
		asked := regexp.MustCompile(`awsmigrate_\w+`).FindAllString(query, -1)
		if len(asked) == 0 {
			t.Errorf("asks for nothing: %s", query)
		}
		for _, name := range asked {
			labels, is := metrics[strings.TrimSuffix(name, "_bucket")]
			if !is {
				t.Errorf("%s is no metric: %s", name, query)
			}
			for _, by := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(query, -1) {
				for label := range strings.SplitSeq(by[1], ", ") {
					if label != "le" && !strings.Contains(labels, "`"+label+"`") {
						t.Errorf("%s has no label %s: %s", name, label, query)
					}
				}
			}
		}
	}
}

// metricsOfThePage returns the metrics in docs/metrics.md, with the cell of their labels.
func metricsOfThePage(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	metrics := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(awsmigrate_\\w+)` \\|[^|]*\\|([^|]*)\\|").FindAllStringSubmatch(string(page), -1) {
		metrics[row[1]] = row[2]
	}
	return metrics
}
