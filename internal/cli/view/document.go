package view

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/build"
)

// ReasonsPage is the page below docs that lists every reason.
const ReasonsPage = "reasons.md"

// MorePages is the heading of its column with further pages.
const MorePages = "more"

// APIVersion is the API version of every document that the command line prints.
const APIVersion = "awsmigrate.io/v1"

// TypeMeta holds the fields at the beginning of every document.
type TypeMeta struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Producer   *build.Stamp `json:"producer,omitempty"` // the awsmigrate that wrote the document
}

// KindOf returns the type of a document of this kind, written by this build.
func KindOf(name string) TypeMeta {
	this := build.This()
	return TypeMeta{APIVersion: APIVersion, Kind: name, Producer: &this}
}

// documentFormats lists the document formats of all commands. Errors in any other format are printed as
// text.
func documentFormats() []string { return []string{"json", "jsonl", "yaml"} }

// WriteDocument prints one document as json, yaml, or one JSON line. An empty list is [], as its schema
// requires: a loop over null fails in many languages.
func WriteDocument(out io.Writer, format string, document any) error {
	var text []byte
	var err error
	document = replaceNils(reflect.ValueOf(document)).Interface()
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

// replaceNils returns a copy of a value in which no list and no map is nil. Types that marshal themselves are
// not changed.
func replaceNils(v reflect.Value) reflect.Value {
	if v.IsValid() && v.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
		return v
	}
	switch v.Kind() {
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() || field.Anonymous && out.Field(i).CanSet() {
				out.Field(i).Set(replaceNils(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(replaceNils(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			out.SetMapIndex(entries.Key(), replaceNils(entries.Value()))
		}
		return out
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		inner := replaceNils(v.Elem())
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
