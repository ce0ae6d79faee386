package migration

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// oneObject fakes an API server with one object. It implements only Get and Patch.
type oneObject struct {
	dynamic.ResourceInterface
	object  map[string]any
	version int
	before  func(try int) // called before each patch
	patches int
}

func (o *oneObject) change(value, status string) {
	o.version++
	o.object = map[string]any{"metadata": map[string]any{"name": "demo", "resourceVersion": strconv.Itoa(o.version)}, "spec": map[string]any{"value": value}, "status": status}
}

func (o *oneObject) Get(context.Context, string, metav1.GetOptions, ...string) (*unstructured.Unstructured, error) {
	return (&unstructured.Unstructured{Object: o.object}).DeepCopy(), nil
}

func (o *oneObject) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*unstructured.Unstructured, error) {
	if o.patches++; o.before != nil {
		o.before(o.patches)
	}
	raw, err := json.Marshal(o.object)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(data)
	if err == nil {
		raw, err = patch.Apply(raw)
	}
	if err != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Cluster"}, name, nil)
	}
	var next map[string]any
	if err := json.Unmarshal(raw, &next); err != nil {
		return nil, err
	}
	o.change(next["spec"].(map[string]any)["value"].(string), next["status"].(string))
	return nil, nil
}

func TestPatchRead_objectChanged_retriesOrFails(t *testing.T) {
	const edit = `[{"op":"test","path":"/spec/value","value":"old"},{"op":"replace","path":"/spec/value","value":"new"}]`
	for name, tt := range map[string]struct {
		before  func(o *oneObject, try int)
		lands   bool
		patches int
	}{
		"nothing changed":       {func(*oneObject, int) {}, true, 1},
		"status changed":        {func(o *oneObject, try int) { changeStatus(o, try, 1) }, true, 2},
		"status keeps changing": {func(o *oneObject, try int) { changeStatus(o, try, 100) }, false, maxPatchTries},
		"value changed":         {func(o *oneObject, _ int) { changeValue(o) }, false, 2},
	} {
		o := &oneObject{}
		o.change("old", "")
		o.before = func(try int) { tt.before(o, try) }
		err := PatchRead(t.Context(), o, "demo", "1", []byte(edit))
		if landed := valueOf(o.object) == "new"; landed != tt.lands || (err == nil) != tt.lands || o.patches != tt.patches {
			t.Errorf("%s: %v, %d patches, the value is %q", name, err, o.patches, valueOf(o.object))
		}
	}
}

func changeStatus(o *oneObject, try, upTo int) {
	if try <= upTo {
		o.change(valueOf(o.object), strconv.Itoa(try))
	}
}

// A delayed patch arrives after an undo has restored the same values.
func TestPatchThatWasHeldBackDoesNotLandAfterAnUndo(t *testing.T) {
	late := &oneObject{}
	late.change("old", "")
	held, err := onVersion([]byte(`[{"op":"test","path":"/spec/value","value":"old"},{"op":"replace","path":"/spec/value","value":"new"}]`), "1")
	if err != nil {
		t.Fatal(err)
	}
	late.change("new", "") // another run's edit
	late.change("old", "") // its undo
	if _, err := late.Patch(t.Context(), "demo", types.JSONPatchType, held, metav1.PatchOptions{}); !apierrors.IsInvalid(err) || valueOf(late.object) != "old" {
		t.Errorf("it landed: %v, %v", err, late.object)
	}
}

func valueOf(o map[string]any) string { return o["spec"].(map[string]any)["value"].(string) }

// changeValue changes the value once. The second patch then fails at its own test.
func changeValue(o *oneObject) {
	if valueOf(o.object) == "old" {
		o.change("another", "")
	}
}

// Without a version, or without operations, a patch stays the same. An invalid patch is an
// error.
func TestOnVersion_patch_testAdded(t *testing.T) {
	const test = `{"op":"test","path":"/metadata/resourceVersion","value":"7"}`
	for name, tt := range map[string]struct {
		version, patch, want string
		fails                bool
	}{
		"one operation": {"7", `[{"op":"remove","path":"/a"}]`, `[` + test + `,{"op":"remove","path":"/a"}]`, false},
		"two":           {"7", ` [{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}]`, `[` + test + `,{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}]`, false},
		"none":          {"7", `[]`, `[]`, false},
		"no version":    {"", `[{"op":"remove","path":"/a"}]`, `[{"op":"remove","path":"/a"}]`, false},
		"no patch":      {"7", `{`, "", true},
	} {
		got, err := onVersion([]byte(tt.patch), tt.version)
		if (err != nil) != tt.fails || !tt.fails && string(got) != tt.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	o := &oneObject{}
	o.change("old", "")
	if err := PatchRead(t.Context(), o, "demo", "1", []byte("{")); err == nil || o.patches != 0 {
		t.Errorf("%v, %d patches", err, o.patches)
	}
}
