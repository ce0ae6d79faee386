package kube

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// rights asks for the KCM's user, not for ours. Creating the review changes
// nothing in the cluster.
func (r Reader) rights(ctx context.Context) verify.Read[downstream.Rights] {
	var out downstream.Rights
	for verb, into := range map[string]*bool{"get": &out.Get, "update": &out.Update, "create": &out.Create} {
		allowed, err := r.may(ctx, verb)
		if err != nil {
			return verify.Failed[downstream.Rights](err)
		}
		*into = allowed
	}
	return verify.Got(out)
}

func (r Reader) may(ctx context.Context, verb string) (bool, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	name := lease.Migration
	if verb == "create" {
		name = "" // a create request has no name when it is authorised
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: downstream.KCMUser, Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: downstream.System, Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Name: name,
		},
	}}
	got, err := r.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking whether %s may %s Lease %s/%s: %w", downstream.KCMUser, verb, downstream.System, lease.Migration, err)
	}
	return got.Status.Allowed, nil
}

func (r Reader) grant(ctx context.Context) verify.Read[downstream.GrantObjects] {
	name := r.GrantName
	if name == "" {
		name = DefaultGrantName
	}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	_, roleErr := r.Kube.RbacV1().Roles(downstream.System).Get(ctx, name, metav1.GetOptions{})
	if roleErr != nil && !absent(roleErr) {
		return verify.Failed[downstream.GrantObjects](fmt.Errorf("reading Role %s/%s: %w", downstream.System, name, roleErr))
	}
	_, bindErr := r.Kube.RbacV1().RoleBindings(downstream.System).Get(ctx, name, metav1.GetOptions{})
	if bindErr != nil && !absent(bindErr) {
		return verify.Failed[downstream.GrantObjects](fmt.Errorf("reading RoleBinding %s/%s: %w", downstream.System, name, bindErr))
	}
	return verify.Got(downstream.GrantObjects{Role: roleErr == nil, Binding: bindErr == nil})
}
