package kube

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ccmRightsSeen asks a real authorizer about an account without rights, then about one that
// lacks one right.
func ccmRightsSeen(t *testing.T, config *rest.Config, admin kubernetes.Interface) {
	bare := look(t, config).CCMRights.Value
	if len(bare) != 1 || bare[0].Namespace != "kube-system" || bare[0].Name != "default" || len(bare[0].Missing) != len(ccmCalls(true)) {
		t.Fatalf("without a role: %+v", bare)
	}
	if lease := "update leases cloud-provider-extraction-migration"; !slices.Contains(bare[0].Missing, lease) {
		t.Errorf("with the flag %q is not asked for: %v", lease, bare[0].Missing)
	}
	rule := func(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
	}
	_, err := admin.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "ccm"}, Rules: []rbacv1.PolicyRule{
		rule("", []string{"events", "nodes", "services", "services/status"}, "*"), rule("coordination.k8s.io", []string{"leases"}, "create", "get", "update"),
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "ccm"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "ccm"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "kube-system", Name: "default"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"patch nodes/status"}
	var got []string
	for range 50 { // authorizers learn of a binding a moment later; a look takes as long
		if got = look(t, config).CCMRights.Value[0].Missing; slices.Equal(got, want) {
			return
		}
	}
	t.Errorf("may not %v, want %v", got, want)
}
