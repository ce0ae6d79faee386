package awsccm

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// dryRun has the API server judge every rendered object, unknown and doubled
// fields included.
func (e env) dryRun(t *testing.T) {
	client := dynamic.NewForConfigOrDie(e.config)
	getter, err := newRESTGetter(e.config)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range scenarios() {
		out, err := Values(in)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := Render(ownChartForTest(t), out.Values, in.KubernetesVersion)
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
				t.Errorf("%s: %s: %v", name, objectName(o), err)
			}
		}
	}
}
