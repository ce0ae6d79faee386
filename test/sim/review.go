package sim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var reviews = []kind{
	{"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", true},
	{"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", true},
}

// review answers by the RBAC objects; the user of awsmigrate may do everything.
func (s *server) review(c call) answer {
	body, err := c.decode()
	if err != nil {
		return refuse(apierrors.NewBadRequest(err.Error()))
	}
	spec := mapAt(body, "spec")
	allowed := c.kind.plural == "selfsubjectaccessreviews"
	if !allowed {
		allowed = s.allowed(text(spec, "user"), mapAt(spec, "resourceAttributes"))
	}
	body["status"] = object{"allowed": allowed}
	body["apiVersion"], body["kind"] = c.kind.apiVersion(), c.kind.name
	return answer{http.StatusCreated, must(json.Marshal(body))}
}

// allowed reports whether a role that is bound to the user grants the request.
func (s *server) allowed(user string, asked object) bool {
	const group = ".rbac.authorization.k8s.io"
	namespace := text(asked, "namespace")
	for _, k := range s.keys("clusterrolebindings"+group, "") {
		binding := s.objects[k].body
		if bindsTo(binding, user) && grants(s.peek("clusterroles"+group, "", text(binding, "roleRef", "name")), asked) {
			return true
		}
	}
	if namespace == "" {
		return false
	}
	for _, k := range s.keys("rolebindings"+group, namespace) {
		binding := s.objects[k].body
		if !bindsTo(binding, user) {
			continue
		}
		name, in := text(binding, "roleRef", "name"), namespace
		resource := "roles" + group
		if text(binding, "roleRef", "kind") == "ClusterRole" {
			resource, in = "clusterroles"+group, ""
		}
		if grants(s.peek(resource, in, name), asked) {
			return true
		}
	}
	return false
}

func bindsTo(binding object, user string) bool {
	for _, one := range list(binding, "subjects") {
		subject := one.(object)
		name := text(subject, "name")
		if text(subject, "kind") == "ServiceAccount" {
			name = "system:serviceaccount:" + text(subject, "namespace") + ":" + name
		}
		if name == user {
			return true
		}
	}
	return false
}

func grants(role object, asked object) bool {
	resource := text(asked, "resource")
	if sub := text(asked, "subresource"); sub != "" {
		resource += "/" + sub
	}
	for _, one := range list(role, "rules") {
		rule := one.(object)
		if has(rule, "verbs", text(asked, "verb")) && has(rule, "apiGroups", text(asked, "group")) && has(rule, "resources", resource) &&
			(len(list(rule, "resourceNames")) == 0 || has(rule, "resourceNames", text(asked, "name"))) {
			return true
		}
	}
	return false
}

func has(rule object, field, wanted string) bool {
	return slices.ContainsFunc(list(rule, field), func(v any) bool { return v == wanted || v == "*" || strings.HasSuffix(wanted, "/*") })
}
