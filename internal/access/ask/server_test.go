package ask

import (
	"context"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/docs"
	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// group is the group that the documented roles are bound to.
const group = "awsmigrate-audit"

// roleRules holds the rules of one role, which can be written and read.
type roleRules struct {
	rules  []rbacv1.PolicyRule
	update func(context.Context, []rbacv1.PolicyRule) error
}

// Without one rule of a documented role, exactly its rights are missing. With all rules none is.
func TestRights_ruleRemoved_missingNamed(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	roles := documentedRoles(t, kubernetes.NewForConfigOrDie(server.Config()))
	needed, err := access.Cluster{Distribution: wellknown.RKE2}.Here(access.Audit)
	if err != nil {
		t.Fatal(err)
	}
	look := func() access.API {
		var a access.API
		Question{Clock: clock.RealClock{}}.server(t.Context(), &a, server.As("jane", group, "system:authenticated"), "it", needed)
		return a
	}
	missing := func(want []access.Right) {
		t.Helper()
		var a access.API
		defer func() {
			if t.Failed() {
				t.Logf("missing %v, want %v, %v", a.Missing, want, a.Err)
			}
		}()
		apiserver.Eventually(t, func() bool { // a role is in force a moment later
			a = look()
			return a.Err != nil || slices.Equal(a.Missing, want)
		})
		if a.Err != nil || a.User != "jane" || a.Version == "" || len(a.Unknown) > 0 {
			t.Errorf("%+v", a)
		}
	}
	missing(nil)
	n := 0
	for _, role := range roles {
		for i := range role.rules {
			n++
			if err := role.update(t.Context(), slices.Delete(slices.Clone(role.rules), i, i+1)); err != nil {
				t.Fatal(err)
			}
			missing(slices.DeleteFunc(slices.Clone(needed), func(r access.Right) bool { return !gives(role.rules[i], r) }))
		}
		if err := role.update(t.Context(), role.rules); err != nil {
			t.Fatal(err)
		}
	}
	if n < 13 {
		t.Errorf("%d rules were taken", n)
	}
}

// gives reports whether a rule grants a right. No two rules of the roles grant the same.
func gives(rule rbacv1.PolicyRule, r access.Right) bool {
	return slices.Contains(rule.APIGroups, r.Group) && slices.Contains(rule.Resources, r.Resource) && slices.Contains(rule.Verbs, r.Verb)
}

// documentedRoles creates the documented objects for the audited cluster.
func documentedRoles(t *testing.T, kube kubernetes.Interface) []roleRules {
	t.Helper()
	var made []roleRules
	for _, document := range strings.Split(docs.ReadOnlyRoles, "\n---\n") {
		var role rbacv1.Role
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Name != "awsmigrate-audit" && role.Name != "awsmigrate-audit-helm" {
			continue
		}
		made = append(made, create(t, kube, role, document)...)
	}
	return made
}

func create(t *testing.T, kube kubernetes.Interface, role rbacv1.Role, document string) []roleRules {
	t.Helper()
	meta, rbac := metav1.CreateOptions{}, kube.RbacV1()
	var err error
	var made []roleRules
	switch role.Kind {
	case "Role":
		_, err = rbac.Roles(role.Namespace).Create(t.Context(), &role, meta)
		made = []roleRules{{role.Rules, func(ctx context.Context, rules []rbacv1.PolicyRule) error {
			role.Rules = rules
			_, err := rbac.Roles(role.Namespace).Update(ctx, &role, metav1.UpdateOptions{})
			return err
		}}}
	case "ClusterRole":
		whole := &rbacv1.ClusterRole{ObjectMeta: role.ObjectMeta, Rules: role.Rules}
		_, err = rbac.ClusterRoles().Create(t.Context(), whole, meta)
		made = []roleRules{{role.Rules, func(ctx context.Context, rules []rbacv1.PolicyRule) error {
			whole.Rules = rules
			_, err := rbac.ClusterRoles().Update(ctx, whole, metav1.UpdateOptions{})
			return err
		}}}
	case "RoleBinding":
		var binding rbacv1.RoleBinding
		if err = yaml.Unmarshal([]byte(document), &binding); err == nil {
			_, err = rbac.RoleBindings(binding.Namespace).Create(t.Context(), &binding, meta)
		}
	case "ClusterRoleBinding":
		var binding rbacv1.ClusterRoleBinding
		if err = yaml.Unmarshal([]byte(document), &binding); err == nil {
			_, err = rbac.ClusterRoleBindings().Create(t.Context(), &binding, meta)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}
