package plans

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// assessed is a look at a cluster in which one step is to do, that writes text.
func assessed(text string) session.Assessment {
	state := runner.State{Kind: runner.Todo}
	return session.Assessment{
		Target: journal.Target{Name: "prod", UID: "cluster"}, Says: runner.Observation{States: map[journal.StepID]runner.State{"cordon": state}},
		Plan: runner.WholePlan{Basis: runner.Basis{Cluster: "cluster"}, Steps: []runner.PlannedStep{{Info: runner.Info{ID: "cordon"}, State: state,
			Plan: runner.Plan{Changes: []runner.Change{{Object: "o", After: text}}}}}},
	}
}

// The last three plans are kept, the approved one for as long as it is approved, and what
// others keep in the ConfigMap stays.
func TestPlansAreKept(t *testing.T) {
	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "awsmigrate.plans.prod", ResourceVersion: "1",
		Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}}, Data: map[string]string{"plan.json": "a person's"}})
	at := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}, Now: func() time.Time { at = at.Add(time.Second); return at }}
	var hashes []string
	approved := ""
	for i := range 6 {
		got, err := p.Settle(t.Context(), assessed(fmt.Sprint(i)), approved)
		if err != nil || got.Ref == nil {
			t.Fatalf("%+v: %v", got, err)
		}
		hashes = append(hashes, got.Hash)
		if i == 0 {
			approved = got.Hash
		}
	}
	cm, err := p.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"plan.json", keyOf(hashes[0]), keyOf(hashes[4]), keyOf(hashes[5])}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(cm.Data)); !slices.Equal(got, want) {
		t.Errorf("kept %v, wanted %v", got, want)
	}
	if got, err := p.Settle(t.Context(), assessed("0"), approved); err != nil || got.InForce == nil || got.Hash != approved {
		t.Errorf("the approved plan is not in force: %+v, %v", got, err)
	}
	other := assessed("0")
	other.Target.UID = "another"
	if p.find(cm, approved, other.Target) != nil {
		t.Error("a plan for another cluster was taken for this one's")
	}
}

// A large plan is compressed, and one that no ConfigMap holds is not written.
func TestLargePlans(t *testing.T) {
	p := Store{Client: fake.NewClientset(), Key: types.NamespacedName{Namespace: "n", Name: "prod"}, Now: time.Now}
	large := strings.Repeat("a line of a manifest\n", 20000)
	got, err := p.Settle(t.Context(), assessed(large), "")
	if err != nil || !strings.HasSuffix(got.Ref.Key, ".json.gz") {
		t.Fatalf("%+v: %v", got.Ref, err)
	}
	cm, err := p.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found := p.find(cm, got.Hash, assessed("").Target); found == nil || found.Steps[0].Changes[0].After != large {
		t.Error("it is not what was written")
	}
	var b strings.Builder
	for i := range 300000 { // hardly compressible
		b.WriteString(runner.Digest(fmt.Sprint(i))[:8])
	}
	got, err = p.Settle(t.Context(), assessed(b.String()), "")
	if err != nil || !got.TooLarge || got.Hash != "" {
		t.Errorf("%+v: %v", got, err)
	}
}

func TestNothingIsWrittenWhereNothingIsToDo(t *testing.T) {
	client := fake.NewClientset()
	p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}, Now: time.Now}
	done := assessed("0")
	done.Says.States["cordon"] = runner.State{Kind: runner.Done}
	if got, err := p.Settle(t.Context(), done, ""); err != nil || got.Hash != "" || len(client.Actions()) > 0 {
		t.Errorf("%+v, %v, %v", got, err, client.Actions())
	}
}

// An object of that name which holds something else, or another cluster's plans, is left alone.
func TestSettle_foreignObject_isRefused(t *testing.T) {
	for name, meta := range map[string]metav1.ObjectMeta{
		"no label":           {},
		"another's":          {Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "staging"}},
		"of another content": {Labels: map[string]string{wellknown.ContentLabel: "record"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}},
		"a journal's labels": {Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}},
	} {
		meta.Namespace, meta.Name, meta.ResourceVersion = "n", "awsmigrate.plans.prod", "1"
		client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: meta})
		p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}, Now: time.Now}
		_, err := p.Settle(t.Context(), assessed("0"), "")
		faulty.WantClass(t, err, fault.Usage, "ConfigMap n/awsmigrate.plans.prod", "who keeps this object")
		if strings.Contains(err.Error(), "delete") || len(client.Actions()) != 1 {
			t.Errorf("%s: %v, %v", name, err, client.Actions())
		}
	}
}
