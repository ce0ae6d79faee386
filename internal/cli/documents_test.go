package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func validator(t *testing.T) func(document any) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled := map[string]*jsonschema.Schema{}
	for kind := range Documents() {
		text, err := jsonschema.UnmarshalJSON(strings.NewReader(readDoc(t, "docs/schema/"+kind+".json")))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(kind+".json", text); err != nil {
			t.Fatal(err)
		}
		if compiled[kind], err = compiler.Compile(kind + ".json"); err != nil {
			t.Fatalf("docs/schema/%s.json: %v", kind, err)
		}
	}
	return func(document any) error {
		text, err := json.Marshal(document)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		kind, _ := value.(map[string]any)["kind"].(string)
		if compiled[kind] == nil {
			t.Fatalf("there is no schema of kind %q", kind)
		}
		return compiled[kind].Validate(value)
	}
}

// TestGoldenDocumentsAreValid holds every golden document to the schema of its
// kind, and makes sure that every kind was seen.
func TestGoldenDocumentsAreValid(t *testing.T) {
	valid, seen := validator(t), map[string]bool{}
	check := func(name string, text []byte) {
		var document map[string]any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kind, _ := document["kind"].(string)
		seen[kind] = true
		if err := valid(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch format := filepath.Ext(strings.TrimSuffix(file, ".golden")); format {
		case ".json", ".yaml":
			check(file, text)
		case ".jsonl":
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				check(file, []byte(line))
			}
		}
	}
	version, err := json.Marshal(readVersion())
	if err != nil {
		t.Fatal(err)
	}
	check("version", version)
	for kind := range Documents() {
		if !seen[kind] {
			t.Errorf("no golden document is of kind %s", kind)
		}
	}
}

// A schema that accepts everything would pass the test above.
func TestSchemasRefuse(t *testing.T) {
	valid := validator(t)
	good := func() map[string]any {
		return map[string]any{"apiVersion": view.APIVersion, "kind": "Error", "code": 3, "message": "x"}
	}
	if err := valid(view.NewErrorDocument(&fault.Error{Class: fault.Check})); err != nil {
		t.Fatal(err)
	}
	for name, bend := range map[string]func(map[string]any){
		"unknown field":    func(d map[string]any) { d["colour"] = "red" },
		"missing field":    func(d map[string]any) { delete(d, "message") },
		"wrong type":       func(d map[string]any) { d["code"] = "3" },
		"wrong apiVersion": func(d map[string]any) { d["apiVersion"] = "v2" },
		"wrong item":       func(d map[string]any) { d["also"] = []any{map[string]any{"sen": "x"}} },
	} {
		document := good()
		bend(document)
		if valid(document) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A document in which nothing is set, and one in which every list has one such
// item, hold no null: no schema allows one.
func TestNoDocumentHoldsNull(t *testing.T) {
	for kind, document := range Documents() {
		for name, value := range map[string]any{"empty": document, "one of each": oneOfEach(reflect.TypeOf(document), 0).Interface()} {
			for _, format := range []string{"json", "jsonl", "yaml"} {
				var out bytes.Buffer
				if err := view.WriteDocument(&out, format, value); err != nil {
					t.Fatal(err)
				}
				var read any
				if err := yaml.Unmarshal(out.Bytes(), &read); err != nil {
					t.Fatal(err)
				}
				for _, path := range nulls(read, kind) {
					t.Errorf("%s, %s: %s is null", name, format, path)
				}
			}
		}
	}
}

// oneOfEach is a value whose lists, maps and pointers hold one item each.
func oneOfEach(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	const deep = 6
	if depth > deep {
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() || t.Field(i).Anonymous && v.Field(i).CanSet() {
				v.Field(i).Set(oneOfEach(t.Field(i).Type, depth+1))
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.Append(v, oneOfEach(t.Elem(), depth+1)))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.Zero(t.Key()), oneOfEach(t.Elem(), depth+1))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(oneOfEach(t.Elem(), depth+1))
	default:
	}
	return v
}

func nulls(v any, path string) []string {
	var found []string
	switch v := v.(type) {
	case nil:
		return []string{path}
	case map[string]any:
		for key, item := range v {
			found = append(found, nulls(item, path+"."+key)...)
		}
	case []any:
		for _, item := range v {
			found = append(found, nulls(item, path+"[]")...)
		}
	}
	return found
}
