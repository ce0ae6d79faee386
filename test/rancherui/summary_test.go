package rancherui

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	summary28 "github.com/rancher/wrangler/v2/pkg/summary"
	"github.com/rancher/wrangler/v3/pkg/summary"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// summarized is an object's summary for Rancher's UI.
type summarized struct {
	state                string
	transitioning, error bool
	messages             []string
}

// wranglers holds the summarizing functions by version: rancher/rancher v2.8.5 has v2.1.4 in its
// go.mod. rancher/steve@a80bf83 (pkg/resources/common/formatter.go) passes the summary to the UI.
var wranglers = map[string]func(*unstructured.Unstructured) summarized{
	"v2.1.4": func(obj *unstructured.Unstructured) summarized {
		s := summary28.Summarize(obj)
		return summarized{s.State, s.Transitioning, s.Error, s.Message}
	},
	"v3.7.2": func(obj *unstructured.Unstructured) summarized {
		s := summary.Summarize(obj)
		return summarized{s.State, s.Transitioning, s.Error, s.Message}
	},
}

// colour returns the UI's colour for the summary. An error or a transition decides first, then a
// table of words; any other word is yellow. The list holds only the words that our states could be
// (rancher/dashboard:shell/plugins/dashboard-store/resource-class.js@v2.8.5, colorForState).
func (j summarized) colour() string {
	greens := []string{
		"active", "available", "bound", "building", "completed", "deployed", "healthy", "pass", "passed", "provisioned", "ready",
		"running", "succeeded", "success", "successful",
	}
	switch {
	case j.error:
		return "red"
	case j.transitioning:
		return "blue"
	case slices.Contains(greens, j.state):
		return "green"
	case j.state == "paused":
		return "blue"
	}
	return "yellow"
}

func moments() []status.Moment {
	var all []status.Moment
	for _, state := range status.States() {
		all = append(all, status.Moment{State: state, Generation: 3})
	}
	for _, reason := range status.StallReasons() {
		all = append(all, status.Moment{State: status.Stalled, Reason: reason, Message: "the reason is " + string(reason), Generation: 3})
	}
	for _, reason := range []status.Reason{status.Locked, status.NoSlot, status.RancherNotAtRest, status.Retrying} {
		all = append(all, status.Moment{State: status.Pending, Reason: reason, Message: "waiting", Generation: 3})
	}
	return append(all,
		status.Moment{State: status.AwaitingApproval, Reason: status.PlanMoved, Message: "the plan moved", Generation: 3},
		status.Moment{State: status.Guarding, Owner: status.Agreement{State: metav1.ConditionFalse, Manager: "fleet"}, Generation: 3},
		status.Moment{State: status.Succeeded, Owner: status.Agreement{State: metav1.ConditionTrue}, Generation: 3},
	)
}

// newObject returns a ClusterMigration at a moment, as Rancher reads it.
func newObject(t *testing.T, m status.Moment) *unstructured.Unstructured {
	t.Helper()
	obj := &v1alpha1.ClusterMigration{Status: v1alpha1.ClusterMigrationStatus{
		ObservedGeneration: m.Generation, Display: m.Display(), Conditions: m.Conditions(nil, time.Unix(1700000000, 0)),
	}}
	obj.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("ClusterMigration"))
	obj.Name, obj.Namespace, obj.Generation = "prod", "fleet-default", 3
	status.Fit(&obj.Status)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: fields}
}

// Green means a passed audit or a reached goal. Red means stalled or a paused rollout. Yellow means waiting for a
// person. Blue means progress without action.
func TestColours(t *testing.T) {
	want := map[status.State]string{
		status.Auditing: "blue", status.Running: "blue", status.Undoing: "blue", status.Guarding: "blue", status.Pending: "blue",
		status.AwaitingWindow: "blue", status.AwaitingTurn: "blue", status.Paused: "blue",
		status.AwaitingOwner: "yellow", status.AwaitingApproval: "yellow", status.Findings: "yellow",
		status.AuditPassed: "green", status.Succeeded: "green", status.Stalled: "red",
	}
	for _, m := range moments() {
		for version, summarize := range wranglers {
			obj := newObject(t, m)
			display, got := m.Display(), summarize(obj)
			if got.colour() != want[m.State] || got.state != strings.ToLower(display.State) || got.transitioning != display.Transitioning || got.error != display.Error {
				t.Errorf("wrangler %s: %s/%s is %+v, %s", version, m.State, m.Reason, got, got.colour())
			}
			if len(got.messages) != 1 || got.messages[0] != display.Message {
				t.Errorf("wrangler %s: %s/%s says %q", version, m.State, m.Reason, got.messages)
			}
		}
	}
}

// An object without a controller is blue, by the default status of the definition.
func TestColour_withoutController_isBlue(t *testing.T) {
	text, err := os.ReadFile("../../charts/awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	var shows map[string]any
	if err := json.Unmarshal(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Default.Raw, &shows); err != nil {
		t.Fatal(err)
	}
	for version, summarize := range wranglers {
		got := summarize(&unstructured.Unstructured{Object: map[string]any{"kind": "ClusterMigration", "status": shows}})
		if got.colour() != "blue" || got.error || len(got.messages) != 1 {
			t.Errorf("wrangler %s: %+v, %s", version, got, got.colour())
		}
	}
}

// Readers of the conditions alone agree on the errors: the UI's list of conditions, and a status
// without its display.
func TestConditions(t *testing.T) {
	for _, m := range moments() {
		obj := newObject(t, m)
		summary.NormalizeConditions(obj)
		for _, c := range summary.GetUnstructuredConditions(obj.Object) {
			wrong := c.Type() == v1alpha1.ConditionStalled && c.Status() == "True"
			if c.Bool("error") != wrong || c.Reason() == "Error" {
				t.Errorf("%s/%s: %v", m.State, m.Reason, c.Object)
			}
		}
		unstructured.RemoveNestedField(obj.Object, "status", "display")
		for version, summarize := range wranglers {
			got := summarize(obj)
			if got.error != (m.State == status.Stalled) || (got.colour() == "green") != slices.Contains([]status.State{status.AuditPassed, status.Succeeded}, m.State) {
				t.Errorf("wrangler %s: without a display %s/%s is %+v", version, m.State, m.Reason, got)
			}
		}
	}
}

// Wrangler's tables give our conditions the same meaning as we do.
func TestConditions_inTablesOfWrangler_keepTheirMeaning(t *testing.T) {
	obj := newObject(t, status.Moment{State: status.Running})
	for _, c := range summary.GetUnstructuredConditions(obj.Object) {
		var known []string
		for name, table := range map[string]map[string]string{
			"unknown": summary.TransitioningUnknown, "false": summary.TransitioningFalse, "true": summary.TransitioningTrue,
			"unknown 2.8": summary28.TransitioningUnknown, "false 2.8": summary28.TransitioningFalse, "true 2.8": summary28.TransitioningTrue,
		} {
			if _, in := table[c.Type()]; in {
				known = append(known, name)
			}
		}
		slices.Sort(known)
		want := map[string]string{
			v1alpha1.ConditionReady: "[false false 2.8]", v1alpha1.ConditionReconciling: "[true true 2.8]",
			v1alpha1.ConditionStalled: "[]", v1alpha1.ConditionOwnerAgrees: "[]",
		}[c.Type()]
		if fmt.Sprint(known) != want || summary28.ErrorFalse[c.Type()] || summary28.ErrorTrue[c.Type()] != (c.Type() == v1alpha1.ConditionStalled) {
			t.Errorf("%s is in %v", c.Type(), known)
		}
	}
}
