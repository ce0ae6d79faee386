package journal

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Look accepts the journal of any cluster, and distinguishes a damaged journal from a missing one.
func TestLook(t *testing.T) {
	client := fake.NewClientset()
	if state, found, err := Look(t.Context(), client, "a", "awsmigrate-demo"); err != nil || found || state.Version != "" {
		t.Errorf("none: %+v, %t, %v", state, found, err)
	}
	j := NewConfigMap(client, "a", "awsmigrate-demo", Target{Kind: "rke2", Name: "demo", Namespace: "a", UID: "of-this-cluster"})
	if err := j.Commit(t.Context(), &State{Schema: Schema, Commit: "run-1/1", Intents: []Intent{{Step: "cordon", Run: "run-1"}}}); err != nil {
		t.Fatal(err)
	}
	state, found, err := Look(t.Context(), client, "a", "awsmigrate-demo")
	if err != nil || !found || state.Target.UID != "of-this-cluster" || !state.Record().LeftOpen {
		t.Errorf("%+v, %t, %v", state, found, err)
	}
	client = fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "awsmigrate-demo"}, Data: map[string]string{keyText: "{", keySum: "x"}})
	if _, found, err := Look(t.Context(), client, "a", "awsmigrate-demo"); found || err == nil {
		t.Errorf("broken: %t, %v", found, err)
	}
	client.PrependReactor("get", "configmaps", func(ktesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(corev1.Resource("configmaps"), "awsmigrate-demo", errors.New("no"))
	})
	if _, found, err := Look(t.Context(), client, "a", "awsmigrate-demo"); found || fault.ClassOf(err) != fault.CouldNotLook || !fault.HasReason(err, fault.ReasonForbidden) {
		t.Errorf("forbidden: %t, %v", found, err)
	}
}
