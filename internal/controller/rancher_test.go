package controller

import (
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

func TestRollingOut(t *testing.T) {
	three := int32(3)
	for name, tt := range map[string]struct {
		generation int64
		status     appsv1.DeploymentStatus
		moves      bool
	}{
		"at rest":            {2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}, false},
		"just changed":       {3, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}, true},
		"a pod is missing":   {2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 2}, true},
		"an old one is left": {2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 4, UpdatedReplicas: 3, AvailableReplicas: 3}, true},
		"half of them":       {2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, AvailableReplicas: 3}, true},
	} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: rancherNamespace, Name: rancherDeployment, Generation: tt.generation}, Spec: appsv1.DeploymentSpec{Replicas: &three}, Status: tt.status}
		c := &Controller{kube: fake.NewClientset(d)}
		if got := c.rancherMoves(t.Context()); (got != "") != tt.moves {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := (&Controller{kube: fake.NewClientset()}).rancherMoves(t.Context()); got != "" {
		t.Errorf("it runs elsewhere: %q", got)
	}
	refusing := fake.NewClientset()
	refusing.PrependReactor("get", "deployments", func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("refused") })
	if got := (&Controller{kube: refusing}).rancherMoves(t.Context()); !strings.Contains(got, "refused") {
		t.Errorf("not read, and taken for at rest: %q", got)
	}
}

// An object has the options of its cluster's kind: Rancher takes a snapshot of RKE2 alone.
func TestOptions_kind_defaults(t *testing.T) {
	c := &Controller{kube: fake.NewClientset()}
	for kind, snapshot := range map[session.Kind]bool{session.RKE2: true, session.RKE: false} {
		target := session.Target{Kind: kind, Namespace: "fleet-default", Name: "c-abcde", RequestTimeout: time.Second}
		o, err := c.options(t.Context(), target, v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply})
		if err != nil || o.Snapshot != snapshot || target.Validate(o) != nil {
			t.Errorf("%s: snapshot %t, %v, %v", kind, o.Snapshot, err, target.Validate(o))
		}
	}
}
