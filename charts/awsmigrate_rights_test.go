package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// rights holds the rules of the controller's ServiceAccount by namespace; the empty one is every
// namespace.
type rights map[string][]rbacv1.PolicyRule

func rightsOf(t *testing.T, values string) rights {
	t.Helper()
	rules, bound := map[string][]rbacv1.PolicyRule{}, map[string][]string{}
	key := func(kind, namespace, name string) string { return kind + " " + namespace + "/" + name }
	for _, object := range objects(t, values) {
		switch object.GetKind() {
		case "ClusterRole", "Role":
			if object.GetName() == controller+"-view" || object.GetName() == controller+"-edit" {
				continue // for people
			}
			rules[key(object.GetKind(), object.GetNamespace(), object.GetName())] = strictly[rbacv1.Role](t, object).Rules
		case "ClusterRoleBinding", "RoleBinding":
			binding := strictly[rbacv1.RoleBinding](t, object)
			want := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: home, Name: controller}}
			if !slices.Equal(binding.Subjects, want) || object.GetKind() != binding.RoleRef.Kind+"Binding" {
				t.Errorf("%s %s binds %v to %v", object.GetKind(), object.GetName(), binding.RoleRef, binding.Subjects)
			}
			role := key(binding.RoleRef.Kind, binding.Namespace, binding.RoleRef.Name)
			bound[binding.Namespace] = append(bound[binding.Namespace], role)
		}
	}
	all := rights{}
	for namespace, roles := range bound {
		for _, role := range roles {
			if len(rules[role]) == 0 {
				t.Errorf("no %s, or twice", role)
			}
			all[namespace] = append(all[namespace], rules[role]...)
			delete(rules, role)
		}
	}
	if len(rules) > 0 {
		t.Errorf("without a subject: %v", rules)
	}
	return all
}

// allow reports whether a request is granted, as Kubernetes decides it. Only rules without names
// grant a request without a name.
func (r rights) allow(namespace, group, resource, verb, name string) bool {
	for _, rule := range slices.Concat(r[""], r[namespace]) {
		if slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) && slices.Contains(rule.Verbs, verb) &&
			(len(rule.ResourceNames) == 0 || name != "" && slices.Contains(rule.ResourceNames, name)) {
			return true
		}
	}
	return false
}

// each passes every rule of every namespace, with the words for a message.
func (r rights) each(visit func(namespace string, rule rbacv1.PolicyRule, words string)) {
	for namespace, rules := range r {
		for _, rule := range rules {
			visit(namespace, rule, fmt.Sprintf("in %q %v of %v %v, names %v", namespace, rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames))
		}
	}
}

// setup holds the values that affect the rights.
type setup struct {
	mode                                string
	namespaces, clusters, rke1, secrets []string
}

func (s setup) values() string {
	list := func(names []string) string { return "[" + strings.Join(names, ", ") + "]" }
	return fmt.Sprintf("{mode: %s, namespaces: %s, access: {clusters: %s, rke1: %s, secrets: %s}}",
		s.mode, list(s.namespaces), list(s.clusters), list(s.rke1), list(s.secrets))
}

// setups returns all forms of an installation, as far as they affect its rights.
func setups() (all []setup) {
	for _, mode := range []string{"audit", "migrate"} {
		for _, namespaces := range [][]string{{"fleet-default"}, {"team-a", "fleet-default"}} {
			for _, rke1 := range [][]string{nil, {"c-7kq2x", "c-b9b9b"}} {
				for _, clusters := range [][]string{nil, {"prod"}, {"prod", "c-7kq2x"}} {
					s := setup{mode, namespaces, clusters, rke1, nil}
					all = append(all, s)
					if s.secrets = []string{"cloud"}; clusters != nil {
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}

var changing = []string{"create", "update", "patch", "delete", "deletecollection"}

func changes(rule rbacv1.PolicyRule) bool {
	return slices.ContainsFunc(rule.Verbs, func(verb string) bool { return slices.Contains(changing, verb) })
}

// No right lets the controller extend its own rights, run commands, impersonate, delete, or list
// Secrets; and none is for a kind that is not listed here.
func TestRules_anyValues_stayFew(t *testing.T) {
	may := map[string]string{ // verbs by group and resource; any other right is one too many
		"awsmigrate.io clustermigrations":                "get list watch create patch",
		"awsmigrate.io migrationrollouts":                "get list watch",
		"awsmigrate.io migrationrollouts/status":         "update",
		"awsmigrate.io clustermigrations/status":         "update",
		"provisioning.cattle.io clusters":                "get list watch patch",
		"rke.cattle.io rkecontrolplanes":                 "get patch",
		"management.cattle.io clusters":                  "get patch",
		"management.cattle.io nodes":                     "list",
		"management.cattle.io settings":                  "get",
		"cluster.x-k8s.io clusters":                      "get",
		"cluster.x-k8s.io machines":                      "list",
		"plan.cattle.io beacons":                         "get",
		"apiextensions.k8s.io customresourcedefinitions": "get",
		"apps deployments":                               "get",
		"coordination.k8s.io leases":                     "get create update",
		"events.k8s.io events":                           "create patch",
		" configmaps":                                    "get list create patch",
		" secrets":                                       "get create",
	}
	for _, s := range setups() {
		rightsOf(t, s.values()).each(func(namespace string, rule rbacv1.PolicyRule, words string) {
			if len(rule.APIGroups) != 1 || len(rule.Resources) != 1 || len(rule.NonResourceURLs) > 0 || len(rule.Verbs) == 0 {
				t.Fatalf("%+v: %s", s, words)
			}
			for _, verb := range rule.Verbs {
				if !slices.Contains(strings.Fields(may[rule.APIGroups[0]+" "+rule.Resources[0]]), verb) {
					t.Errorf("%+v: %s of %s", s, verb, words)
				}
				if unnamed := slices.Contains([]string{"list", "watch", "create"}, verb); unnamed && len(rule.ResourceNames) > 0 {
					t.Errorf("%+v: names bind nothing: %s", s, words)
				}
			}
			if slices.Contains(rule.Resources, "secrets") && slices.Contains(rule.Verbs, "create") && (s.mode != "migrate" || !slices.Contains(s.rke1, namespace)) {
				t.Errorf("%+v: %s", s, words)
			}
		})
	}
}

// Rights in every namespace are bound by name, for all values.
func TestRules_clusterWide_boundByName(t *testing.T) {
	for _, s := range setups() {
		own := slices.Concat(s.rke1, []string{v1alpha1.CRD, "server-version"})
		for _, rule := range rightsOf(t, s.values())[""] {
			if len(rule.ResourceNames) == 0 || slices.ContainsFunc(rule.ResourceNames, func(name string) bool { return !slices.Contains(own, name) }) {
				t.Errorf("%+v: %v of %v %v", s, rule.Verbs, rule.Resources, rule.ResourceNames)
			}
		}
		rancher := rightsOf(t, s.values())["cattle-system"]
		if s.mode == "audit" && len(rancher) == 0 {
			continue
		}
		if len(rancher) != 1 || !slices.Equal(rancher[0].ResourceNames, []string{"rancher"}) || !slices.Equal(rancher[0].Verbs, []string{"get"}) {
			t.Errorf("%+v: in cattle-system %v", s, rancher)
		}
	}
}

// In mode audit the controller writes its own objects, Events and its leader Lease. Its rights
// exclude what a guard needs: the lock, the journal, the pause.
func TestRules_modeAudit_writeOwnObjectsOnly(t *testing.T) {
	for _, s := range setups() {
		if s.mode != "audit" {
			continue
		}
		rightsOf(t, s.values()).each(func(namespace string, rule rbacv1.PolicyRule, words string) {
			if !changes(rule) || rule.APIGroups[0] == v1alpha1.SchemeGroupVersion.Group || rule.Resources[0] == "events" {
				return
			}
			election := rule.Resources[0] == "leases" && namespace == s.namespaces[0] &&
				(slices.Equal(rule.Verbs, []string{"create"}) || slices.Equal(rule.ResourceNames, []string{election}))
			if !election {
				t.Errorf("%+v: %s", s, words)
			}
		})
		if all := rightsOf(t, s.values()); all.allow(s.namespaces[0], "coordination.k8s.io", "leases", "get", "awsmigrate-prod") {
			t.Errorf("%+v: has the lock of a cluster", s)
		}
	}
}

// With access.clusters, every right that Kubernetes can bind to a name is bound, and no name
// belongs to another cluster.
func TestRules_clusters_boundByName(t *testing.T) {
	for _, s := range setups() {
		if s.clusters == nil {
			continue
		}
		names := slices.Concat(s.secrets, []string{election, v1alpha1.CRD, "server-version", "rancher"})
		for _, cluster := range slices.Concat(s.clusters, s.rke1) {
			names = append(names, cluster, cluster+"-kubeconfig", "awsmigrate-"+cluster, "awsmigrate.plans."+cluster, "awsmigrate.record."+cluster)
		}
		rightsOf(t, s.values()).each(func(namespace string, rule rbacv1.PolicyRule, words string) {
			for _, name := range rule.ResourceNames {
				if !slices.Contains(names, name) {
					t.Errorf("%+v: %s", s, words)
				}
			}
			kept := slices.Contains(s.rke1, namespace) && rule.Resources[0] == "secrets" // whose names come from their contents
			nameable := slices.ContainsFunc(rule.Verbs, func(verb string) bool { return slices.Contains([]string{"get", "patch", "update"}, verb) })
			own := rule.Resources[0] == "events" || strings.HasPrefix(rule.Resources[0], "migrationrollouts") // not of a cluster
			if len(rule.ResourceNames) == 0 && nameable && !own && !kept {
				t.Errorf("%+v: unbound: %s", s, words)
			}
		})
	}
}

// The controller has every right that `awsmigrate job` grants to a run of one cluster, narrowed
// or not; in mode audit it has the read rights among them.
func TestRules_everyRightOfJob_isGranted(t *testing.T) {
	jobs := []job.Options{
		{Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default"},
		{Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", CloudConfig: job.SecretReference{Namespace: "fleet-default", Name: "cloud"}},
		{Distribution: wellknown.RKE, Cluster: "c-7kq2x", Namespace: "fleet-default"},
	}
	for _, s := range []setup{
		{"migrate", []string{"fleet-default"}, []string{"prod"}, []string{"c-7kq2x"}, []string{"cloud"}},
		{"migrate", []string{"fleet-default"}, nil, []string{"c-7kq2x"}, nil},
		{"migrate", []string{"team-a", "fleet-default"}, []string{"prod"}, []string{"c-7kq2x"}, []string{"cloud"}},
		{"audit", []string{"fleet-default"}, []string{"prod"}, []string{"c-7kq2x"}, []string{"cloud"}},
	} {
		have := rightsOf(t, s.values())
		for _, options := range jobs {
			for _, scope := range options.Rights() {
				for _, rule := range scope.Rules {
					lacks(t, s, have, scope.Namespace, rule)
				}
			}
		}
	}
}

// lacks names the parts of a rule that the rights do not allow. Mode audit needs its reads only,
// and nothing of the locks.
func lacks(t *testing.T, s setup, have rights, namespace string, rule rbacv1.PolicyRule) {
	t.Helper()
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, verb := range rule.Verbs {
		if s.mode == "audit" && (slices.Contains(changing, verb) || rule.Resources[0] == "leases") {
			continue
		}
		for _, name := range names {
			if !have.allow(namespace, rule.APIGroups[0], rule.Resources[0], verb, name) {
				t.Errorf("%+v: a Job may %s %s %q in %q, the controller may not", s, verb, rule.Resources[0], name, namespace)
			}
		}
	}
}
