package bounded

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
)

func TestCheckJSON_valuesCounted(t *testing.T) {
	for text, values := range map[string]int{
		`1`: 1, `"a,[{"`: 1, `[]`: 1, `[ ]`: 1, `{}`: 1, `[1]`: 2, `[[],[]]`: 3, `{"a":1}`: 2, `{"a":{},"b":[1, 2 ,{"c":"d"}]}`: 7,
		`["\"", "\\", ","]`: 4, "[\n1,\t2\n]": 3, `[{"a":null},{"a":true}]`: 5,
	} {
		if err := (Limits{Bytes: 100, Values: values}).CheckJSON([]byte(text)); err != nil {
			t.Errorf("%s: %v, wanted %d values", text, err, values)
		}
		if err := (Limits{Bytes: 100, Values: values - 1}).CheckJSON([]byte(text)); values > 1 && !Exceeded(err) {
			t.Errorf("%s: accepted as %d values", text, values-1)
		}
	}
}

func TestCheckJSON_beyondLimits_error(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("a", 11): "10 bytes", "[1,2,3,4]": "3 values",
	} {
		if err := (Limits{Bytes: 10, Values: 3}).CheckJSON([]byte(text)); err == nil || err.Error() != "has more than "+want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := (Limits{Bytes: 1000, Values: 1000}).CheckJSON([]byte(strings.Repeat("[", 200))); !Exceeded(err) {
		t.Errorf("200 levels: %v", err)
	}
}

func TestDecodeJSON_withinLimits_decodes(t *testing.T) {
	var into struct{ A []int }
	if err := (Limits{Bytes: 20, Values: 5}).DecodeJSON([]byte(`{"a":[1,2,3]}`), &into); err != nil || len(into.A) != 3 {
		t.Error(into, err)
	}
	if err := (Limits{Bytes: 20, Values: 5}).DecodeJSON([]byte(`{"a"`), &into); err == nil || Exceeded(err) {
		t.Error(err)
	}
}

func TestCheckYAML_aliasesExpanded(t *testing.T) {
	bomb := "a: &a [x" + strings.Repeat(", x", 8) + "]\n"
	for _, next := range []string{"b", "c", "d", "e", "f"} {
		before := string(next[0] - 1)
		bomb += next + ": &" + next + " [*" + before + strings.Repeat(", *"+before, 8) + "]\n"
	}
	for name, tt := range map[string]struct {
		text     string
		exceeded bool
	}{
		"plain":                    {"a: 1\nb: [1, 2]\n", false},
		"alias":                    {"a: &a {x: 1}\nb: *a\n", false},
		"glob":                     {"a: '*'\n", false},
		"aliases of aliases":       {bomb, true},
		"alias of itself":          {"a: &a [*a]\n", true},
		"second document":          {"a: 1\n---\n" + bomb, true},
		"list in one line":         {"[" + strings.Repeat("{},", 2000) + "]", true},
		"nested lists in one line": {strings.Repeat("- ", 2000) + "x", true},
		"many lines":               {strings.Repeat("-\n", 2000), true},
		"bytes":                    {strings.Repeat("a", 100_000), true},
		"invalid YAML":             {"a: [*", false},
		"unknown alias":            {"a: *b", false},
	} {
		if err := (Limits{Bytes: 50_000, Values: 1000}).CheckYAML([]byte(tt.text)); Exceeded(err) != tt.exceeded || err != nil && !tt.exceeded {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGunzip_bomb_error(t *testing.T) {
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	for range 64 {
		if _, err := out.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	used := faulty.Allocated(func() { _, err = Limits{Bytes: 1 << 20}.Gunzip(packed.Bytes()) })
	if !Exceeded(err) || used > 8<<20 {
		t.Errorf("%d MB, %v", used>>20, err)
	}
	if text, err := (Limits{Bytes: 64 << 20}).Gunzip(packed.Bytes()); err != nil || len(text) != 64<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := (Limits{Bytes: 64 << 20}).Gunzip(packed.Bytes()[:packed.Len()/2]); err == nil || Exceeded(err) {
		t.Errorf("truncated: %v", err)
	}
}

func TestReadFile_endlessFile_error(t *testing.T) {
	if _, err := (Limits{Bytes: 1 << 20}).ReadFile("/dev/zero"); !Exceeded(err) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := (Limits{Bytes: 5}).ReadFile(path); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
}

// The count is exact for JSON. Decoding a document within the limits needs memory in
// proportion to its size.
func FuzzCheckJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"c"}]}`, `[[],{},""]`, `"\\\""`, ` [ 1 , 2 ] `, strings.Repeat("[", 101)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var decoded any
		err := (Limits{Bytes: 1 << 20, Values: 1000}).DecodeJSON(text, &decoded)
		if err != nil {
			return
		}
		if n := countValues(decoded); n > 1000 {
			t.Errorf("%d values were accepted", n)
		}
		used := faulty.Allocated(func() { var decoded any; _ = json.Unmarshal(text, &decoded) })
		if used > uint64(1<<20+4*len(text)) {
			t.Errorf("%d bytes for a text of %d", used, len(text))
		}
	})
}

func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += countValues(e)
		}
	case map[string]any:
		for _, e := range v {
			n += countValues(e)
		}
	}
	return n
}

func FuzzCheckYAML(f *testing.F) {
	for _, text := range []string{"a: &a [1, 2]\nb: [*a, *a]\n", "- - - x\n", "? a\n: b\n", "{a, b: c}", "a: |\n x\n y\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var document yaml.Node
		limits := Limits{Bytes: 1 << 16, Values: 200}
		if limits.CheckYAML(text) != nil || yaml.Unmarshal(text, &document) != nil {
			return
		}
		if n := countNodes(&document); n > 2*limits.Values+2 {
			t.Errorf("%d nodes were accepted", n)
		}
	})
}

// countNodes returns the number of nodes, keys included, with aliases expanded.
func countNodes(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		return countNodes(n.Alias)
	}
	count := 1
	for _, child := range n.Content {
		count += countNodes(child)
	}
	return count
}
