package kube

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// rights reviews the access of the KCM's user to the migration lease. Creating a
// SubjectAccessReview changes nothing in the cluster.
func (r Reader) rights(ctx context.Context) verify.Read[downstream.Rights] {
	var out downstream.Rights
	for verb, answer := range map[string]*bool{"get": &out.Get, "update": &out.Update, "create": &out.Create} {
		allowed, err := r.may(ctx, verb)
		if err != nil {
			return verify.Failed[downstream.Rights](fmt.Errorf("asking whether %s may %s Lease %s/%s: %w", wellknown.KCMUser, verb, wellknown.System, wellknown.MigrationLease, err))
		}
		*answer = allowed
	}
	return verify.Got(out)
}

func (r Reader) may(ctx context.Context, verb string) (bool, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	name := wellknown.MigrationLease
	if verb == "create" {
		name = "" // a create request has no name when it is authorized
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: wellknown.KCMUser, Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: wellknown.System, Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Name: name,
		},
	}}
	got, err := r.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return got.Status.Allowed, nil
}

func (r Reader) grant(ctx context.Context) verify.Read[downstream.GrantObjects] {
	role, err := r.hasRole(ctx)
	if err != nil {
		return verify.Failed[downstream.GrantObjects](fmt.Errorf("reading Role %s/%s: %w", wellknown.System, r.grantName(), err))
	}
	binding, err := r.hasBinding(ctx)
	if err != nil {
		return verify.Failed[downstream.GrantObjects](fmt.Errorf("reading RoleBinding %s/%s: %w", wellknown.System, r.grantName(), err))
	}
	return verify.Got(downstream.GrantObjects{Role: role, Binding: binding})
}

func (r Reader) grantName() string {
	if r.GrantName == "" {
		return wellknown.Grant
	}
	return r.GrantName
}

func (r Reader) hasRole(ctx context.Context) (bool, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	_, err := r.Kube.RbacV1().Roles(wellknown.System).Get(ctx, r.grantName(), metav1.GetOptions{})
	return exists(err)
}

func (r Reader) hasBinding(ctx context.Context) (bool, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	_, err := r.Kube.RbacV1().RoleBindings(wellknown.System).Get(ctx, r.grantName(), metav1.GetOptions{})
	return exists(err)
}

// exists interprets the error of a read as the existence of the object.
func exists(err error) (bool, error) {
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
