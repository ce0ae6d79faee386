package migration

import (
	"fmt"
	"sort"
	"strings"
)

// maxListed is the maximum number of lines that a list shows; the rest is counted.
const maxListed = 3

// JoinSome joins the first lines and adds the number of the others.
func JoinSome(lines []string) string {
	if more := len(lines) - maxListed; more > 0 {
		lines = append(append([]string{}, lines[:maxListed]...), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// SummarizePending returns one line for a wait or an error.
func SummarizePending(problems []PendingCondition) string { return JoinSome(PendingLines(problems)) }

// PendingLines returns the lines of a wait. Leading conditions come first; those that only
// restate a leading condition are left out.
func PendingLines(problems []PendingCondition) []string {
	var first, rest []string
	for _, p := range problems {
		switch line := OrElse(p.Line, p.Object+": "+p.Seen); {
		case p.Leads:
			first = append(first, line)
		case !p.Repeats:
			rest = append(rest, line)
		}
	}
	return append(first, rest...)
}

// OrElse returns text, or otherwise if text is empty.
func OrElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// NameList returns a sorted list for people: the first four names and the number of others.
func NameList(names []string) string {
	sorted := append([]string{}, names...)
	sort.Strings(sorted)
	const maxNames = 4
	if len(sorted) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(sorted[:maxNames], ", "), len(sorted)-maxNames)
	}
	return strings.Join(sorted, ", ")
}
