package view

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/build"
)

// ReasonsPage lists every reason, below docs.
const ReasonsPage = "reasons.md"

// MorePages heads its column of the pages that say more of a reason.
const MorePages = "more"

// APIVersion is that of every document that the command line prints.
const APIVersion = "awsmigrate.io/v1"

// TypeMeta is what every document begins with.
type TypeMeta struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Producer   *build.Stamp `json:"producer,omitempty"` // the awsmigrate that wrote the document
}

// KindOf begins a document of this kind, written by this build.
func KindOf(name string) TypeMeta {
	this := build.This()
	return TypeMeta{APIVersion: APIVersion, Kind: name, Producer: &this}
}

// documentFormats are those in which a document is printed, whichever of them a command
// takes: one that nobody knows is answered as text.
func documentFormats() []string { return []string{"json", "jsonl", "yaml"} }

// WriteDocument prints one document as json, yaml, or one JSON line. A list that
// holds nothing is [], as its schema says: a loop over null fails in many languages.
func WriteDocument(out io.Writer, format string, document any) error {
	var text []byte
	var err error
	document = withoutNulls(reflect.ValueOf(document)).Interface()
	switch format {
	case "yaml":
		text, err = yaml.Marshal(document)
	case "jsonl":
		text, err = json.Marshal(document)
		text = append(text, '\n')
	default:
		text, err = json.MarshalIndent(document, "", "  ")
		text = append(text, '\n')
	}
	if err != nil {
		return fmt.Errorf("encode %T as %s: %w", document, format, err)
	}
	_, err = out.Write(text)
	return err
}

// withoutNulls is a copy of a value in which no list and no map is nil. What is
// left out when it is empty stays so, and a type that writes itself is left alone.
func withoutNulls(v reflect.Value) reflect.Value {
	if v.IsValid() && v.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
		return v
	}
	switch v.Kind() {
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() || field.Anonymous && out.Field(i).CanSet() {
				out.Field(i).Set(withoutNulls(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(withoutNulls(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			out.SetMapIndex(entries.Key(), withoutNulls(entries.Value()))
		}
		return out
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		inner := withoutNulls(v.Elem())
		if v.Kind() == reflect.Interface {
			return inner
		}
		out := reflect.New(inner.Type())
		out.Elem().Set(inner)
		return out
	default:
		return v
	}
}
