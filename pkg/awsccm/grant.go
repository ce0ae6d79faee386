package awsccm

import (
	"context"
	"fmt"
	"reflect"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// grantRole returns the rights that Kubernetes up to 1.30 withholds. The bootstrap role lets
// the user create any lease, but get and update only its main one. With the leader migration
// flag its service, route and cloud-node-lifecycle controllers would silently run nowhere
// (k8s.io/kubernetes@v1.26.15:plugin/pkg/auth/authorizer/rbac/bootstrappolicy). We do not
// change the bootstrap role: our own object is visible and can be removed safely. A create
// request has no object name when it is authorised, hence two rules.
func grantRole() *rbacv1.Role {
	return &rbacv1.Role{
		ObjectMeta: grantMeta(),
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
			{
				APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
				ResourceNames: []string{wellknown.MigrationLease}, Verbs: []string{"get", "update", "patch"},
			},
		},
	}
}

func grantBinding() *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: grantMeta(),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: wellknown.Grant},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: wellknown.KCMUser}},
	}
}

func grantMeta() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: wellknown.Grant, Namespace: wellknown.System,
		Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager},
	}
}

// EnsureGrant creates the Role and the RoleBinding, or resets ours to their intended content. It
// reports whether it wrote. It returns an error for an object of that name that is not ours, and
// never changes it.
func EnsureGrant(ctx context.Context, client kubernetes.Interface) (changed bool, err error) {
	roleChanged, err := ensureRole(ctx, client)
	if err != nil {
		return false, err
	}
	bindingChanged, err := ensureBinding(ctx, client)
	return roleChanged || bindingChanged, err
}

func ensureRole(ctx context.Context, client kubernetes.Interface) (bool, error) {
	roles, want := client.RbacV1().Roles(wellknown.System), grantRole()
	have, err := roles.Get(ctx, wellknown.Grant, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = roles.Create(ctx, want, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
		return err == nil, wrap(err, "create", "Role")
	}
	if err != nil {
		return false, wrap(err, "read", "Role")
	}
	if have.Labels[wellknown.ManagedBy] != wellknown.FieldManager {
		return false, foreignGrant("Role")
	}
	if reflect.DeepEqual(have.Rules, want.Rules) {
		return false, nil
	}
	have.Rules = want.Rules
	_, err = roles.Update(ctx, have, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
	return err == nil, wrap(err, "update", "Role")
}

func ensureBinding(ctx context.Context, client kubernetes.Interface) (bool, error) {
	bindings, want := client.RbacV1().RoleBindings(wellknown.System), grantBinding()
	have, err := bindings.Get(ctx, wellknown.Grant, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = bindings.Create(ctx, want, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
		return err == nil, wrap(err, "create", "RoleBinding")
	}
	if err != nil {
		return false, wrap(err, "read", "RoleBinding")
	}
	if have.Labels[wellknown.ManagedBy] != wellknown.FieldManager || have.RoleRef != want.RoleRef {
		return false, foreignGrant("RoleBinding")
	}
	if reflect.DeepEqual(have.Subjects, want.Subjects) {
		return false, nil
	}
	have.Subjects = want.Subjects
	_, err = bindings.Update(ctx, have, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
	return err == nil, wrap(err, "update", "RoleBinding")
}

// DeleteGrant removes the RoleBinding and the Role if they are ours. Missing objects are no
// error. It returns an error for objects that are not ours, and keeps them.
func DeleteGrant(ctx context.Context, client kubernetes.Interface) error {
	bindings := client.RbacV1().RoleBindings(wellknown.System)
	binding, err := bindings.Get(ctx, wellknown.Grant, metav1.GetOptions{})
	if err := deleteOurs(err, "RoleBinding", binding, func(o metav1.DeleteOptions) error {
		return bindings.Delete(ctx, wellknown.Grant, o)
	}); err != nil {
		return err
	}
	roles := client.RbacV1().Roles(wellknown.System)
	role, err := roles.Get(ctx, wellknown.Grant, metav1.GetOptions{})
	return deleteOurs(err, "Role", role, func(o metav1.DeleteOptions) error {
		return roles.Delete(ctx, wellknown.Grant, o)
	})
}

func deleteOurs(readErr error, kind string, obj metav1.Object, del func(metav1.DeleteOptions) error) error {
	if apierrors.IsNotFound(readErr) {
		return nil
	}
	if readErr != nil {
		return wrap(readErr, "read", kind)
	}
	if obj.GetLabels()[wellknown.ManagedBy] != wellknown.FieldManager {
		return foreignGrant(kind)
	}
	if err := del(Exactly(obj)); err != nil && !apierrors.IsNotFound(err) {
		return wrap(err, "delete", kind)
	}
	return nil
}

func foreignGrant(kind string) error {
	return &fault.Error{
		Class: fault.Check, Reason: "NotOurs", Object: fmt.Sprintf("%s %s/%s", kind, wellknown.System, wellknown.Grant),
		Seen:   "exists and was not made by awsmigrate",
		Wanted: "no object of that name, or one with label " + wellknown.ManagedBy + "=" + wellknown.FieldManager,
		Fix:    "look at it, then: " + fault.Command("kubectl", "-n", wellknown.System, "delete", kind, wellknown.Grant),
	}
}

func wrap(err error, verb, kind string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %s/%s: %w", verb, kind, wellknown.System, wellknown.Grant, CouldNotLook(err))
}
