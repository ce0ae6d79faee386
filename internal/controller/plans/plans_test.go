package plans

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

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

// assessed returns a look at a cluster with one pending step that writes text.
func assessed(text string) session.Assessment {
	state := runner.State{Kind: runner.Todo}
	return session.Assessment{
		Target: journal.Target{Name: "prod", UID: "cluster"}, Says: runner.Observation{States: map[journal.StepID]runner.State{"cordon": state}},
		Plan: runner.WholePlan{Basis: runner.Basis{Cluster: "cluster"}, Steps: []runner.PlannedStep{{Info: runner.Info{ID: "cordon"}, State: state,
			Plan: runner.Plan{Changes: []runner.Change{{Object: "o", After: text}}}}}},
	}
}

// The last three plans are stored, and the approved one while it is approved. Other writers' keys
// in the ConfigMap stay.
func TestSettle_newPlans_areStored(t *testing.T) {
	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "awsmigrate.plans.prod", ResourceVersion: "1",
		Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}}, Data: map[string]string{"plan.json": "a person's"}})
	p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}}
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
	want := []string{"plan.json", orderKey, keyOf(hashes[0]), keyOf(hashes[4]), keyOf(hashes[5])}
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

// A large plan is compressed. A plan that fits into no ConfigMap is not written.
func TestPut_largePlan_isPacked(t *testing.T) {
	p := Store{Client: fake.NewClientset(), Key: types.NamespacedName{Namespace: "n", Name: "prod"}}
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
		t.Error("it differs from the stored plan")
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

func TestSettle_nothingPending_writesNothing(t *testing.T) {
	client := fake.NewClientset()
	p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}}
	done := assessed("0")
	done.Says.States["cordon"] = runner.State{Kind: runner.Done}
	if got, err := p.Settle(t.Context(), done, ""); err != nil || got.Hash != "" || len(client.Actions()) > 0 {
		t.Errorf("%+v, %v, %v", got, err, client.Actions())
	}
}

// A foreign object of that name, or another cluster's plans, are left unchanged.
func TestSettle_foreignObject_isRefused(t *testing.T) {
	for name, meta := range map[string]metav1.ObjectMeta{
		"no label":           {},
		"another's":          {Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "staging"}},
		"of another content": {Labels: map[string]string{wellknown.ContentLabel: "record"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}},
		"a journal's labels": {Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}},
	} {
		meta.Namespace, meta.Name, meta.ResourceVersion = "n", "awsmigrate.plans.prod", "1"
		client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: meta})
		p := Store{Client: client, Key: types.NamespacedName{Namespace: "n", Name: "prod"}}
		_, err := p.Settle(t.Context(), assessed("0"), "")
		faulty.WantClass(t, err, fault.Usage, "ConfigMap n/awsmigrate.plans.prod", "the owner of this object")
		if strings.Contains(err.Error(), "delete") || len(client.Actions()) != 1 {
			t.Errorf("%s: %v, %v", name, err, client.Actions())
		}
	}
}

// forged is a published plan whose text another writer changes.
type forged struct {
	store Store
	hash  string // of the published text
}

func publishedPlan(t *testing.T) forged {
	t.Helper()
	p := Store{Client: fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "awsmigrate.plans.prod", ResourceVersion: "1",
		Labels: map[string]string{wellknown.ContentLabel: "plans"}, Annotations: map[string]string{wellknown.ClusterNote: "prod"}}}), Key: types.NamespacedName{Namespace: "n", Name: "prod"}}
	got, err := p.Settle(t.Context(), described(), "")
	if err != nil || got.Altered {
		t.Fatalf("%+v: %v", got, err)
	}
	return forged{p, got.Hash}
}

// described returns a look at a cluster whose plan has text in every field.
func described() session.Assessment {
	a := assessed("external")
	step := &a.Plan.Steps[0]
	step.Title, step.Doc, step.Irreversible = "cordon it", "steps/cordon.md", "it has a way back"
	step.Summary, step.Notes = []string{"cordon the node"}, []string{"read this first"}
	step.Changes[0].Diff, step.Changes[0].Location = "+ external", "spec"
	step.Rolls, step.Takes, step.Estimate, step.State.Reason = 3, 60, "~1m", "3 nodes"
	a.Plan.Version = "v1"
	return a
}

func (f forged) change(t *testing.T, change func(cm *corev1.ConfigMap)) {
	t.Helper()
	cm, err := f.store.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change(cm)
	if _, err := f.store.Client.CoreV1().ConfigMaps("n").Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A plan with a changed word is not in force although its hash is approved. The next published
// text has another hash.
func TestSettle(t *testing.T) {
	replaced := func(old, other string) func(*corev1.ConfigMap, string) {
		return func(cm *corev1.ConfigMap, key string) {
			if !strings.Contains(cm.Data[key], old) {
				panic(old + " is not in the text")
			}
			cm.Data[key] = strings.Replace(cm.Data[key], old, other, 1)
		}
	}
	for name, change := range map[string]func(cm *corev1.ConfigMap, key string){
		"summary_changed":     replaced("cordon the node", "do nothing"),
		"note_changed":        replaced("read this first", "all is well"),
		"title_changed":       replaced("cordon it", "look at it"),
		"page_changed":        replaced("steps/cordon.md", "steps/verify.md"),
		"diff_changed":        replaced("+ external", "+ aws"),
		"value_changed":       replaced(`"external"`, `"aws"`),
		"way_back_changed":    replaced("it has a way back", ""),
		"version_changed":     replaced(`"v1"`, `"v2"`),
		"blank_added":         replaced("{", "{ "),
		"unknown_field_added": replaced("{", `{"approve": "this is safe",`),
		"field_given_twice":   replaced("{", `{"version": "v3",`),
		"second_text_added": func(cm *corev1.ConfigMap, key string) {
			cm.BinaryData = map[string][]byte{key + packedSuffix: []byte("x")}
		},
		"text_emptied":          func(cm *corev1.ConfigMap, key string) { cm.Data[key] = "" },
		"text_of_another_thing": func(cm *corev1.ConfigMap, key string) { cm.Data[key] = "kind: Secret" },
	} {
		for begun, state := range map[string]journal.State{"": {}, "_begun": {Approvals: []journal.Approval{{}}}} {
			t.Run(name+begun, func(t *testing.T) {
				f := publishedPlan(t)
				f.change(t, func(cm *corev1.ConfigMap) { change(cm, keyOf(f.hash)) })
				seen := described()
				if seen.Journal = state; begun != "" {
					seen.Journal.Approvals[0].Plan = f.hash
				}
				got, err := f.store.Settle(t.Context(), seen, f.hash)
				if err != nil || got.InForce != nil || got.Hash == f.hash || !got.Altered {
					t.Fatalf("%+v: %v", got, err)
				}
				again, err := f.store.Settle(t.Context(), seen, got.Hash)
				if err != nil || again.InForce == nil || again.Altered || again.Hash != got.Hash {
					t.Errorf("the new text is not the one in force: %+v: %v", again, err)
				}
			})
		}
	}
}

// A hash with an altered text never comes back, however many plans are published since.
func TestSettle_alteredText_isKept(t *testing.T) {
	f := publishedPlan(t)
	f.change(t, func(cm *corev1.ConfigMap) { cm.Data[keyOf(f.hash)] = "do nothing" })
	for i := range 4 {
		if _, err := f.store.Settle(t.Context(), assessed(fmt.Sprint(i)), ""); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := f.store.Settle(t.Context(), described(), f.hash); err != nil || got.InForce != nil || got.Hash == f.hash {
		t.Errorf("%+v: %v", got, err)
	}
}

// A text that another writer publishes under its own hash is not covered by an approval, even if
// it makes the same changes.
func TestSettle_foreignText_isNotInForce(t *testing.T) {
	f := publishedPlan(t)
	hash := ""
	f.change(t, func(cm *corev1.ConfigMap) {
		text := strings.Replace(cm.Data[keyOf(f.hash)], "cordon the node", "do nothing", 1)
		hash = hashOf([]byte(text))
		cm.Data[keyOf(hash)] = text
	})
	got, err := f.store.Settle(t.Context(), described(), hash)
	if err != nil || got.InForce != nil || got.Hash != f.hash {
		t.Errorf("%+v: %v", got, err)
	}
}

// Estimates and counts vary between looks, so no published text contains them.
func TestSettle_changedCounts_keepHash(t *testing.T) {
	f := publishedPlan(t)
	seen := described()
	step := &seen.Plan.Steps[0]
	step.Rolls, step.Takes, step.Estimate, step.State.Reason, step.Pauses = 9, 600, "~10m", "9 nodes", runner.Pauses{Most: 3}
	seen.Plan.Steps = append(seen.Plan.Steps, runner.PlannedStep{Info: runner.Info{ID: "verify"}, State: runner.State{Kind: runner.Always}, Plan: runner.Plan{Summary: []string{"80 checks"}}})
	with, err := f.store.Settle(t.Context(), seen, "")
	if err != nil {
		t.Fatal(err)
	}
	seen.Plan.Steps[1].Summary, seen.Plan.Steps[1].Notes = []string{"81 checks"}, []string{"Terraform was found"}
	again, err := f.store.Settle(t.Context(), seen, with.Hash)
	if err != nil || again.Hash != with.Hash || again.InForce == nil {
		t.Errorf("%+v: %v", again, err)
	}
	seen.Plan.Steps = seen.Plan.Steps[:1]
	if got, err := f.store.Settle(t.Context(), seen, f.hash); err != nil || got.InForce == nil {
		t.Errorf("%+v: %v", got, err)
	}
}
