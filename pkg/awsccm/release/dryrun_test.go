package release

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
)

// dryRun makes the API server judge every object of the golden files, including unknown and
// duplicate fields.
func (e env) dryRun(t *testing.T) {
	client := dynamic.NewForConfigOrDie(e.config)
	getter, err := newRESTGetter(e.config)
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Glob(filepath.Join("..", "ccmchart", "testdata", "golden", "*.objects.yaml"))
	if err != nil || len(golden) == 0 {
		t.Fatalf("no rendered objects: %v", err)
	}
	for _, name := range golden {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := ccmchart.ParseManifest(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range objects {
			o := &objects[i]
			mapping, err := getter.mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
			if err != nil {
				t.Fatal(err)
			}
			strict := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
			resource := dynamic.ResourceInterface(client.Resource(mapping.Resource))
			if o.GetNamespace() != "" {
				resource = client.Resource(mapping.Resource).Namespace(o.GetNamespace())
			}
			if _, err := resource.Create(t.Context(), o, strict); err != nil {
				t.Errorf("%s: %s: %v", name, ccmchart.ObjectName(o), err)
			}
		}
	}
}
