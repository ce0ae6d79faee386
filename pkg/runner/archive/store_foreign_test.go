package archive

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A foreign object of that name is neither read nor written.
func TestStore_foreignObject_isRefused(t *testing.T) {
	for name, meta := range map[string]metav1.ObjectMeta{
		"no label":  {},
		"another's": {Labels: map[string]string{wellknown.ContentLabel: "record"}, Annotations: map[string]string{wellknown.ClusterNote: "staging"}},
		"plans":     {Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}},
	} {
		meta.Namespace, meta.Name = "n", "awsmigrate.record.prod"
		client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: meta})
		s := Store{Client: client, Namespace: "n", Cluster: "prod", Clock: clock.RealClock{}}
		_, load := s.Load(t.Context())
		for _, err := range []error{load, s.Keep(t.Context(), []string{"r"}, []byte("x"))} {
			faulty.WantClass(t, err, fault.Usage, "ConfigMap n/awsmigrate.record.prod", "the owner of this object")
			if strings.Contains(err.Error(), "delete") {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, a := range client.Actions() {
			if a.GetVerb() != "get" {
				t.Errorf("%s: %s", name, a.GetVerb())
			}
		}
	}
}
