package charts_test

import (
	"os"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// renderOn returns the objects that Helm would apply to a server, which templates may query.
func renderOn(t *testing.T, ch *chart.Chart, config *rest.Config) error {
	t.Helper()
	all, err := chartutil.ToRenderValues(ch, nil, chartutil.ReleaseOptions{Name: controller, Namespace: home, Revision: 2, IsUpgrade: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.RenderWithClient(ch, all, config)
	return err
}

// Without the definition nothing is installed, and with an older one nothing is upgraded: the
// server would drop fields that keep a cluster safe.
func TestInstall_missingDefinition_isRefused(t *testing.T) {
	config := apiserver.New(t, apiserver.Options{}).Config()
	ch := controllerChart(t)
	if err := renderOn(t, ch, config); err == nil || !strings.Contains(err.Error(), "Install the chart awsmigrate-crd first") {
		t.Errorf("without the definition: %v", err)
	}
	text, err := os.ReadFile("awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definitions := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	definition, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: parsed(t, string(text))}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := renderOn(t, ch, config); err != nil {
		t.Errorf("with its definition: %v", err)
	}
	for _, older := range []string{`"0"`, "null"} {
		patch := []byte(`{"metadata":{"annotations":{"` + v1alpha1.SchemaAnnotation + `":` + older + `}}}`)
		if _, err := definitions.Patch(t.Context(), definition.GetName(), "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := renderOn(t, ch, config); err == nil || !strings.Contains(err.Error(), "is older than this chart") {
			t.Errorf("with schema %s: %v", older, err)
		}
	}
}
