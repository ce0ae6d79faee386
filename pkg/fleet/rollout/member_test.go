package rollout

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// A name that a wave does not have is missing, and so is one that an earlier wave or the selector
// takes from it.
func TestFindMissing(t *testing.T) {
	labelled := func(m *Member) { m.Labels = map[string]string{"region": "eu", "env": "dev"} }
	members := []Member{change(waiting("a"), labelled), change(waiting("b"), labelled), waiting("c")}
	r := rolloutOf(v1alpha1.Wave{Name: "canary", Clusters: []string{"a", "typo"}},
		v1alpha1.Wave{Name: "dev", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "dev"}}},
		v1alpha1.Wave{Name: "rest", Clusters: []string{"b", "c"}})
	r.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"region": "eu"}}
	groups, err := Sort(r, members)
	want := []Missing{{Wave: "canary", Cluster: "typo"}, {Wave: "rest", Cluster: "b", Exists: true, TakenBy: "dev"}, {Wave: "rest", Cluster: "c", Exists: true}}
	if got := FindMissing(groups, members); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
}
