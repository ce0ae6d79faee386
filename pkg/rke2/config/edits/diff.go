package edits

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/textdiff"
)

// maxLine is the length at which lines are cut for people; a chart archive is one line of many
// kilobytes.
const maxLine = 160

// diff formats two values as YAML lines, marked if removed or added, and counts both.
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
	if len(line) <= maxLine {
		return line
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(line[:maxLine], ""), len(line))
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
