package options

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field is a field of a struct that holds an option.
type Field struct {
	Flag  string
	Word  string // the word that a bool reports; empty if the field holds the value itself
	Value reflect.Value
}

// Fields returns the tagged fields of structs, given as pointers, and of the structs embedded
// in them.
func Fields(structs ...any) []Field {
	var all []Field
	for _, one := range structs {
		all = append(all, fieldsOf(reflect.ValueOf(one).Elem())...)
	}
	return all
}

func fieldsOf(value reflect.Value) []Field {
	var all []Field
	for i := range value.NumField() {
		declared := value.Type().Field(i)
		if declared.Anonymous && declared.Type.Kind() == reflect.Struct {
			all = append(all, fieldsOf(value.Field(i))...)
			continue
		}
		tag, tagged := declared.Tag.Lookup("flag")
		if !tagged {
			continue
		}
		flag, word, _ := strings.Cut(tag, "=")
		all = append(all, Field{Flag: flag, Word: word, Value: value.Field(i)})
	}
	return all
}

// Source returns the value of an option and whether it was given: of a Switch, a Duration or
// a Number as text, of Reasons a map of strings, of Documents a map.
type Source func(o Option) (value any, given bool, err error)

// Defaults is the source of a user who gave no option.
func Defaults(Option) (value any, given bool, err error) { return nil, false, nil }

// Fill sets the tagged fields of structs, given as pointers, to what a source has of the
// options of a scope, and to the defaults. Of an option outside the scope a choice has its
// default, and all else is left as it is.
func Fill(scope Scope, from Source, structs ...any) error {
	r := resolver{scope: scope, from: from}
	if err := r.checkConflicts(); err != nil {
		return err
	}
	for _, field := range Fields(structs...) {
		o, inScope := Find(field.Flag, scope)
		if !inScope {
			if o = findAny(field.Flag); !o.Choice() {
				continue
			}
			if err := field.set(o.Default); err != nil {
				return err
			}
			continue
		}
		value, err := r.resolve(o)
		if err != nil {
			return err
		}
		if err := field.set(value); err != nil {
			return err
		}
	}
	return nil
}

// Overlay sets the tagged fields of structs, given as pointers, to the values of a basis
// (ResolveBasis). It leaves alone what a basis holds no value of: options by digest, collections,
// and options outside the scope.
func Overlay(scope Scope, basis map[string]string, structs ...any) error {
	for _, field := range Fields(structs...) {
		o, inScope := Find(field.Flag, scope)
		if !inScope || o.Basis != ByValue || o.Kind != Text && o.Kind != Switch {
			continue
		}
		text := basis["--"+o.Flag]
		if err := o.Check(text); err != nil && text != "" {
			return err
		}
		if err := field.set(text); err != nil {
			return err
		}
	}
	return nil
}

// findAny returns the first row of a flag.
func findAny(flag string) Option {
	o, _ := Find(flag, ^Scope(0))
	return o
}

// resolver resolves the options of one scope.
type resolver struct {
	scope Scope
	from  Source
}

// resolve returns the value of an option, or nil if a collection was not given.
func (r resolver) resolve(o Option) (any, error) {
	value, given, err := r.from(o)
	if err != nil {
		return nil, err
	}
	if r.isNegated(o) {
		return "false", nil
	}
	if text, scalar := value.(string); given && scalar && o.Kind != File {
		return text, o.Check(text)
	}
	switch {
	case given:
		return value, nil
	case o.OffBy != "" && r.has(o.OffBy):
		return "false", nil
	case o.Kind == Set || o.Kind == Repeated || o.Kind == Reasons || o.Kind == Documents:
		return nil, nil
	}
	return o.Default, nil
}

// isNegated reports whether a Switch was given that turns this one off.
func (r resolver) isNegated(o Option) bool {
	return slices.ContainsFunc(For(r.scope), func(other Option) bool { return other.Negates == o.Flag && r.has(other.Flag+"=true") })
}

// has reports whether an option was given a word: "flag=word".
func (r resolver) has(condition string) bool {
	flag, word, _ := strings.Cut(condition, "=")
	o, inScope := Find(flag, r.scope)
	if !inScope {
		return false
	}
	value, given, err := r.from(o)
	return err == nil && given && value == word
}

// checkConflicts returns an error if an option was given with its opposite, or without the one
// that it needs.
func (r resolver) checkConflicts() error {
	for _, o := range For(r.scope) {
		if o.Negates != "" && r.has(o.Flag+"=true") && r.has(o.Negates+"=true") {
			return usage("both given", "one of them", o.Negates, o.Flag)
		}
		if o.With == "" || !r.isGiven(o) {
			continue
		}
		if needed, _ := Find(o.With, r.scope); !r.isGiven(needed) {
			return usage("given without --"+o.With, "both", o.Flag)
		}
	}
	return nil
}

func (r resolver) isGiven(o Option) bool {
	value, given, err := r.from(o)
	return err == nil && given && value != "" && value != "false"
}

// set puts a value into the field: text in the field's own type, or whether the text is the
// field's word.
func (f Field) set(value any) error {
	text, scalar := value.(string)
	switch {
	case value == nil:
		f.Value.SetZero()
	case f.Word != "":
		f.Value.SetBool(text == f.Word)
	case !scalar:
		f.Value.Set(reflect.ValueOf(value))
	case f.Value.Kind() == reflect.String:
		f.Value.SetString(text)
	case f.Value.Kind() == reflect.Bool:
		f.Value.SetBool(text == "true")
	case f.Value.Type() == reflect.TypeFor[time.Duration]():
		return f.setNumber(text, func() (int64, error) { d, err := time.ParseDuration(text); return int64(d), err })
	default:
		return f.setNumber(text, func() (int64, error) { return strconv.ParseInt(text, 10, 64) })
	}
	return nil
}

func (f Field) setNumber(text string, parse func() (int64, error)) error {
	if text == "" {
		f.Value.SetZero()
		return nil
	}
	number, err := parse()
	if err != nil {
		return usage("invalid value "+strconv.Quote(text), "a "+f.Value.Type().String(), f.Flag)
	}
	f.Value.SetInt(number)
	return nil
}
