package v1alpha1_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
)

const namespace = metav1.NamespaceDefault

// onServer holds a real API server with the definition, and two clients.
type onServer struct {
	config      *rest.Config
	definitions dynamic.ResourceInterface
	objects     dynamic.ResourceInterface // untyped, as users' YAML
	typed       generated.ClusterMigrationClient
}

func serve(t *testing.T) *onServer {
	t.Helper()
	config := apiserver.New(t, apiserver.Options{}).Config()
	plain, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := awsmigrate.NewFactoryFromConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &onServer{
		config:      config,
		definitions: plain.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}),
		objects:     plain.Resource(v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")).Namespace(namespace),
		typed:       factory.Awsmigrate().V1alpha1().ClusterMigration(),
	}
}

// TestOnAnAPIServer tests the kind on a real API server: first with a definition without
// rules, as on a server that drops them, then with the generated one.
func TestOnAnAPIServer(t *testing.T) {
	s := serve(t)
	stripped := definition(t)
	strip(schemaOf(stripped, "spec"))
	s.define(t, stripped)
	t.Run("WithoutRules", s.withoutRules)
	s.define(t, definition(t))
	apiserver.Eventually(t, func() bool { // a changed schema is in force a moment later
		return s.try(t, object(t, map[string]any{"spec.goal": "Upgrade"})) != nil
	})
	t.Run("Refuses", s.refuses)
	t.Run("Defaults", s.defaults)
	t.Run("Accepts", s.accepts)
	t.Run("Status", s.status)
	t.Run("Controllers", s.controllers)
}

// strip removes every rule of a schema.
func strip(of map[string]any) {
	for _, n := range nodes("", of) {
		maps.DeleteFunc(n.schema, func(keyword string, _ any) bool {
			return !slices.Contains([]string{"type", "properties", "items", "default", "x-kubernetes-preserve-unknown-fields"}, keyword)
		})
	}
}

// define applies a definition and waits until it is served.
func (s *onServer) define(t *testing.T, crd map[string]any) {
	t.Helper()
	obj := &unstructured.Unstructured{Object: crd}
	if _, err := s.definitions.Apply(t.Context(), v1alpha1.CRD, obj, metav1.ApplyOptions{FieldManager: "helm", Force: true}); err != nil {
		t.Fatal(err)
	}
	apiserver.Eventually(t, func() bool {
		got, err := s.definitions.Get(t.Context(), v1alpha1.CRD, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(c any) bool {
			condition := c.(map[string]any)
			return condition["type"] == "Established" && condition["status"] == "True"
		})
	})
	apiserver.Eventually(t, func() bool {
		_, err := s.objects.List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
}

// try returns the server's error for a dry run of an object.
func (s *onServer) try(t *testing.T, obj *unstructured.Unstructured) error {
	t.Helper()
	_, err := s.objects.Create(t.Context(), obj, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// Code refuses invalid objects that a server without rules accepts.
func (s *onServer) withoutRules(t *testing.T) {
	cases := broken()
	for i, rule := range slices.Sorted(maps.Keys(cases)) {
		obj := object(t, cases[rule])
		obj.SetName(fmt.Sprintf("case-%d", i))
		if _, err := s.objects.Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
			t.Errorf("%s: the server still has a rule: %v", rule, err)
			continue
		}
		got, err := s.typed.Get(namespace, obj.GetName(), metav1.GetOptions{})
		if err != nil || len(got.Validate()) == 0 {
			t.Errorf("%s: let through (%v)", rule, err)
		}
	}
	if err := s.objects.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// With the definition the server refuses each, with the reason.
func (s *onServer) refuses(t *testing.T) {
	for rule, changes := range broken() {
		err := s.try(t, object(t, changes))
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), refusalOf(rule).server) {
			t.Errorf("%s: wanted %q in: %v", rule, refusalOf(rule).server, err)
		}
	}
}

// An empty spec is valid, and its written defaults have the meaning of absent fields.
func (s *onServer) defaults(t *testing.T) {
	got, err := s.objects.Create(t.Context(), object(t, map[string]any{"spec": map[string]any{}}), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	if spec := fmt.Sprint(got.Object["spec"]); spec != "map[goal:Audit paused:false]" {
		t.Error(spec)
	}
}

// The server accepts a full object, an empty one, and one with only zero fields, like the
// code. It also accepts their form after a round trip through the Go types.
func (s *onServer) accepts(t *testing.T) {
	for name, changes := range valid(t) {
		obj := object(t, changes)
		if err := s.try(t, obj); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.typed.Create(typed(t, obj)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.typed.Delete(namespace, obj.GetName(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A write of the spec does not change the status, and a write of the status not the spec.
func (s *onServer) status(t *testing.T) {
	made, err := s.typed.Create(typed(t, object(t, map[string]any{"status": map[string]any{"position": "P5"}})))
	if err != nil || made.Status.Position != "" {
		t.Fatalf("%v, position %q", err, made.Status.Position)
	}
	if shown := made.Status.Display; shown == nil || shown.State != "Pending" || !shown.Transitioning || len(made.Status.Conditions) != 1 {
		t.Errorf("an object that no controller has looked at shows %+v", made.Status)
	}
	made.Status = v1alpha1.ClusterMigrationStatus{
		ObservedGeneration: made.Generation, Position: "P2", Audit: &v1alpha1.Audit{OK: 3},
		Display:    &v1alpha1.Display{State: "Running", Transitioning: true},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: "Running", LastTransitionTime: metav1.Now()}},
	}
	made.Spec.Goal = v1alpha1.GoalUndo
	got, err := s.typed.UpdateStatus(made)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.Goal != v1alpha1.GoalMigrate || got.Status.Position != "P2" || got.Generation != made.Generation || len(got.Status.Conditions) != 1 {
		t.Errorf("%+v", got)
	}
	got.Status.Position = strings.Repeat("P", 17)
	if _, err := s.typed.UpdateStatus(got); !apierrors.IsInvalid(err) {
		t.Errorf("a status out of bounds: %v", err)
	}
	if err := s.typed.Delete(namespace, got.Name, nil); err != nil {
		t.Fatal(err)
	}
}
