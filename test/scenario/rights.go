package scenario

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Right is one verb on one object, or on all of a kind if Kubernetes knows no name.
type Right struct{ Verb, Group, Resource, Namespace, Name string }

// String returns a line of a report.
func (r Right) String() string {
	return fmt.Sprintf("%s %s.%s %s/%s", r.Verb, r.Resource, r.Group, r.Namespace, r.Name)
}

// isNameless reports whether rules cannot restrict a verb to a name.
func isNameless(verb string) bool { return verb == "create" || verb == "list" || verb == "watch" }

// Granted returns the rights that the applied roles give a run, one by one.
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

// Requests summarizes one user's requests to the management cluster, by the audit log of its API
// server.
type Requests struct {
	Used, Refused []Right // each once
	All, Denied   int     // number of requests, and of refused ones
}

// Requests returns a user's requests so far.
func (l *Lab) Requests(user string) (Requests, error) {
	var r Requests
	events, err := readAudit(filepath.Join(l.Dir, "audit", "management.log"), time.Time{}, "")
	for _, e := range events {
		if e.User.Username == user {
			r.add(e)
		}
	}
	return r, err
}

// right returns the right that a request needs.
func (e auditEvent) right() Right {
	of := e.ObjectRef
	if of.Resource == "" {
		return Right{Verb: e.Verb, Resource: e.RequestURI}
	}
	right := Right{e.Verb, of.APIGroup, of.Resource, of.Namespace, of.Name}
	if of.Subresource != "" {
		right.Resource += "/" + of.Subresource
	}
	if isNameless(right.Verb) {
		right.Name = ""
	}
	return right
}

// Missed returns the refused requests but those for machine templates. Templates hold user data, so
// the chart does not grant them, and AWSM-316 is skipped (docs/permissions.md).
func (r Requests) Missed() []Right {
	return slices.DeleteFunc(slices.Clone(r.Refused), func(right Right) bool { return right.Resource == "amazonec2configs" })
}

func (r *Requests) add(e auditEvent) {
	if e.Stage != "ResponseStarted" { // a watch is also logged at its end
		r.All++
	}
	switch {
	case e.ResponseStatus.Code == http.StatusForbidden || e.ResponseStatus.Code == http.StatusUnauthorized:
		r.Denied++
		r.Refused = once(r.Refused, e.right())
	case e.ObjectRef.Resource != "":
		r.Used = once(r.Used, e.right())
	}
}

// Idle returns the granted rights without a request. A right without a name or namespace covers
// any.
func (r Requests) Idle(granted []Right) []Right {
	return slices.DeleteFunc(slices.Clone(granted), func(right Right) bool {
		return slices.ContainsFunc(r.Used, func(used Right) bool {
			if right.Name == "" {
				used.Name = ""
			}
			if right.Namespace == "" {
				used.Namespace = ""
			}
			return used == right
		})
	})
}

func once(rights []Right, right Right) []Right {
	if slices.Contains(rights, right) {
		return rights
	}
	return append(rights, right)
}
