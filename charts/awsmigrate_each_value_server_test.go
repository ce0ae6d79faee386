package charts_test

import (
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// A real API server takes what the chart makes of every value.
func TestValues_each_acceptedByServer(t *testing.T) {
	everyValueOn(t, apiserver.New(t, apiserver.Options{}))
}

func everyValueOn(t *testing.T, server *apiserver.Server) {
	t.Helper()
	namespaces(t, kubernetes.NewForConfigOrDie(server.Config()))
	client := dynamic.NewForConfigOrDie(server.Config())
	ch := controllerChart(t)
	taken := map[string]bool{} // most objects are the same for most values
	rows := settings()
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		t.Run(path, func(t *testing.T) {
			objects, err := renderObjects(t, ch, rows[path].depends, rows[path].set)
			if err != nil {
				t.Fatal(err)
			}
			objects = slices.DeleteFunc(objects, func(object unstructured.Unstructured) bool {
				text := asJSON(t, object.Object)
				known := taken[text] || object.GroupVersionKind().Group == "monitoring.coreos.com" // which this server has not
				taken[text] = true
				return known
			})
			apply(t, client, objects, metav1.DryRunAll)
		})
	}
}
