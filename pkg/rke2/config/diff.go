package config

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"
)

// longLine is where a line is cut for people; chart archives are one line of
// many kilobytes.
const longLine = 160

// diff shows two values as YAML lines, marked for what goes and what comes, and
// counts both.
func diff(before, after any) (text string, added, removed int) {
	b, a := lines(before), lines(after)
	var out strings.Builder
	m := difflib.NewMatcher(b, a)
	for _, op := range m.GetOpCodes() {
		if op.Tag == 'e' {
			mark(&out, ' ', b[op.I1:op.I2])
			continue
		}
		mark(&out, '-', b[op.I1:op.I2])
		mark(&out, '+', a[op.J1:op.J2])
		added, removed = added+op.J2-op.J1, removed+op.I2-op.I1
	}
	return out.String(), added, removed
}

func mark(out *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		if len(l) > longLine {
			l = fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(l[:longLine], ""), len(l))
		}
		fmt.Fprintf(out, "  %c %s\n", sign, l)
	}
}

func lines(v any) []string {
	if v == nil {
		return nil
	}
	text, ok := v.(string)
	if !ok {
		b, err := yaml.Marshal(v)
		if err != nil {
			return []string{string(canonical(v))}
		}
		text = string(b)
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}
