package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

func (s *server) create(c call, now time.Time) answer {
	body, err := c.decode()
	if err != nil {
		return refuse(apierrors.NewBadRequest(err.Error()))
	}
	meta := mapAt(body, "metadata")
	if name := text(meta, "name"); name == "" {
		meta["name"] = fmt.Sprintf("%s%05d", text(meta, "generateName"), s.uids+1)
	}
	if c.namespace != "" {
		meta["namespace"] = c.namespace
		if s.peek("namespaces", "", c.namespace) == nil {
			return refuse(apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, c.namespace))
		}
	}
	c.name = text(meta, "name")
	if _, exists := s.objects[c.key()]; exists {
		return refuse(apierrors.NewAlreadyExists(c.groupResource(), c.name))
	}
	delete(body, "status")
	body["apiVersion"], body["kind"] = c.kind.apiVersion(), c.kind.name
	if c.kind.plural == "secrets" {
		moveStringData(body)
	}
	if !c.writes() {
		return answer{http.StatusCreated, must(json.Marshal(body))}
	}
	return answer{http.StatusCreated, must(json.Marshal(s.put(c.kind.resource(), body, now)))}
}

func (s *server) change(c call, now time.Time) answer {
	old := s.get(c.kind.resource(), c.namespace, c.name)
	if old == nil {
		return refuse(apierrors.NewNotFound(c.groupResource(), c.name))
	}
	next, refused := s.next(c, old)
	if refused != nil {
		return refuse(refused)
	}
	meta := mapAt(next, "metadata")
	meta["name"] = c.name
	if c.namespace != "" {
		meta["namespace"] = c.namespace
	}
	if v := text(meta, "resourceVersion"); v != "" && v != text(old, "metadata", "resourceVersion") {
		return refuse(apierrors.NewConflict(c.groupResource(), c.name, fmt.Errorf("the object has been modified")))
	}
	if uid := text(meta, "uid"); uid != "" && uid != text(old, "metadata", "uid") {
		return refuse(apierrors.NewConflict(c.groupResource(), c.name, fmt.Errorf("uid is %s", text(old, "metadata", "uid"))))
	}
	if c.subresource == "status" {
		status := next["status"]
		next = old
		next["status"] = status
	} else if status, ok := old["status"]; ok {
		next["status"] = status
	}
	if c.kind.plural == "secrets" {
		moveStringData(next)
	}
	if !c.writes() {
		return answer{http.StatusOK, must(json.Marshal(next))}
	}
	return answer{http.StatusOK, must(json.Marshal(s.put(c.kind.resource(), next, now)))}
}

// next returns the object that an update or a patch asks for.
func (s *server) next(c call, old object) (object, *apierrors.StatusError) {
	if c.method == http.MethodPut {
		body, err := c.decode()
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		body["apiVersion"], body["kind"] = c.kind.apiVersion(), c.kind.name
		return body, nil
	}
	raw := must(json.Marshal(old))
	var err error
	switch types.PatchType(c.contentType) {
	case types.MergePatchType:
		raw, err = jsonpatch.MergePatch(raw, c.body)
	case types.JSONPatchType:
		var patch jsonpatch.Patch
		if patch, err = jsonpatch.DecodePatch(c.body); err == nil {
			raw, err = patch.Apply(raw)
		}
		if err != nil {
			// kube-apiserver answers a failed test with 422
			// (apiserver:pkg/endpoints/handlers/patch.go).
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "patch", c.groupResource(), c.name, err.Error(), 0, false)
		}
	case types.StrategicMergePatchType:
		var typed runtime.Object
		if typed, err = scheme.Scheme.New(schema.GroupVersionKind{Group: c.kind.group, Version: c.kind.version, Kind: c.kind.name}); err == nil {
			raw, err = strategicpatch.StrategicMergePatch(raw, c.body, typed)
		}
	default:
		return nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", c.groupResource(), c.name, c.contentType, 0, false)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return decoded(raw).(object), nil
}

func (s *server) delete(c call, now time.Time) answer {
	old := s.peek(c.kind.resource(), c.namespace, c.name)
	if old == nil {
		return refuse(apierrors.NewNotFound(c.groupResource(), c.name))
	}
	options := c.deleteOptions()
	if p := options.Preconditions; p != nil {
		if p.UID != nil && string(*p.UID) != text(old, "metadata", "uid") || p.ResourceVersion != nil && *p.ResourceVersion != text(old, "metadata", "resourceVersion") {
			return refuse(apierrors.NewConflict(c.groupResource(), c.name, fmt.Errorf("the precondition does not hold")))
		}
	}
	switch {
	case !c.writes() || len(options.DryRun) > 0:
	case c.kind.plural == pods && (options.GracePeriodSeconds == nil || *options.GracePeriodSeconds > 0):
		pod := s.get(pods, c.namespace, c.name) // its kubelet ends it
		mapAt(pod, "metadata")["deletionTimestamp"] = now.UTC().Format(time.RFC3339)
		s.put(pods, pod, now)
	default:
		s.remove(c.key())
	}
	return answer{http.StatusOK, must(json.Marshal(object{"kind": "Status", "apiVersion": "v1", "status": "Success"}))}
}

// moveStringData converts a Secret's stringData as the API server does.
func moveStringData(secret object) {
	given, ok := secret["stringData"].(object)
	if !ok {
		return
	}
	data := mapAt(secret, "data")
	for k, v := range given {
		data[k] = plain([]byte(v.(string)))
	}
	delete(secret, "stringData")
}
