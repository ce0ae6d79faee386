package access

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// NoUser replaces an unknown user in a manifest.
const NoUser = "PUT-YOUR-USER-HERE"

// Rules holds rights as the rules of a role. Resources with the same verbs share a rule. Each namespace
// has its own Rules, and so have cluster-wide rights.
type Rules struct {
	Namespace string
	Rules     []rbacv1.PolicyRule
}

// Grouped groups rights into rules and keeps their order.
func Grouped(rights []Right) []Rules {
	var all []Rules
	for _, r := range rights {
		i := slices.IndexFunc(all, func(g Rules) bool { return g.Namespace == r.Namespace })
		if i < 0 {
			i, all = len(all), append(all, Rules{Namespace: r.Namespace})
		}
		all[i].add(r)
	}
	for i := range all {
		all[i].Rules = mergeRules(all[i].Rules)
	}
	return all
}

func (g *Rules) add(r Right) {
	var names []string
	if r.Name != "" {
		names = []string{r.Name}
	}
	for i, rule := range g.Rules {
		if rule.APIGroups[0] == r.Group && rule.Resources[0] == r.Resource && slices.Equal(rule.ResourceNames, names) {
			g.Rules[i].Verbs = append(rule.Verbs, r.Verb)
			return
		}
	}
	g.Rules = append(g.Rules, rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: []string{r.Resource}, ResourceNames: names, Verbs: []string{r.Verb}})
}

// mergeRules merges rules that differ only in their resources.
func mergeRules(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var all []rbacv1.PolicyRule
	for _, rule := range rules {
		i := slices.IndexFunc(all, func(o rbacv1.PolicyRule) bool {
			return o.APIGroups[0] == rule.APIGroups[0] && slices.Equal(o.ResourceNames, rule.ResourceNames) && slices.Equal(o.Verbs, rule.Verbs)
		})
		if i < 0 {
			all = append(all, rule)
			continue
		}
		all[i].Resources = append(all[i].Resources, rule.Resources...)
	}
	return all
}

// Manifest returns the roles and bindings that grant a user exactly these rights, or "" without
// rights.
//
// The names contain a digest of the content, so that a manifest never replaces an earlier grant.
func Manifest(p Purpose, rights []Right, user string) (string, error) {
	if len(rights) == 0 {
		return "", nil
	}
	out := &bytes.Buffer{}
	if user == "" {
		user = NoUser
		fmt.Fprintf(out, "# The API did not return your user: replace %s with it.\n", NoUser)
	}
	if slices.ContainsFunc(rights, func(r Right) bool { return r.Resource == "secrets" }) {
		fmt.Fprintln(out, "# This grants rights on Secrets; docs/permissions.md explains each of them.")
	}
	groups := Grouped(rights)
	name := digestName(p, groups, user)
	for _, g := range groups {
		for _, object := range g.objects(name, user) {
			text, err := encode(object)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(out, "---\n%s", text)
		}
	}
	return strings.TrimPrefix(out.String(), "---\n"), nil
}

func digestName(p Purpose, groups []Rules, user string) string {
	text, _ := json.Marshal([]any{groups, user}) // strings and lists of them always encode
	sum := sha256.Sum256(text)
	return fmt.Sprintf("awsmigrate-%s-%s", p, hex.EncodeToString(sum[:4]))
}

// objects returns the role and its binding. For all rights it returns a binding to cluster-admin,
// which already has them.
func (g Rules) objects(name, user string) []any {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.Namespace}
	role := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
	}
	subjects := []rbacv1.Subject{subject(user)}
	refer := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	switch {
	case g.Namespace != "":
		return []any{rbacv1.Role{TypeMeta: role("Role"), ObjectMeta: meta, Rules: g.Rules},
			rbacv1.RoleBinding{TypeMeta: role("RoleBinding"), ObjectMeta: meta, RoleRef: refer("Role", name), Subjects: subjects}}
	case slices.Contains(g.Rules[0].Resources, everything().Resource):
		return []any{rbacv1.ClusterRoleBinding{TypeMeta: role("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: refer("ClusterRole", "cluster-admin"), Subjects: subjects}}
	}
	return []any{rbacv1.ClusterRole{TypeMeta: role("ClusterRole"), ObjectMeta: meta, Rules: g.Rules},
		rbacv1.ClusterRoleBinding{TypeMeta: role("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: refer("ClusterRole", name), Subjects: subjects}}
}

// subject returns the subject of a binding. The user of a ServiceAccount is
// system:serviceaccount:<namespace>:<name>
// (kubernetes/apiserver:pkg/authentication/serviceaccount/util.go@v0.26.13).
func subject(user string) rbacv1.Subject {
	if parts := strings.Split(user, ":"); len(parts) == 4 && parts[0] == "system" && parts[1] == "serviceaccount" {
		return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: parts[2], Name: parts[3]}
	}
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}
}

// encode returns an object as YAML without the fields that a server fills in.
func encode(object any) ([]byte, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("write %T: %w", object, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("write %T: %w", object, err)
	}
	if meta, is := fields["metadata"].(map[string]any); is {
		delete(meta, "creationTimestamp")
	}
	return yaml.Marshal(fields)
}
