package sim

import (
	"encoding/json"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// serveMeta answers requests that concern no object: version, discovery, and the part of OpenAPI
// that shows that the server validates fields. It returns nil for an unknown path.
func (s *server) serveMeta(path string) *answer {
	ok := func(v any) *answer { return &answer{http.StatusOK, must(json.Marshal(v))} }
	switch path {
	case "/version":
		return ok(version.Info{Major: "1", Minor: "26", GitVersion: s.version, Platform: "linux/amd64"})
	case "/api":
		return ok(object{"kind": "APIVersions", "versions": []any{"v1"}})
	case "/apis":
		return ok(s.groups())
	case "/openapi/v3":
		paths := object{}
		for _, gv := range s.groupVersions() {
			paths[strings.TrimPrefix(gv, "/")] = object{"serverRelativeURL": "/openapi/v3" + gv}
		}
		return ok(object{"paths": paths})
	}
	if gv, found := strings.CutPrefix(path, "/openapi/v3"); found {
		return ok(s.openAPI(gv))
	}
	for _, gv := range s.groupVersions() {
		if gv == path {
			return ok(s.resources(gv))
		}
	}
	return nil
}

func (k kind) root() string {
	if k.group == "" {
		return "/api/" + k.version
	}
	return "/apis/" + k.group + "/" + k.version
}

func (s *server) groupVersions() []string {
	found := map[string]bool{}
	for _, k := range s.kinds {
		found[k.root()] = true
	}
	return sortedKeys(found)
}

func (s *server) groups() object {
	groups := []any{}
	seen := map[string]bool{"": true}
	for _, k := range s.kinds {
		if seen[k.group] {
			continue
		}
		seen[k.group] = true
		gv := object{"groupVersion": k.apiVersion(), "version": k.version}
		groups = append(groups, object{"name": k.group, "versions": []any{gv}, "preferredVersion": gv})
	}
	return object{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
}

func (s *server) resources(root string) object {
	resources := []any{}
	groupVersion := ""
	for _, k := range s.kinds {
		if k.root() != root {
			continue
		}
		groupVersion = k.apiVersion()
		resources = append(resources, object{"name": k.plural, "singularName": strings.ToLower(k.name), "namespaced": !k.cluster, "kind": k.name,
			"verbs": []any{"create", "delete", "get", "list", "patch", "update"}})
	}
	return object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": resources}
}

func (s *server) openAPI(root string) object {
	paths := object{}
	for _, k := range s.kinds {
		if k.root() != root {
			continue
		}
		paths[root+"/"+k.plural+"/{name}"] = object{"patch": object{
			"parameters":                      []any{object{"name": "fieldValidation", "in": "query", "schema": object{"type": "string"}}},
			"x-kubernetes-group-version-kind": object{"group": k.group, "version": k.version, "kind": k.name},
		}}
	}
	return object{"openapi": "3.0.0", "info": object{"title": "Kubernetes", "version": s.version}, "paths": paths}
}
