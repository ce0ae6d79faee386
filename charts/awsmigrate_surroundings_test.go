package charts_test

import (
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// ofKind returns the objects of one kind, by name.
func ofKind[T any](t *testing.T, values, kind string) map[string]T {
	t.Helper()
	found := map[string]T{}
	for _, object := range objects(t, values) {
		if object.GetKind() == kind {
			found[object.GetName()] = strictly[T](t, object)
		}
	}
	return found
}

// The policy covers the controller's pods. Their metrics stay reachable, and it allows the
// requested egress and the proxy's port.
func TestNetworkPolicy_egress_allowsNeededPorts(t *testing.T) {
	if got := ofKind[networkingv1.NetworkPolicy](t, "{}", "NetworkPolicy"); len(got) > 0 {
		t.Error("there is one without a request")
	}
	for values, want := range map[string][]int{
		"networkPolicy: {enabled: true}":                                                 {53, 53, 443, 444, 6443},
		"{networkPolicy: {enabled: true, egressPorts: [443]}, proxy: 'http://p:3128'}":   {53, 53, 443, 3128},
		"{networkPolicy: {enabled: true, egressPorts: [443]}, proxy: 'https://p'}":       {53, 53, 443},
		"{networkPolicy: {enabled: true, egressPorts: [443]}, proxy: 'http://u:1@p'}":    {53, 53, 443, 80},
		"{networkPolicy: {enabled: true, egressPorts: [443]}, proxy: 'http://[::1]:81'}": {53, 53, 443, 81},
	} {
		policy := ofKind[networkingv1.NetworkPolicy](t, values, "NetworkPolicy")[controller]
		pod := deployment(t, values).Spec.Template
		for key, value := range policy.Spec.PodSelector.MatchLabels {
			if pod.Labels[key] != value {
				t.Errorf("chooses %s=%s, the pods have %q", key, value, pod.Labels[key])
			}
		}
		var got []int
		for _, port := range policy.Spec.Egress[0].Ports {
			got = append(got, port.Port.IntValue())
		}
		if in := policy.Spec.Ingress; !slices.Equal(got, want) || len(policy.Spec.PodSelector.MatchLabels) == 0 ||
			len(in) != 1 || len(in[0].From) > 0 || in[0].Ports[0].Port.String() != pod.Spec.Containers[0].Ports[0].Name {
			t.Errorf("%s: ports %v, %+v", values, got, policy.Spec)
		}
	}
}

// A budget exists if a second pod can take over, and never blocks a drain for good.
func TestBudget_secondReplica_exists(t *testing.T) {
	for values, want := range map[string]bool{"{}": false, "replicas: 0": false, "replicas: 2": true, "replicas: 5": true} {
		budget, is := ofKind[policyv1.PodDisruptionBudget](t, values, "PodDisruptionBudget")[controller]
		if is != want || is && (budget.Spec.MaxUnavailable.IntValue() != 1 || budget.Spec.MinAvailable != nil) {
			t.Errorf("%s: %t, %+v", values, is, budget.Spec)
		}
	}
}

// The roles for people extend no existing role and have no subject: edit of a ClusterMigration
// means cluster-owner of its cluster.
func TestUserRoles_noSubject_noAggregation(t *testing.T) {
	if got := ofKind[rbacv1.ClusterRole](t, "{}", "ClusterRole"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	roles := ofKind[rbacv1.ClusterRole](t, "userRoles: {create: true}", "ClusterRole")
	for name, want := range map[string][]string{"-view": {"get", "list", "watch"}, "-edit": {"get", "list", "watch", "create", "update", "patch", "delete"}} {
		role := roles[controller+name]
		for label := range role.Labels {
			if prefix, _, _ := strings.Cut(label, "/"); prefix != "app.kubernetes.io" && prefix != "helm.sh" {
				t.Errorf("%s has the label %s", name, label)
			}
		}
		group := []string{"awsmigrate.io"}
		rules := []rbacv1.PolicyRule{ // a writer of rollouts would own every cluster of the namespace
			{APIGroups: group, Resources: []string{"clustermigrations"}, Verbs: want},
			{APIGroups: group, Resources: []string{"migrationrollouts"}, Verbs: []string{"get", "list", "watch"}},
		}
		if role.AggregationRule != nil || !equality.Semantic.DeepEqual(role.Rules, rules) {
			t.Errorf("%s: %+v", name, role)
		}
	}
	for _, binding := range ofKind[rbacv1.ClusterRoleBinding](t, "userRoles: {create: true}", "ClusterRoleBinding") {
		if binding.RoleRef.Name != controller {
			t.Errorf("binds %s", binding.RoleRef.Name)
		}
	}
}
