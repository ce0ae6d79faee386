package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// object is one API object as decoded JSON; whole numbers are int64.
type object = map[string]any

// key identifies an object; resource is "plural.group", as kubectl writes it.
type key struct{ resource, namespace, name string }

// stored objects are never changed in place, so that a copy of a World is cheap.
type stored struct {
	body object
	raw  []byte
}

// server is the state of one API server.
type server struct {
	name    string
	version string // of Kubernetes
	kinds   []kind
	objects map[key]stored
	// revision is the last resourceVersion, uids the last UID.
	revision, uids int64
	// changes counts changes, except renewals of a lease.
	changes int64
	// watched holds the resources that can be watched: pods, those of the controller, and with
	// ServeWatches those of a recorder.
	watched map[string]bool
	feed    feed
}

func newServer(name, version string, kinds []kind) *server {
	return &server{name: name, version: version, kinds: kinds, objects: map[key]stored{}, revision: 1000, watched: map[string]bool{pods: true}, feed: feed{waiting: map[chan struct{}]bool{}}}
}

func (s *server) clone() *server {
	c := *s
	c.objects = maps.Clone(s.objects)
	c.feed = feed{changes: slices.Clip(s.feed.changes), forgotten: s.feed.forgotten, waiting: map[chan struct{}]bool{}}
	return &c
}

// get returns a copy that the caller may change, or nil.
func (s *server) get(resource, namespace, name string) object {
	found, ok := s.objects[key{resource, namespace, name}]
	if !ok {
		return nil
	}
	return runtime.DeepCopyJSON(found.body)
}

// peek returns the stored object, which callers must not change.
func (s *server) peek(resource, namespace, name string) object {
	return s.objects[key{resource, namespace, name}].body
}

// keys returns the sorted keys of a resource; an empty namespace means all.
func (s *server) keys(resource, namespace string) []key {
	var found []key
	for k := range s.objects {
		if k.resource == resource && (namespace == "" || k.namespace == namespace) {
			found = append(found, k)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		return found[i].namespace+"/"+found[i].name < found[j].namespace+"/"+found[j].name
	})
	return found
}

// put stores an object as the API server would. A new object gets a UID and a time, a changed spec
// a new generation, and every change a new resourceVersion.
func (s *server) put(resource string, o object, now time.Time) object {
	meta := mapAt(o, "metadata")
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	k := key{resource, namespace, name}
	old, exists := s.objects[k]
	if exists {
		was := old.body["metadata"].(object)
		for _, field := range []string{"uid", "creationTimestamp", "generation", "resourceVersion"} {
			meta[field] = was[field]
		}
		if !reflect.DeepEqual(desiredPart(old.body), desiredPart(o)) {
			generation, _ := was["generation"].(int64)
			meta["generation"] = generation + 1
		} else if reflect.DeepEqual(old.body, o) {
			return o
		}
	} else {
		s.uids++
		meta["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids)
		meta["creationTimestamp"] = now.UTC().Format(time.RFC3339)
		meta["generation"] = int64(1)
	}
	s.revision++
	meta["resourceVersion"] = strconv.FormatInt(s.revision, 10)
	if resource != leasesResource || !exists || text(old.body, "spec", "holderIdentity") != text(o, "spec", "holderIdentity") {
		s.changes++
	}
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // decoded JSON always encodes
	}
	s.objects[k] = stored{body: runtime.DeepCopyJSON(o), raw: raw}
	kind := "ADDED"
	if exists {
		kind = "MODIFIED"
	}
	s.record(kind, k, raw)
	return o
}

// desiredPart returns the part of an object that counts for its generation.
func desiredPart(o object) object {
	rest := maps.Clone(o)
	delete(rest, "metadata")
	delete(rest, "status")
	return rest
}

func (s *server) remove(k key) {
	if old, ok := s.objects[k]; ok {
		delete(s.objects, k)
		s.revision++
		s.changes++
		s.recordRemoval(k, old.body)
	}
}

// mapAt returns the mapping at path, and creates it if it is missing.
func mapAt(o object, path ...string) object {
	for _, step := range path {
		next, ok := o[step].(object)
		if !ok {
			next = object{}
			o[step] = next
		}
		o = next
	}
	return o
}

// at returns the value at path, or nil.
func at(o object, path ...string) any {
	var v any = o
	for _, step := range path {
		m, ok := v.(object)
		if !ok {
			return nil
		}
		v = m[step]
	}
	return v
}

func text(o object, path ...string) string {
	s, _ := at(o, path...).(string)
	return s
}

func number(o object, path ...string) int64 {
	n, _ := at(o, path...).(int64)
	return n
}

func list(o object, path ...string) []any {
	l, _ := at(o, path...).([]any)
	return l
}

// plain converts a Go value into decoded JSON with whole numbers as int64.
func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return decoded(raw)
}

func decoded(raw []byte) any {
	var v any
	if err := utiljson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
