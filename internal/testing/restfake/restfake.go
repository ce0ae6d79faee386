// Package restfake serves client-go's fake clientset over REST. It is for code that makes its
// own clients from a rest.Config, such as Helm and readers with their own transport. It starts
// no process and opens no port.
//
// It omits rights, preconditions, pages, watches, field selectors, and a server's changes to
// objects. A dry run returns the object that was sent.
package restfake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
)

// Config returns a config whose clients reach the objects of a clientset. The clientset's
// reactors see every request except discovery and dry runs.
func Config(client *fake.Clientset, kubernetes string) *rest.Config {
	return &rest.Config{Host: "http://restfake", Transport: &front{client, kubernetes, kinds()}, QPS: -1}
}

type front struct {
	client  *fake.Clientset
	version string // of Kubernetes
	kinds   map[schema.GroupVersionResource]schema.GroupVersionKind
}

var path = regexp.MustCompile(`^/(?:api/(v1)|apis/([^/]+)/([^/]+))/(?:namespaces/([^/]+)/([^/]+)|([^/]+))(?:/([^/]+))?$`)

// RoundTrip implements http.RoundTripper.
func (f *front) RoundTrip(r *http.Request) (*http.Response, error) {
	found, err := f.answer(r)
	code := http.StatusOK
	if err != nil {
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			return nil, err // a network error
		}
		said := status.Status()
		said.Kind, said.APIVersion = "Status", "v1"
		found, code = said, int(said.Code)
	}
	raw, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw))}, nil
}

func (f *front) answer(r *http.Request) (any, error) {
	if about := f.about(r.URL.Path); about != nil {
		return about, nil
	}
	m := path.FindStringSubmatch(r.URL.Path)
	if m == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, r.URL.Path)
	}
	resource := schema.GroupVersionResource{Group: m[2], Version: m[1] + m[3], Resource: m[5] + m[6]}
	kind, ok := f.kinds[resource]
	if !ok {
		return nil, apierrors.NewNotFound(resource.GroupResource(), m[7])
	}
	found, err := f.call(r, resource, kind, m[4], m[7])
	if err != nil || found == nil {
		return nil, err
	}
	return shaped(r, found, kind)
}

func (f *front) call(r *http.Request, resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace, name string) (runtime.Object, error) {
	body, err := read(r)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet && len(r.URL.Query()["dryRun"]) > 0 {
		return decoded(body)
	}
	var action clienttesting.Action
	switch r.Method {
	case http.MethodGet:
		if name == "" {
			return f.list(r, resource, kind, namespace)
		}
		action = clienttesting.NewGetAction(resource, namespace, name)
	case http.MethodPost, http.MethodPut:
		object, err := decoded(body)
		if err != nil {
			return nil, err
		}
		if action = clienttesting.NewCreateAction(resource, namespace, object); r.Method == http.MethodPut {
			action = clienttesting.NewUpdateAction(resource, namespace, object)
		}
	case http.MethodPatch:
		action = clienttesting.NewPatchAction(resource, namespace, name, types.PatchType(r.Header.Get("Content-Type")), body)
	case http.MethodDelete:
		_, err := f.client.Invokes(clienttesting.NewDeleteAction(resource, namespace, name), &metav1.Status{})
		return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}, err
	}
	zero, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	return f.client.Invokes(action, zero)
}

func (f *front) list(r *http.Request, resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace string) (runtime.Object, error) {
	zero, err := scheme.Scheme.New(listOf(kind))
	if err != nil {
		return nil, err
	}
	all, err := f.client.Invokes(clienttesting.NewListAction(resource, kind, namespace, metav1.ListOptions{}), zero)
	if err != nil {
		return nil, err
	}
	wanted, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	items, err := meta.ExtractList(all)
	if err != nil {
		return nil, err
	}
	all = all.DeepCopyObject()
	return all, meta.SetList(all, slices.DeleteFunc(items, func(o runtime.Object) bool {
		of, err := meta.Accessor(o)
		return err != nil || !wanted.Matches(labels.Set(of.GetLabels()))
	}))
}

func listOf(kind schema.GroupVersionKind) schema.GroupVersionKind {
	return kind.GroupVersion().WithKind(kind.Kind + "List")
}

func read(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }()
	return io.ReadAll(r.Body)
}

func decoded(body []byte) (runtime.Object, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return object, nil
}

// shaped returns an object with its kind, or only its metadata if the request asks for that.
func shaped(r *http.Request, found runtime.Object, kind schema.GroupVersionKind) (any, error) {
	if _, is := found.(*metav1.Status); is {
		return found, nil
	}
	if meta.IsListType(found) {
		kind = listOf(kind)
	}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(found)
	if err != nil {
		return nil, err
	}
	raw["kind"], raw["apiVersion"] = kind.Kind, kind.GroupVersion().String()
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
		thin(raw)
	}
	return raw, nil
}

func thin(raw map[string]any) {
	items, list := raw["items"].([]any)
	if raw["apiVersion"], raw["kind"] = "meta.k8s.io/v1", "PartialObjectMetadata"; list {
		raw["kind"] = "PartialObjectMetadataList"
	}
	for _, item := range items {
		thin(item.(map[string]any))
	}
	for field := range raw {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "items"}, field) {
			delete(raw, field)
		}
	}
}

// about answers requests for version, discovery, and the part of OpenAPI that Helm reads.
func (f *front) about(at string) any {
	switch at {
	case "/version":
		return version.Info{Major: "1", Minor: "26", GitVersion: f.version}
	case "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case "/apis":
		return groups()
	case "/openapi/v3":
		paths := map[string]any{}
		for _, gv := range groupVersions() {
			paths[strings.TrimPrefix(root(gv), "/")] = map[string]any{"serverRelativeURL": at + root(gv)}
		}
		return map[string]any{"paths": paths}
	}
	for _, gv := range groupVersions() {
		switch at {
		case root(gv):
			return f.resources(gv)
		case "/openapi/v3" + root(gv):
			return f.openAPI(gv)
		}
	}
	return nil
}

// openAPI returns a schema in which the server itself validates the fields of each kind.
func (f *front) openAPI(gv schema.GroupVersion) any {
	paths := map[string]any{}
	for resource, kind := range f.kinds {
		if kind.GroupVersion() == gv {
			paths[root(gv)+"/"+resource.Resource+"/{name}"] = map[string]any{"patch": map[string]any{
				"parameters":                      []any{map[string]any{"name": "fieldValidation", "in": "query", "schema": map[string]any{"type": "string"}}},
				"x-kubernetes-group-version-kind": map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
			}}
		}
	}
	return map[string]any{"openapi": "3.0.0", "info": map[string]any{"title": "Kubernetes", "version": "1"}, "paths": paths}
}

func root(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

// groupVersions returns the groups of discovery. Objects of other groups are served, too.
func groupVersions() []schema.GroupVersion {
	return []schema.GroupVersion{{Version: "v1"}, {Group: "apps", Version: "v1"}, {Group: "batch", Version: "v1"},
		{Group: "coordination.k8s.io", Version: "v1"}, {Group: "rbac.authorization.k8s.io", Version: "v1"}, {Group: "storage.k8s.io", Version: "v1"}}
}

func groups() metav1.APIGroupList {
	all := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, gv := range groupVersions()[1:] {
		one := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		all.Groups = append(all.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{one}, PreferredVersion: one})
	}
	return all
}

func (f *front) resources(gv schema.GroupVersion) metav1.APIResourceList {
	all := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	global := []string{"Node", "Namespace", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "StorageClass", "CSINode"}
	for resource, kind := range f.kinds {
		if kind.GroupVersion() != gv {
			continue
		}
		all.APIResources = append(all.APIResources, metav1.APIResource{Name: resource.Resource, Kind: kind.Kind,
			Namespaced: !slices.Contains(global, kind.Kind), Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update"}})
	}
	return all
}

// kinds returns the kinds of the clientset's scheme that have a list, and the reviews.
func kinds() map[schema.GroupVersionResource]schema.GroupVersionKind {
	all := map[schema.GroupVersionResource]schema.GroupVersionKind{}
	known := scheme.Scheme.AllKnownTypes()
	for kind := range known {
		if _, listed := known[listOf(kind)]; listed || strings.HasSuffix(kind.Kind, "AccessReview") {
			resource, _ := meta.UnsafeGuessKindToResource(kind)
			all[resource] = kind
		}
	}
	return all
}
