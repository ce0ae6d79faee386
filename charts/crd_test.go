package charts_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Rancher's catalogue hides the chart of the definitions, and Helm never deletes what it
// installed: without the definition every object of the kind would be deleted.
func TestDefinitions_catalogue_hiddenAndKept(t *testing.T) {
	chart, err := loader.Load("awsmigrate-crd")
	if err != nil {
		t.Fatal(err)
	}
	if err := chart.Validate(); err != nil || chart.Metadata.Annotations["catalog.cattle.io/hidden"] != "true" {
		t.Errorf("%v, annotations %v", err, chart.Metadata.Annotations)
	}
	values, err := chartutil.ToRenderValues(chart, nil, chartutil.ReleaseOptions{Name: "awsmigrate-crd"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := engine.Render(chart, values)
	if err != nil || len(rendered) != 2 {
		t.Fatalf("%d documents, %v", len(rendered), err)
	}
	for name, text := range rendered {
		asGenerated, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil || string(asGenerated) != text {
			t.Errorf("%s: a template changes it (%v)", name, err)
		}
		var crd struct {
			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
		if err := yaml.Unmarshal([]byte(text), &crd); err != nil {
			t.Fatal(err)
		}
		got := crd.Metadata
		if got.Name != v1alpha1.CRD && got.Name != v1alpha1.RolloutCRD || got.Annotations["helm.sh/resource-policy"] != "keep" ||
			got.Annotations[v1alpha1.SchemaAnnotation] != strconv.Itoa(v1alpha1.Schema) {
			t.Errorf("%+v", got)
		}
	}
}
