package schemas

import (
	"encoding/json"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"text/scanner"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// repository is the root, from this package.
const repository = "../../.."

type base struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

type sample struct {
	base
	At     time.Time         `json:"at"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	P      position.Position `json:"p"`
	State  runner.State      `json:"state"`
	Row    inventory.State   `json:"row,omitempty"`
	Leaf   leaf              `json:"leaf,omitzero"`
	Hidden func()            `json:"-"`
}

type leaf struct {
	Kids []leaf `json:"kids,omitempty"`
}

func commentsBelow(root string) *comments {
	return &comments{root: root, packages: map[string]bool{}, fields: map[string]string{}}
}

func TestOf(t *testing.T) {
	t.Run("types_of_each_kind_described", describesEachKind)
	t.Run("two_structs_of_one_name_refused", func(t *testing.T) {
		_, err := schemaOf("Sample", struct {
			base
			A token.Position   `json:"a"`
			B scanner.Position `json:"b"`
		}{}, commentsBelow(repository))
		if err == nil || !strings.Contains(err.Error(), "have one name") {
			t.Errorf("got %v", err)
		}
	})
}

// describesEachKind has an enum with the name of a struct: without namer the library takes
// one for the other.
func describesEachKind(t *testing.T) {
	text, err := schemaOf("Sample", sample{}, commentsBelow(repository))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Title      string                    `json:"title"`
		Required   []string                  `json:"required"`
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal([]byte(strings.Replace(string(text), `"raw": true`, `"raw": {}`, 1)), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"apiVersion", "kind", "at", "p", "state"}, got.Required); diff != "" || got.Title != "Sample" {
		t.Errorf("title %q, required: want (-), got (+):\n%s", got.Title, diff)
	}
	for name, want := range map[string]map[string]any{
		"kind":  {"const": "Sample"},
		"at":    {"type": "string", "format": "date-time"},
		"raw":   {},
		"p":     {"type": "string"},
		"state": {"$ref": "#/$defs/State"},
		"row":   {"type": "string", "enum": values(names(inventory.States()))},
		"leaf":  {"$ref": "#/$defs/leaf"},
	} {
		if diff := cmp.Diff(want, got.Properties[name]); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", name, diff)
		}
	}
}

func names(states []inventory.State) []string {
	var all []string
	for _, state := range states {
		all = append(all, string(state))
	}
	return all
}

func TestCommentsOf(t *testing.T) {
	for name, tt := range map[string]struct {
		root  string
		typ   reflect.Type
		field string
		found bool
		fails bool
	}{
		"field_of_the_product_found": {root: repository, typ: reflect.TypeFor[runner.Basis](), field: "Cluster", found: true},
		"other_module_empty":         {root: repository, typ: reflect.TypeFor[time.Time](), field: "wall"},
		"type_itself_empty":          {root: repository, typ: reflect.TypeFor[runner.Basis]()},
		"missing_sources_fail":       {root: t.TempDir(), typ: reflect.TypeFor[runner.Basis](), field: "Cluster", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := commentsBelow(tt.root)
			if got := c.of(tt.typ, tt.field); (got != "") != tt.found || (c.err != nil) != tt.fails {
				t.Errorf("got %q, %v", got, c.err)
			}
		})
	}
}
