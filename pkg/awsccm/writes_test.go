package awsccm

import (
	"context"
	"fmt"
	"strings"
	"testing"

	authzv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// TestOnAPIServer tests the grant, the cordon and the deletion of a lease on a real API server:
// only that has real authorizers and preconditions.
func TestOnAPIServer(t *testing.T) {
	e := cluster{client: kubernetes.NewForConfigOrDie(apiserver.New(t, apiserver.Options{}).Config())}
	t.Run("grant", e.grant)
	t.Run("cordon", e.cordon)
	t.Run("idle lease", e.idleLease)
	t.Run("fence", e.fence)
	t.Run("main lease", e.mainLease)
}

type cluster struct{ client kubernetes.Interface }

func (e cluster) grant(t *testing.T) {
	ctx := t.Context()
	ask := func(want bool) {
		t.Helper()
		g, err := grantAllowed(ctx, e.client)
		if err != nil {
			t.Fatal(err)
		}
		if g.allowed() != want {
			t.Errorf("allowed %t (%+v), want %t", g.allowed(), g, want)
		}
	}
	waitFor := func(want bool) { // the authorizer lags behind its informers
		t.Helper()
		apiserver.Eventually(t, func() bool {
			g, err := grantAllowed(ctx, e.client)
			return err == nil && g.allowed() == want
		})
	}
	ask(false)
	for i, want := range []bool{true, false} {
		changed, err := EnsureGrant(ctx, e.client)
		if err != nil || changed != want {
			t.Fatalf("run %d: changed %t, %v", i+1, changed, err)
		}
	}
	waitFor(true)

	role, err := e.client.RbacV1().Roles(wellknown.System).Get(ctx, wellknown.Grant, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = role.Rules[:1]
	if _, err := e.client.RbacV1().Roles(wellknown.System).Update(ctx, role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	waitFor(false)
	if changed, err := EnsureGrant(ctx, e.client); err != nil || !changed {
		t.Fatalf("drift not mended: %t, %v", changed, err)
	}
	waitFor(true)
	for range 2 {
		if err := DeleteGrant(ctx, e.client); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(false)

	foreign := grantRole()
	foreign.Labels = nil
	if _, err := e.client.RbacV1().Roles(wellknown.System).Create(ctx, foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"ensure": func() error { _, err := EnsureGrant(ctx, e.client); return err },
		"delete": func() error { return DeleteGrant(ctx, e.client) },
	} {
		if f, ok := fault.As(call()); !ok || f.Reason != "NotOurs" || f.Class != fault.Check {
			t.Errorf("%s over a foreign Role: %v", name, f)
		}
	}
	if err := e.client.RbacV1().Roles(wellknown.System).Delete(ctx, wellknown.Grant, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if bindings, _ := e.client.RbacV1().RoleBindings(wellknown.System).List(ctx, metav1.ListOptions{LabelSelector: wellknown.ManagedBy + "=" + wellknown.FieldManager}); len(bindings.Items) != 0 {
		t.Errorf("a RoleBinding was made for a foreign Role: %v", bindings.Items)
	}
}

func (e cluster) cordon(t *testing.T) {
	ctx, nodes := t.Context(), e.client.CoreV1().Nodes()
	for _, name := range []string{"cp-0", "cp-1"} {
		if _, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"kept": "yes"}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = nodes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	}
	state := func(name string) (CordonState, *corev1.Node) {
		t.Helper()
		n, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n.Annotations["kept"] != "yes" {
			t.Errorf("%s lost an annotation", name)
		}
		return CordonOf(n.Annotations, n.Spec.Unschedulable), n
	}
	for range 2 {
		if s, err := Cordon(ctx, nodes, "cp-0", "run-1"); err != nil || s != CordonedByUs {
			t.Fatalf("%s, %v", s, err)
		}
	}
	if s, n := state("cp-0"); s != CordonedByUs || n.Annotations[cordonedBy] != "run-1" {
		t.Fatalf("%s %v", s, n.Annotations)
	}
	unschedulable := []byte(`{"spec":{"unschedulable":true}}`)
	if _, err := nodes.Patch(ctx, "cp-1", types.MergePatchType, unschedulable, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if s, err := Cordon(ctx, nodes, "cp-1", "run-1"); err != nil || s != CordonedByOther {
		t.Fatalf("%s, %v", s, err)
	}
	if wrote, err := Uncordon(ctx, nodes, "cp-1"); err != nil || wrote {
		t.Fatalf("the user's cordon was touched: %t, %v", wrote, err)
	}
	for _, want := range []bool{true, false} {
		if wrote, err := Uncordon(ctx, nodes, "cp-0"); err != nil || wrote != want {
			t.Fatalf("wrote %t, %v", wrote, err)
		}
	}
	if s, _ := state("cp-0"); s != Schedulable {
		t.Fatal(s)
	}

	_, user := state("cp-1")
	if _, err := nodes.Patch(ctx, "cp-1", types.MergePatchType, []byte(`{"spec":{"unschedulable":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if wrote, err := RestoreUser(ctx, nodes, "cp-1", "another-uid"); err != nil || wrote {
		t.Fatalf("another machine's Node was cordoned: %t, %v", wrote, err)
	}
	if wrote, err := RestoreUser(ctx, nodes, "cp-1", user.UID); err != nil || !wrote {
		t.Fatalf("wrote %t, %v", wrote, err)
	}
	if s, _ := state("cp-1"); s != CordonedByOther {
		t.Fatal(s)
	}
	if wrote, err := Uncordon(ctx, nodes, "gone"); err != nil || wrote {
		t.Fatalf("%t, %v", wrote, err)
	}
	if _, err := Cordon(ctx, nodes, "gone", "run-1"); err == nil || !strings.Contains(err.Error(), "Node gone") {
		t.Fatal(err)
	}
}

func (e cluster) idleLease(t *testing.T) {
	ctx, leases := t.Context(), e.client.CoordinationV1().Leases(wellknown.System)
	made, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: wellknown.MigrationLease}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holder := "another"
	renewed := made.DeepCopy()
	renewed.Spec.HolderIdentity = &holder
	if renewed, err = leases.Update(ctx, renewed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	seen := func(l *coordinationv1.Lease) lease.Observation {
		return lease.Observation{Exists: true, UID: string(l.UID), ResourceVersion: l.ResourceVersion}
	}
	err = DeleteIdleLease(ctx, e.client, wellknown.MigrationLease, seen(made))
	if f, ok := fault.As(err); !ok || f.Class != fault.Stale || f.Reason != "LeaseInUse" {
		t.Fatalf("a renewed lease: %v", err)
	}
	for range 2 {
		if err := DeleteIdleLease(ctx, e.client, wellknown.MigrationLease, seen(renewed)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if err := DeleteIdleLease(ctx, e.client, wellknown.KCMLease, seen(renewed)); err == nil {
		t.Fatal("deleted a lease that is none of the migration's")
	}
}

// grant holds the rights of kube-controller-manager's user on the migration lease.
type grant struct {
	Get, Update bool
	Reason      string // of the authorizer, or empty
}

// allowed reports whether kube-controller-manager can hold the lease.
func (g grant) allowed() bool { return g.Get && g.Update }

// grantAllowed asks the API server, regardless of the source of the rights.
func grantAllowed(ctx context.Context, client kubernetes.Interface) (grant, error) {
	var g grant
	for _, ask := range []struct {
		verb   string
		answer *bool
	}{{"get", &g.Get}, {"update", &g.Update}} {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authzv1.SubjectAccessReview{
			Spec: authzv1.SubjectAccessReviewSpec{
				User: wellknown.KCMUser, Groups: []string{"system:authenticated"},
				ResourceAttributes: &authzv1.ResourceAttributes{
					Group: "coordination.k8s.io", Version: "v1", Resource: "leases",
					Namespace: wellknown.System, Name: wellknown.MigrationLease, Verb: ask.verb,
				},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			return grant{}, fmt.Errorf("ask whether %s may %s Lease %s/%s: %w", wellknown.KCMUser, ask.verb, wellknown.System, wellknown.MigrationLease, CouldNotLook(err))
		}
		*ask.answer = review.Status.Allowed && !review.Status.Denied
		if review.Status.Reason != "" {
			g.Reason = review.Status.Reason
		}
	}
	return g, nil
}
