package usage

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// ValueError returns the error for a flag without a value or with one of another kind, with an example.
func ValueError(err error, scope options.Scope) error {
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		example := exampleOf(missing.GetFlag(), scope)
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --" + missing.GetFlag().Name, Seen: "needs a value", Wanted: "for example " + example}
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		f := &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --" + flag.Name, Seen: fmt.Sprintf("invalid value %q", invalid.GetValue()),
			Wanted: valueKind(flag) + ", for example " + exampleOf(flag, scope)}
		if _, notNumber := strconv.Atoi(invalid.GetValue()); notNumber == nil && flag.Value.Type() == "duration" {
			f.Fix = fmt.Sprintf("did you mean --%s %ss or --%s %sm?", flag.Name, invalid.GetValue(), flag.Name, invalid.GetValue())
		}
		return f
	}
	return fault.AsUsage(err)
}

// valueKind describes the values of a flag.
func valueKind(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a number"
	}
	return "a " + flag.Value.Type()
}

// exampleOf returns a flag with a value that it accepts.
func exampleOf(flag *pflag.Flag, scope options.Scope) string {
	o, _ := options.Find(flag.Name, scope)
	value := cmp.Or(flag.DefValue, "VALUE")
	switch {
	case o.Choice():
		value = o.Words[0]
	case flag.Name == "cluster":
		value = "fleet-default/prod"
	case flag.Name == "config":
		value = "cluster.yml"
	case flag.Name == "until" || flag.Name == "step":
		value = "verify"
	case o.Kind == options.Duration:
		value = "15m"
	case o.Kind == options.Switch:
		return "--" + flag.Name + "=false"
	}
	return "--" + flag.Name + " " + fault.Command(value)
}
