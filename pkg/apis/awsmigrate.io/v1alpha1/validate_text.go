package v1alpha1

import (
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// text holds the rules of a string, equal to the markers of its field. Lengths are in
// characters, as in a schema.
type text struct {
	pattern  *regexp.Regexp // or nil if any text matches
	min, max int
}

// The texts of a spec. The patterns of optional texts match "", too: absent and zero mean
// the same.
var (
	planHash     = text{regexp.MustCompile(`^(sha256:[0-9a-f]{64})?$`), 0, 71}
	schedule     = text{regexp.MustCompile(`^[0-9A-Za-z*,/?-]+( [0-9A-Za-z*,/?-]+){4}$`), 0, 128}
	length       = text{regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?$`), 0, 8}
	windowLength = text{length.pattern, 2, 8}
	timeZone     = text{regexp.MustCompile(`^([A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*)?$`), 0, 64}
	ownerWord    = text{regexp.MustCompile(`^[a-z][a-z0-9-]*$`), 0, 64}
	checkID      = text{regexp.MustCompile(`^[A-Z]{4}-[0-9]{3}$`), 0, 8}
	skipReason   = text{nil, 10, 256}
	image        = text{regexp.MustCompile(`^([0-9A-Za-z][0-9A-Za-z._:/@-]*)?$`), 0, 512}
	secretName   = text{regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`), 0, 253}
	secretKey    = text{regexp.MustCompile(`^[0-9A-Za-z._-]+$`), 0, 253}
	region       = text{regexp.MustCompile(`^[a-z0-9-]*$`), 0, 32}
	roleARN      = text{regexp.MustCompile(`^(arn:aws[a-z-]*:iam::[0-9]{12}:role/[0-9A-Za-z+=,.@_/-]+)?$`), 0, 640}
)

// check returns an error for every rule that a value breaks. Errors do not repeat values: a
// value may be a secret in the wrong field.
func (t text) check(at *field.Path, value string) field.ErrorList {
	var errs field.ErrorList
	switch characters := utf8.RuneCountInString(value); {
	case characters > t.max:
		errs = append(errs, field.TooLong(at, "", t.max))
	case characters < t.min:
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("must have at least %d characters", t.min)))
	}
	if t.pattern != nil && !t.pattern.MatchString(value) {
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "must match "+t.pattern.String()))
	}
	return errs
}

// required is check for a mandatory field.
func (t text) required(at *field.Path, value string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return t.check(at, value)
}

// oneOf returns an error if a value is neither empty nor allowed.
func oneOf[T ~string](at *field.Path, value T, allowed ...T) field.ErrorList {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at, value, allowed)}
}

func atMost(at *field.Path, have, limit int) field.ErrorList {
	if have <= limit {
		return nil
	}
	return field.ErrorList{field.TooMany(at, have, limit)}
}

// within returns an error if a duration is out of bounds or malformed. An empty value is
// valid.
func within(at *field.Path, value string, shortest, longest time.Duration) field.ErrorList {
	duration, err := time.ParseDuration(value)
	if value == "" || (err == nil && duration >= shortest && duration <= longest) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("must be from %s to %s", shortest, longest))}
}
