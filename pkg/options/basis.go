package options

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ResolveBasis returns what the basis of a plan holds of structs, given as pointers, by flag:
// the resolved values, so that a plan does not outlive a changed default. Options without a
// value are left out, and so are those that shape no step: how the cluster is reached, how
// long is waited, and where a chart lies, whose content a plan shows.
func ResolveBasis(scope Scope, structs ...any) map[string]string {
	byFlag := map[string][]Field{}
	for _, field := range Fields(structs...) {
		byFlag[field.Flag] = append(byFlag[field.Flag], field)
	}
	resolved := map[string]string{}
	for _, o := range For(scope) {
		text := o.textOf(byFlag[o.Flag])
		if o.Basis == NoBasis || text == "" {
			continue
		}
		if o.Basis == ByDigest {
			sum := sha256.Sum256([]byte(text))
			text = "sha256:" + hex.EncodeToString(sum[:])
		}
		resolved["--"+o.Flag] = text
	}
	return resolved
}

// Validate returns an error if a field of structs, given as pointers, holds a word that its
// option does not have.
func Validate(structs ...any) error {
	for _, field := range Fields(structs...) {
		o := findAny(field.Flag)
		if o.Choice() && field.Word == "" {
			if err := o.Check(field.Value.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// textOf returns the value of an option as text: the only field's own, or the word that the
// fields of one option report together.
func (o Option) textOf(fields []Field) string {
	if len(fields) == 1 && fields[0].Word == "" {
		return textOf(o.Kind, fields[0].Value)
	}
	if len(fields) == 0 {
		return ""
	}
	for _, word := range o.candidates() {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Value.Bool() != f.setBy(word) }) {
			return word
		}
	}
	var states []string // no word has these fields; they still make another basis
	for _, field := range fields {
		states = append(states, strconv.FormatBool(field.Value.Bool()))
	}
	return strings.Join(states, ",")
}

// candidates returns the values that an option can have; an undecided Switch has none.
func (o Option) candidates() []string {
	if o.Kind == Switch {
		return []string{"", "true", "false"}
	}
	return o.Words
}

// setBy reports whether a word sets a bool.
func (f Field) setBy(word string) bool {
	if f.Word == "" {
		return word == "true"
	}
	return word == f.Word
}

func textOf(kind Kind, value reflect.Value) string {
	switch typed := value.Interface().(type) {
	case bool:
		return strconv.FormatBool(typed)
	case []string:
		if kind == Set {
			return strings.Join(slices.Sorted(slices.Values(typed)), ",")
		}
		return strings.Join(typed, " ")
	case map[string]string:
		return strings.Join(slices.Sorted(maps.Keys(typed)), ",")
	case map[string]any:
		if len(typed) == 0 {
			return ""
		}
		text, err := json.Marshal(typed) // it came out of YAML or JSON
		if err != nil {
			return ""
		}
		return string(text)
	}
	return value.String()
}
