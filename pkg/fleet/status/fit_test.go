package status

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// schema returns the generated schema of a status.
func schema(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../../charts/awsmigrate-crd/templates/awsmigrate.io_" + kind + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema struct{ Properties struct{ Status any } }
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("status.json", crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties.Status); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("status.json")
}

// fits fails if a status is too large, or its schema refuses it.
func fits(t testing.TB, by *jsonschema.Schema, s any) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > v1alpha1.StatusLimit {
		t.Errorf("%d bytes", len(text))
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if err := by.Validate(value); err != nil {
		t.Error(err)
	}
}

// filled returns a status in which text sets every string, and every list has the given length.
func filled(text func() string, entries func() int) *v1alpha1.ClusterMigrationStatus {
	s := &v1alpha1.ClusterMigrationStatus{}
	fill(reflect.ValueOf(s).Elem(), text, entries)
	types := []string{"Ready", "Reconciling", "Stalled", "OwnerAgrees", "Ready", "Foreign"}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		c.Type, c.Status, c.Reason = types[i%len(types)], metav1.ConditionTrue, "Reason"+strings.Repeat("x", 57)
	}
	return s
}

func fill(v reflect.Value, text func() string, entries func() int) {
	switch {
	case v.Type() == reflect.TypeFor[metav1.Time]():
		v.Set(reflect.ValueOf(metav1.NewTime(time.Unix(1700000000, 0))))
	case v.Kind() == reflect.String:
		v.SetString(text())
	case v.Kind() == reflect.Int64:
		v.SetInt(1 << 40)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, entries)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), entries(), 40))
		for i := range v.Len() {
			fill(v.Index(i), text, entries)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text, entries)
		}
	}
}

// The largest texts, in the longest lists, still fit.
func TestFit_largestStatus_fits(t *testing.T) {
	by := schema(t, "clustermigrations")
	for _, character := range []string{"x", "é", "日", "😀", "<", "\"", "\x00", "\xff", "\u2028"} {
		s := filled(func() string { return strings.Repeat(character, 5000) }, func() int { return 40 })
		Fit(s)
		fits(t, by, s)
	}
}

// The status of a rollout with the largest texts fits, too, and counts the notes that it leaves out.
func TestFitRollout_largestStatus_fits(t *testing.T) {
	by := schema(t, "migrationrollouts")
	for _, character := range []string{"x", "日", "\""} {
		text := strings.Repeat(character, 5000)
		s := &v1alpha1.MigrationRolloutStatus{Waves: slices.Repeat([]v1alpha1.WaveStatus{{Name: strings.Repeat("w", 63), State: "Waiting"}}, 32), Display: &v1alpha1.Display{State: text, Message: text}}
		s.Notes = slices.Repeat([]v1alpha1.RolloutNote{{Cluster: text, DisplayName: text, Wave: strings.Repeat("w", 63), State: "NotApproved", Message: text}}, 60)
		FitRollout(s)
		fits(t, by, s)
		if len(s.Notes) < 20 || len(s.Notes)+int(s.More) != 60 {
			t.Errorf("%q: %d notes and %d more of 60", character, len(s.Notes), s.More)
		}
	}
}

// Removed items are counted, and the latest runs stay.
func TestFit_longLists_countsMore(t *testing.T) {
	s := &v1alpha1.ClusterMigrationStatus{
		Plan:    &v1alpha1.Plan{Steps: make([]v1alpha1.PlannedStep, 18)},
		Audit:   &v1alpha1.Audit{Fail: 30, Failing: make([]v1alpha1.FailingCheck, 30), More: 2},
		History: make([]v1alpha1.PastRun, 12),
	}
	s.History[0].ID, s.History[11].ID = "latest", "oldest"
	for range 2 { // a second time changes nothing
		Fit(s)
		if s.Plan.More != 2 || s.Audit.More != 20 || len(s.History) != 10 || s.History[0].ID != "latest" {
			t.Errorf("plan %+v, audit %+v, history %+v", s.Plan, s.Audit, s.History)
		}
	}
}

// A text that fits stays unchanged; a shortened text is marked.
func TestTexts(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Node n1 is unready", "Node n1 is unready"},
		{"a\nb\x1b[31m", "a b·[31m"},
		{strings.Repeat("x", 20), strings.Repeat("x", 20)},
		{strings.Repeat("x", 21), strings.Repeat("x", 19) + "…"},
		{strings.Repeat("日", 20), strings.Repeat("日", 10) + "…"}, // 15, then 11 characters
	} {
		if got := prose(tt.text, 20); got != tt.want {
			t.Errorf("%q: %q, wanted %q", tt.text, got, tt.want)
		}
	}
}

// repeated returns text repeated up to the given number of bytes.
func repeated(text string, bytes int) string {
	if text == "" {
		return ""
	}
	return strings.Repeat(text, bytes/len(text)+1)[:bytes]
}

// FuzzFit checks that a status stays within its limits with any foreign text, and that fitting
// twice changes nothing.
func FuzzFit(f *testing.F) {
	for _, text := range []string{"plain", "é<>&\"\\", "\u202e😀", "\xf0\x9f", strings.Repeat("long ", 300)} {
		f.Add(text, uint64(1))
	}
	by := schema(f, "clustermigrations")
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		s := filled(func() string { return repeated(text, random.IntN(3000)) }, func() int { return random.IntN(20) })
		Fit(s)
		fits(t, by, s)
		again := s.DeepCopy()
		if Fit(again); !reflect.DeepEqual(s, again) {
			t.Errorf("not stable: %+v, then %+v", s, again)
		}
	})
}
