//go:build slow

package charts_test

import (
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The cluster in which Rancher runs is newer than the migrated ones. The other tests' results for
// Kubernetes 1.26 also hold for a current Kubernetes.
func TestCharts_newestAPIServer_accepted(t *testing.T) {
	newest := apiserver.Options{Program: apiserver.Newest}
	t.Run("version", func(t *testing.T) {
		version, err := kubernetes.NewForConfigOrDie(apiserver.New(t, newest).Config()).Discovery().ServerVersion()
		if err != nil || !strings.HasSuffix(apiserver.Newest, version.GitVersion) {
			t.Errorf("%v, %v", version, err)
		}
	})
	t.Run("values", func(t *testing.T) { everyValueOn(t, apiserver.New(t, newest)) })
	t.Run("installations", func(t *testing.T) {
		server := apiserver.New(t, newest)
		defines(t, server)
		installationsOn(t, server)
	})
	t.Run("job", func(t *testing.T) { printedJobsOn(t, apiserver.New(t, newest)) })
}

// printedJobsOn applies what `awsmigrate job` prints, without keeping it.
func printedJobsOn(t *testing.T, server *apiserver.Server) {
	t.Helper()
	namespaces(t, kubernetes.NewForConfigOrDie(server.Config()))
	exits := job.Exits{Final: []int32{2}, Again: []int32{1}}
	for _, options := range []job.Options{
		{Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", Image: "awsmigrate:1", Exits: exits, Plan: []byte("{}"), AWSSecret: "aws-keys"},
		{Distribution: wellknown.RKE, Cluster: "c-7kq2x", Namespace: "fleet-default", Image: "awsmigrate:1", Exits: exits},
	} {
		text, err := job.YAML(options)
		if err != nil {
			t.Fatal(err)
		}
		_, documents, _ := strings.Cut(string(text), "---\n")
		apply(t, dynamic.NewForConfigOrDie(server.Config()), objectsIn(t, documents), metav1.DryRunAll)
	}
}

// defines installs the chart of the definitions.
func defines(t *testing.T, server *apiserver.Server) {
	t.Helper()
	text, err := os.ReadFile("awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definitions := dynamic.NewForConfigOrDie(server.Config()).Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	strict := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	if _, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: parsed(t, string(text))}, strict); err != nil {
		t.Fatal(err)
	}
}
