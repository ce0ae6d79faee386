package scenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Right is one verb on one object, or on all of a kind where Kubernetes knows no name.
type Right struct{ Verb, Group, Resource, Namespace, Name string }

// String is a line of a report.
func (r Right) String() string {
	return fmt.Sprintf("%s %s.%s %s/%s", r.Verb, r.Resource, r.Group, r.Namespace, r.Name)
}

// nameless are the verbs that rules cannot bind to a name.
func nameless(verb string) bool { return verb == "create" || verb == "list" }

// Granted are the rights that the applied roles give a run, one by one.
func (l *Lab) Granted(ctx context.Context) ([]Right, error) {
	client, err := l.ManagementKube()
	if err != nil {
		return nil, err
	}
	selector := metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=awsmigrate"}
	roles, err := client.RbacV1().Roles("").List(ctx, selector)
	if err != nil {
		return nil, err
	}
	wide, err := client.RbacV1().ClusterRoles().List(ctx, selector)
	if err != nil {
		return nil, err
	}
	var rights []Right
	for _, role := range roles.Items {
		rights = append(rights, expanded(role.Namespace, role.Rules)...)
	}
	for _, role := range wide.Items {
		rights = append(rights, expanded("", role.Rules)...)
	}
	return rights, nil
}

func expanded(namespace string, rules []rbacv1.PolicyRule) []Right {
	var rights []Right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						rights = append(rights, Right{verb, group, resource, namespace, name})
					}
				}
			}
		}
	}
	return rights
}

// Used are the rights that a user made use of in the management cluster, and those that
// were refused, by the API server's audit log.
func (l *Lab) Used(user string) (used, refused []Right, err error) {
	raw, err := os.ReadFile(filepath.Join(l.Dir, "audit", "management.log"))
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Verb           string
			User           struct{ Username string }
			ObjectRef      *struct{ Resource, Namespace, Name, APIGroup string }
			ResponseStatus struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			continue // the last line may be half written
		}
		if event.User.Username != user || event.ObjectRef == nil {
			continue
		}
		right := Right{event.Verb, event.ObjectRef.APIGroup, event.ObjectRef.Resource, event.ObjectRef.Namespace, event.ObjectRef.Name}
		if nameless(right.Verb) {
			right.Name = ""
		}
		if event.ResponseStatus.Code == http.StatusForbidden {
			refused = once(refused, right)
		} else {
			used = once(used, right)
		}
	}
	return used, refused, lines.Err()
}

func once(rights []Right, right Right) []Right {
	if slices.Contains(rights, right) {
		return rights
	}
	return append(rights, right)
}
