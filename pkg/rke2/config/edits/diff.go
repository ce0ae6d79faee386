package edits

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/textdiff"
)

// longLine is where a line is cut for people; chart archives are one line of
// many kilobytes.
const longLine = 160

// diff shows two values as YAML lines, marked for what goes and what comes, and
// counts both.
func diff(before, after any) (text string, added, removed int) {
	var out strings.Builder
	for _, line := range textdiff.Lines(lines(before), lines(after)) {
		switch line.Sign {
		case textdiff.Added:
			added++
		case textdiff.Removed:
			removed++
		case textdiff.Equal:
		}
		fmt.Fprintf(&out, "  %c %s\n", line.Sign, cut(line.Text))
	}
	return out.String(), added, removed
}

func cut(line string) string {
	if len(line) <= longLine {
		return line
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(line[:longLine], ""), len(line))
}

func lines(v any) []string {
	if v == nil {
		return nil
	}
	text, ok := v.(string)
	if !ok {
		b, err := yaml.Marshal(v)
		if err != nil {
			return []string{string(notation.Canonical(v))}
		}
		text = string(b)
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}
