package target

import (
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
)

// Define adds the flags of a scope. Parsing sets the tagged fields of structs, given as
// pointers; a flag without a field keeps its value.
func Define(flags *pflag.FlagSet, scope options.Scope, into ...any) {
	fields := options.Fields(into...)
	for _, o := range options.For(scope) {
		var field reflect.Value
		if i := slices.IndexFunc(fields, func(f options.Field) bool { return f.Flag == o.Flag }); i >= 0 {
			field = fields[i].Value
		}
		define(flags, o, field)
		if o.Bare != "" {
			flags.Lookup(o.Flag).NoOptDefVal = o.Bare
		}
	}
}

func define(flags *pflag.FlagSet, o options.Option, field reflect.Value) {
	text := o.Default
	if name, variable := strings.CutPrefix(text, "$"); variable {
		text = os.Getenv(name)
	}
	switch o.Kind {
	case options.Switch:
		flags.BoolVarP(pointer[bool](field), o.Flag, o.Short, text == "true", o.Usage())
	case options.Duration:
		value, _ := time.ParseDuration(text) // a test of the table parses every default
		flags.DurationVarP(pointer[time.Duration](field), o.Flag, o.Short, value, o.Usage())
	case options.Number:
		value, _ := strconv.Atoi(text)
		flags.IntVarP(pointer[int](field), o.Flag, o.Short, value, o.Usage())
	case options.Set:
		flags.StringSliceVarP(pointer[[]string](field), o.Flag, o.Short, strings.Fields(text), o.Usage())
	case options.Repeated, options.Reasons, options.Documents:
		flags.StringArrayVarP(pointer[[]string](field), o.Flag, o.Short, nil, o.Usage())
	case options.Text, options.File:
		flags.StringVarP(pointer[string](field), o.Flag, o.Short, text, o.Usage())
	}
}

// pointer returns the address of a field, or of a new variable for a flag without one.
func pointer[T any](field reflect.Value) *T {
	if !field.IsValid() {
		return new(T)
	}
	return field.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

// CheckFlags returns an error if a flag of a scope that was given has an invalid value.
func CheckFlags(flags *pflag.FlagSet, scope options.Scope) error {
	if err := checkCluster(flags); err != nil {
		return err
	}
	for _, o := range options.For(scope) {
		given := flags.Lookup(o.Flag)
		if given == nil || !given.Changed || (o.Kind != options.Text && o.Min == "") {
			continue
		}
		if err := o.Check(given.Value.String()); err != nil {
			return err
		}
	}
	return nil
}

// flagSource returns the options that were typed, and reads the files that they name.
func flagSource(flags *pflag.FlagSet) options.Source {
	return func(o options.Option) (any, bool, error) {
		given := flags.Lookup(o.Flag)
		if given == nil || !given.Changed {
			return nil, false, nil
		}
		text := given.Value.String()
		var words []string
		if many, is := given.Value.(pflag.SliceValue); is {
			words = many.GetSlice()
		}
		switch o.Kind {
		case options.Set, options.Repeated:
			return words, true, nil
		case options.Reasons:
			return splitReasons(words), true, nil
		case options.File:
			content, err := readFileFlag("--"+o.Flag, text)
			return content, true, err
		case options.Documents:
			merged, err := readValues(words)
			return merged, true, err
		case options.Text, options.Switch, options.Duration, options.Number:
		}
		return text, true, nil
	}
}

// splitReasons splits each ID=REASON.
func splitReasons(words []string) map[string]string {
	byID := map[string]string{}
	for _, word := range words {
		id, reason, _ := strings.Cut(word, "=")
		byID[id] = reason
	}
	return byID
}

// readChoices returns the options of a migration that were typed, with the defaults of a scope.
func readChoices(flags *pflag.FlagSet, scope options.Scope) (session.Choices, error) {
	c := session.Choices{}
	c.AWSIdentity = aws.Identity{Process: os.Getenv, Pace: &elb.Pace{}}
	if err := c.Fill(scope, flagSource(flags)); err != nil {
		return c, err
	}
	return c, checklist.CheckSelection(c.Options)
}
