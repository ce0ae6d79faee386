package drift

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
)

// A value of the file equals the stored one if rke would have stored it so.
func TestSame(t *testing.T) {
	text := func(s string) any { return configtree.Text(s) }
	tree := func(key string, v any) map[string]any { return map[string]any{key: v} }
	for name, tt := range map[string]struct {
		file, state any
		want        bool
	}{
		"a text":                   {text("a"), "a", true},
		"another":                  {text("a"), "b", false},
		"nothing, and nothing":     {nil, nil, true},
		"nothing, and an empty":    {nil, "", true},
		"nothing, and a text":      {nil, "a", false},
		"nothing, and no":          {nil, false, false},
		"a list":                   {[]any{text("a"), text("b")}, []any{"a", "b"}, true},
		"in another order":         {[]any{text("a"), text("b")}, []any{"b", "a"}, false},
		"a shorter one":            {[]any{text("a")}, []any{"a", "b"}, false},
		"an empty list, none":      {[]any{}, nil, true},
		"a list, and a text":       {[]any{text("a")}, "a", false},
		"an empty list and a text": {[]any{}, "a", false},
		"a mapping":                {tree("a", text("1")), tree("a", "1"), true},
		"another value of it":      {tree("a", text("1")), tree("a", "2"), false},
		"another key of it":        {tree("a", text("1")), tree("b", "1"), false},
		"one key more is stored":   {tree("a", text("1")), map[string]any{"a": "1", "b": "2"}, false},
		"a key that is null":       {tree("a", nil), tree("b", nil), false},
		"an empty mapping, none":   {map[string]any{}, nil, true},
		"an empty mapping, a text": {map[string]any{}, "a", false},
		"a mapping, and none":      {tree("a", text("1")), nil, false},
		"what no file has":         {1, 1, false},
	} {
		if got := same(tt.file, tt.state); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestNothing(t *testing.T) {
	text := func(s string) any { return configtree.Text(s) }
	for name, tt := range map[string]struct {
		v    any
		want bool
	}{
		"null": {nil, true}, "an empty text": {text(""), true}, "false": {text("false"), true}, "no": {text("no"), true}, "zero": {text("0"), true}, "zero, otherwise": {text("0.0"), true},
		"true": {text("true"), false}, "one": {text("1"), false}, "a text": {text("a"), false}, "an empty list": {[]any{}, true}, "a list": {[]any{nil}, false},
		"an empty mapping": {map[string]any{}, true}, "one of nothing": {map[string]any{"a": nil, "b": text("false")}, true}, "one of something": {map[string]any{"a": nil, "b": text("x")}, false}, "what no file has": {1, false},
	} {
		if got := nothing(tt.v); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Covers empty values and zeros that rke replaces by its own defaults.
func TestByDefault(t *testing.T) {
	text := func(s string) any { return configtree.Text(s) }
	for name, tt := range map[string]struct {
		path string
		v    any
		want bool
	}{
		"null": {"a", nil, true}, "an empty text": {"a", text(""), true}, "a text": {"a", text("b"), false}, "an empty list": {"a", []any{}, true}, "a list": {"a", []any{nil}, false},
		"an empty mapping": {"a", map[string]any{}, true}, "a mapping": {"a", map[string]any{"b": nil}, false}, "zero": {"ingress.http_port", text("0"), true}, "zero elsewhere": {"a", text("0"), false},
		"a number": {"ingress.http_port", text("1"), false}, "no number": {"ingress.http_port", text("x"), false}, "what no file has": {"a", 0, false},
	} {
		if got := byDefault(tt.path, tt.v); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
