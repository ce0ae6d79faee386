// Package schema writes JSON Schemas of Go types, as encoding/json writes them.
//
// It knows the kinds of types that the command line's documents are made of and
// refuses others; it knows nothing of what the documents mean.
package schema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Draft is the dialect of the schemas.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Generator holds what cannot be read from a type.
type Generator struct {
	// Enums are the values of string types that have only so many.
	Enums map[reflect.Type][]string
	// Comments are those of fields, by Key.
	Comments map[string]string
	// Names are those of definitions whose types have another one in Go.
	Names map[reflect.Type]string
	// Consts are values that a property of the document itself always has.
	Consts map[string]string

	defs  map[string]any
	named map[string]reflect.Type // the types behind defs
}

// Key names a field in Comments: the package's path, the type, the Go field.
func Key(pkg, typ, field string) string { return pkg + "." + typ + "." + field }

// Of is the schema of a document.
func (g Generator) Of(title string, document any) ([]byte, error) {
	g.defs, g.named = map[string]any{}, map[string]reflect.Type{}
	t := reflect.TypeOf(document)
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema of %s: %T is no struct", title, document)
	}
	root, err := g.object(t)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", title, err)
	}
	root["$schema"], root["title"] = Draft, title
	properties, _ := root["properties"].(map[string]any)
	for name, value := range g.Consts {
		if _, known := properties[name]; !known {
			return nil, fmt.Errorf("schema of %s: it has no property %q", title, name)
		}
		properties[name] = map[string]any{"const": value}
	}
	if len(g.defs) > 0 {
		root["$defs"] = g.defs
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

func (g Generator) object(t reflect.Type) (map[string]any, error) {
	properties, required := map[string]any{}, []string{}
	if err := g.fields(t, properties, &required); err != nil {
		return nil, err
	}
	object := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		object["required"] = required
	}
	return object, nil
}

// fields adds a struct's fields; those of embedded structs are its own.
func (g Generator) fields(t reflect.Type, properties map[string]any, required *[]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || (!f.IsExported() && !f.Anonymous):
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			if err := g.fields(f.Type, properties, required); err != nil {
				return err
			}
			continue
		case name == "":
			return fmt.Errorf("field %s.%s has no json name", t, f.Name)
		}
		omit := strings.Contains(rest, "omitempty") || strings.Contains(rest, "omitzero")
		property, err := g.of(f.Type, !omit)
		if err != nil {
			return fmt.Errorf("field %s.%s: %w", t, f.Name, err)
		}
		if comment := g.Comments[Key(t.PkgPath(), t.Name(), f.Name)]; comment != "" {
			property["description"] = comment
		}
		properties[name] = property
		if !omit {
			*required = append(*required, name)
		}
	}
	return nil
}

// of is the schema of one value. A pointer that is always written may be null; a
// list or a map is empty then.
func (g Generator) of(t reflect.Type, always bool) (map[string]any, error) {
	if special := g.special(t); special != nil {
		return special, nil
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}, nil
	case reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Interface:
		return map[string]any{}, nil
	case reflect.Slice:
		return g.collection("array", "items", t.Elem())
	case reflect.Map:
		return g.collection("object", "additionalProperties", t.Elem())
	case reflect.Pointer:
		inner, err := g.of(t.Elem(), true)
		if err != nil || !always {
			return inner, err
		}
		return map[string]any{"anyOf": []any{inner, map[string]any{"type": "null"}}}, nil
	case reflect.Struct:
		return g.reference(t)
	default:
		return nil, fmt.Errorf("no schema for type %s", t)
	}
}

func (g Generator) special(t reflect.Type) map[string]any {
	values, closed := g.Enums[t]
	switch {
	case closed:
		return map[string]any{"type": "string", "enum": values}
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return map[string]any{"type": "string"}
	}
	return nil
}

func (g Generator) collection(kind, of string, elem reflect.Type) (map[string]any, error) {
	inner, err := g.of(elem, true)
	if err != nil {
		return nil, err
	}
	return map[string]any{"type": kind, of: inner}, nil
}

func (g Generator) reference(t reflect.Type) (map[string]any, error) {
	name := cmp.Or(g.Names[t], t.Name())
	if other, known := g.named[name]; known && other != t {
		return nil, fmt.Errorf("types %s and %s have one name", t, other)
	} else if !known {
		g.named[name] = t // a type that holds itself refers to this one
		object, err := g.object(t)
		if err != nil {
			return nil, err
		}
		g.defs[name] = object
	}
	return map[string]any{"$ref": "#/$defs/" + name}, nil
}
