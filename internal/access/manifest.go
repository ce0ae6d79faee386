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

// NoUser stands in a manifest for a user whom nobody could tell.
const NoUser = "PUT-YOUR-USER-HERE"

// Rules are rights as a role has them: those of one object together, and resources with
// the same verbs in one rule. What a namespace holds is apart from what holds everywhere.
type Rules struct {
	Namespace string
	Rules     []rbacv1.PolicyRule
}

// Grouped are rights as rules, in their order.
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
		all[i].Rules = joined(all[i].Rules)
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

// joined puts resources of one group that are alike otherwise into one rule.
func joined(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
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

// Manifest is what to apply so that a user has the rights: roles with these and no others,
// and their bindings. "" where there are none.
//
// The names have a digest of what is in them: what is granted now replaces nothing that
// was granted before, to this user or to another.
func Manifest(p Purpose, rights []Right, user string) (string, error) {
	if len(rights) == 0 {
		return "", nil
	}
	out := &bytes.Buffer{}
	if user == "" {
		user = NoUser
		fmt.Fprintf(out, "# Nobody could tell as whom the API knows you: put that user for %s.\n", NoUser)
	}
	if slices.ContainsFunc(rights, func(r Right) bool { return r.Resource == "secrets" }) {
		fmt.Fprintln(out, "# There are rights on Secrets in it; docs/permissions.md says what each is for.")
	}
	groups := Grouped(rights)
	name := name(p, groups, user)
	for _, g := range groups {
		for _, object := range g.objects(name, user) {
			text, err := plain(object)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(out, "---\n%s", text)
		}
	}
	return strings.TrimPrefix(out.String(), "---\n"), nil
}

func name(p Purpose, groups []Rules, user string) string {
	text, _ := json.Marshal([]any{groups, user}) // strings and lists of them can be encoded
	sum := sha256.Sum256(text)
	return fmt.Sprintf("awsmigrate-%s-%s", p, hex.EncodeToString(sum[:4]))
}

// objects are the role and its binding; of everything a binding to cluster-admin, which
// has that right already.
func (g Rules) objects(name, user string) []any {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.Namespace}
	role := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
	}
	subjects := []rbacv1.Subject{subject(user)}
	to := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	switch {
	case g.Namespace != "":
		return []any{rbacv1.Role{TypeMeta: role("Role"), ObjectMeta: meta, Rules: g.Rules},
			rbacv1.RoleBinding{TypeMeta: role("RoleBinding"), ObjectMeta: meta, RoleRef: to("Role", name), Subjects: subjects}}
	case slices.Contains(g.Rules[0].Resources, everything().Resource):
		return []any{rbacv1.ClusterRoleBinding{TypeMeta: role("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: to("ClusterRole", "cluster-admin"), Subjects: subjects}}
	}
	return []any{rbacv1.ClusterRole{TypeMeta: role("ClusterRole"), ObjectMeta: meta, Rules: g.Rules},
		rbacv1.ClusterRoleBinding{TypeMeta: role("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: to("ClusterRole", name), Subjects: subjects}}
}

// subject is a user as a binding names it. The user of a ServiceAccount is
// system:serviceaccount:<namespace>:<name>
// (kubernetes/apiserver:pkg/authentication/serviceaccount/util.go@v0.26.13).
func subject(user string) rbacv1.Subject {
	if parts := strings.Split(user, ":"); len(parts) == 4 && parts[0] == "system" && parts[1] == "serviceaccount" {
		return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: parts[2], Name: parts[3]}
	}
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}
}

// plain is an object without what only a server fills in.
func plain(object any) ([]byte, error) {
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
