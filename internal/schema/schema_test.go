package schema

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type state string

type base struct {
	Kind string `json:"kind"`
}

type leaf struct {
	At    time.Time       `json:"at"`
	State state           `json:"state,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	Kids  []leaf          `json:"kids,omitempty"`
}

type sample struct {
	base
	Count  int            `json:"count"`
	Share  float64        `json:"share,omitempty"`
	List   []string       `json:"list"`
	Map    map[state]leaf `json:"map,omitempty"`
	Leaf   *leaf          `json:"leaf"`
	Any    any            `json:"any,omitempty"`
	Hidden func()         `json:"-"`
	inner  int
}

func TestOf(t *testing.T) {
	_ = sample{}.inner
	g := Generator{Enums: map[reflect.Type][]string{reflect.TypeFor[state](): {"a", "b"}},
		Comments: map[string]string{Key("github.com/awsmigrate/awsmigrate/internal/schema", "sample", "Count"): "how many"},
		Consts:   map[string]string{"kind": "Sample"}}
	text, err := g.Of("Sample", sample{})
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte(`{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Sample", "type": "object", "additionalProperties": false,
	"required": ["kind", "count", "list", "leaf"],
	"properties": {
		"kind": {"const": "Sample"},
		"count": {"type": "integer", "description": "how many"},
		"share": {"type": "number"},
		"list": {"type": "array", "items": {"type": "string"}},
		"map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/leaf"}},
		"leaf": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"type": "null"}]},
		"any": {}
	},
	"$defs": {"leaf": {"type": "object", "additionalProperties": false, "required": ["at"], "properties": {
		"at": {"type": "string", "format": "date-time"},
		"state": {"type": "string", "enum": ["a", "b"]},
		"raw": {},
		"kids": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}
	}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestOfRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		document any
		consts   map[string]string
	}{
		"no struct":    {document: 3},
		"nothing":      {},
		"no json name": {document: struct{ A int }{}},
		"unknown type": {document: struct {
			A chan int `json:"a"`
		}{}},
		"const of no property": {document: base{}, consts: map[string]string{"colour": "red"}},
	} {
		if _, err := (Generator{Consts: tt.consts}).Of("x", tt.document); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
