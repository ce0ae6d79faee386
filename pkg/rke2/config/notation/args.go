package notation

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Args returns the arguments in a value of a *-arg key: a list, or one string, which RKE2 treats
// as exactly one argument regardless of its characters. The texts keep their surrounding blanks;
// FlagName, FlagValue, Last and On read them as RKE2 does.
func Args(value any) []string {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
		return []string{v}
	case []string:
		return v
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			out = append(out, Text(e))
		}
		return out
	default:
		return nil
	}
}

// Text returns one argument as text; it is empty for null.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// Trimmed returns a value of RKE2's configuration as RKE2 reads it: without surrounding white
// space, such as the line break that ends a block of YAML
// (k3s-io/k3s:pkg/configfilearg/parser.go readConfigFile;
// rancher/wrangler:pkg/data/convert/convert.go@v3.7.2 ToString). Inner blanks remain.
func Trimmed(text string) string { return strings.TrimSpace(text) }

// bare returns an argument as RKE2 reads it, without its leading dashes.
func bare(arg string) string { return strings.TrimPrefix(Trimmed(arg), "--") }

// FlagName returns the flag that an argument sets, as the component reads it: without leading
// dashes and K3s's append and prepend marks, and with underscores as dashes
// (k8s.io/component-base/cli/flag WordSepNormalizeFunc).
func FlagName(arg string) string {
	name, _, _ := strings.Cut(bare(arg), "=")
	return strings.ReplaceAll(strings.TrimRight(name, "-+"), "_", "-")
}

// FlagValue returns the value that an argument gives its flag; a bare flag is "true".
func FlagValue(arg string) string {
	_, value, ok := strings.Cut(bare(arg), "=")
	if !ok {
		return "true"
	}
	return value
}

// Last returns the effective value of a flag from the extra arguments alone. Names are sorted,
// arguments of one name keep their order unless marked as prepended, and the last one wins
// (k3s-io/k3s:pkg/util/args.go GetArgs). RKE2's own arguments come earlier.
func Last(args []string, flag string) (string, bool) {
	bySpelling := map[string][]string{}
	var spellings []string
	for _, a := range args {
		if FlagName(a) != flag {
			continue
		}
		raw, _, _ := strings.Cut(bare(a), "=")
		spelling := strings.TrimRight(raw, "-+")
		if _, seen := bySpelling[spelling]; !seen {
			spellings = append(spellings, spelling)
		}
		if strings.HasSuffix(raw, "-") {
			bySpelling[spelling] = append([]string{FlagValue(a)}, bySpelling[spelling]...)
		} else {
			bySpelling[spelling] = append(bySpelling[spelling], FlagValue(a))
		}
	}
	if len(spellings) == 0 {
		return "", false
	}
	sort.Strings(spellings)
	values := bySpelling[spellings[len(spellings)-1]]
	return values[len(values)-1], true
}

// On reports whether a boolean flag is on.
func On(args []string, flag string) bool {
	v, ok := Last(args, flag)
	if !ok {
		return false
	}
	switch v {
	case "1", "t", "T", "true", "TRUE", "True": // strconv.ParseBool, as pflag reads it
		return true
	}
	return false
}

// IsTrue reports whether a text is a true boolean.
func IsTrue(text string) bool {
	v, err := strconv.ParseBool(Trimmed(text))
	return err == nil && v
}

// IsBoolean reports whether RKE2 reads a text as a boolean.
func IsBoolean(text string) bool {
	_, err := strconv.ParseBool(Trimmed(text))
	return err == nil
}
