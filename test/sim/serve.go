package sim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// call is one parsed request.
type call struct {
	method      string
	kind        kind
	namespace   string
	name        string
	subresource string
	query       map[string][]string
	accept      string
	contentType string
	body        []byte
}

// writes reports whether the call can cause a permanent change.
func (c call) writes() bool {
	if c.method == http.MethodGet || strings.HasSuffix(c.kind.plural, "accessreviews") {
		return false
	}
	return len(c.query["dryRun"]) == 0
}

var apiPath = regexp.MustCompile(`^/(?:api/(v1)|apis/([^/]+)/([^/]+))/(?:namespaces/([^/]+)/([^/]+)|([^/]+))(?:/([^/]+))?(?:/([^/]+))?$`)

// parse parses a request. It returns false if the request concerns no object.
func (s *server) parse(req *http.Request, body []byte) (call, bool) {
	c := call{method: req.Method, query: req.URL.Query(), accept: req.Header.Get("Accept"),
		contentType: req.Header.Get("Content-Type"), body: body}
	m := apiPath.FindStringSubmatch(req.URL.Path)
	if m == nil {
		return c, false
	}
	group, version, plural := m[2], m[1]+m[3], m[5]+m[6]
	c.namespace, c.name, c.subresource = m[4], m[7], m[8]
	if plural == "status" || plural == "finalize" { // subresource of a namespace
		c.namespace, plural, c.name, c.subresource = "", "namespaces", m[4], plural
	}
	// /namespaces/x reads as the resource "namespaces" with a name.
	for _, k := range append(s.kinds, reviews...) {
		if k.group == group && k.version == version && k.plural == plural {
			c.kind = k
			return c, true
		}
	}
	return c, false
}

// answer is the server's response.
type answer struct {
	code int
	body []byte
}

func refuse(err *apierrors.StatusError) answer {
	status := err.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	return answer{int(status.Code), must(json.Marshal(status))}
}

func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

func (a answer) response(req *http.Request) *http.Response {
	return &http.Response{StatusCode: a.code, Status: strconv.Itoa(a.code) + " " + http.StatusText(a.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req}
}

func (c call) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: c.kind.group, Resource: c.kind.plural}
}

// serve answers a call on objects.
func (s *server) serve(c call, now time.Time) answer {
	if strings.HasSuffix(c.kind.plural, "accessreviews") {
		return s.review(c)
	}
	switch {
	case c.method == http.MethodGet && c.name == "":
		return s.list(c)
	case c.method == http.MethodGet:
		found, ok := s.objects[c.key()]
		if !ok {
			return refuse(apierrors.NewNotFound(c.groupResource(), c.name))
		}
		return answer{http.StatusOK, c.shape(found)}
	case c.method == http.MethodPost:
		return s.create(c, now)
	case c.method == http.MethodPut, c.method == http.MethodPatch:
		return s.change(c, now)
	case c.method == http.MethodDelete && c.name != "":
		return s.delete(c, now)
	}
	return refuse(apierrors.NewMethodNotSupported(c.groupResource(), c.method))
}

func (c call) key() key { return key{c.kind.resource(), c.namespace, c.name} }

// shape returns an object in the form that the caller accepts: whole, or only its metadata.
func (c call) shape(found stored) []byte {
	if !strings.Contains(c.accept, "as=PartialObjectMetadata") {
		return found.raw
	}
	return must(json.Marshal(partialObject(found.body)))
}

func partialObject(body object) object {
	return object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": body["metadata"]}
}

func (s *server) list(c call) answer {
	one := func(name string) string {
		if v := c.query[name]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	byLabel, err := labels.Parse(one("labelSelector"))
	if err != nil {
		return refuse(apierrors.NewBadRequest(err.Error()))
	}
	byField, err := fields.ParseSelector(one("fieldSelector"))
	if err != nil {
		return refuse(apierrors.NewBadRequest(err.Error()))
	}
	items := []json.RawMessage{}
	for _, k := range s.keys(c.kind.resource(), c.namespace) {
		found := s.objects[k]
		if !byLabel.Matches(labels.Set(stringsOf(at(found.body, "metadata", "labels")))) || !byField.Matches(fieldsOf(found.body)) {
			continue
		}
		items = append(items, c.shape(found))
	}
	kind, apiVersion := c.kind.name+"List", c.kind.apiVersion()
	if strings.Contains(c.accept, "as=PartialObjectMetadata") {
		kind, apiVersion = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	return answer{http.StatusOK, must(json.Marshal(map[string]any{"kind": kind, "apiVersion": apiVersion,
		"metadata": object{"resourceVersion": strconv.FormatInt(s.revision, 10)}, "items": items}))}
}

func stringsOf(v any) map[string]string {
	m, _ := v.(object)
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k], _ = v.(string)
	}
	return out
}

func fieldsOf(o object) fields.Set {
	return fields.Set{
		"metadata.name": text(o, "metadata", "name"), "metadata.namespace": text(o, "metadata", "namespace"),
		"spec.nodeName": text(o, "spec", "nodeName"), "status.phase": text(o, "status", "phase"), "type": text(o, "type"),
		"involvedObject.name": text(o, "involvedObject", "name"), "involvedObject.kind": text(o, "involvedObject", "kind"),
	}
}

// decode parses the body as an object in any encoding.
func (c call) decode() (object, error) {
	if strings.Contains(c.contentType, "protobuf") {
		typed, _, err := scheme.Codecs.UniversalDeserializer().Decode(c.body, nil, nil)
		if err != nil {
			return nil, err
		}
		made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if err != nil {
			return nil, err
		}
		return plain(made).(object), nil
	}
	if !json.Valid(c.body) {
		return nil, apierrors.NewBadRequest("no JSON")
	}
	body, ok := decoded(c.body).(object)
	if !ok {
		return nil, apierrors.NewBadRequest("no object")
	}
	return body, nil
}

// deleteOptions returns the options in the body, if any.
func (c call) deleteOptions() metav1.DeleteOptions {
	var options metav1.DeleteOptions
	if len(c.body) > 0 {
		if strings.Contains(c.contentType, "protobuf") {
			_, _, _ = scheme.Codecs.UniversalDeserializer().Decode(c.body, nil, &options)
		} else {
			_ = json.Unmarshal(c.body, &options)
		}
	}
	return options
}
