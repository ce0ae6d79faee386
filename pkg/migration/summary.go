package migration

import (
	"fmt"
	"sort"
	"strings"
)

// maxListed is how many lines of a list are shown before the rest is counted.
const maxListed = 3

// JoinSome joins lines, the first few in words and the rest as a number.
func JoinSome(lines []string) string {
	if more := len(lines) - maxListed; more > 0 {
		lines = append(append([]string{}, lines[:maxListed]...), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// SummarizePending returns one line for a wait or an error.
func SummarizePending(problems []PendingCondition) string { return JoinSome(PendingLines(problems)) }

// PendingLines returns the lines of a wait: the most telling first, without those that
// only repeat it.
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

// OrElse is text, or otherwise where it is empty.
func OrElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// NameList is a sorted list for people, the first four by name.
func NameList(names []string) string {
	sorted := append([]string{}, names...)
	sort.Strings(sorted)
	const most = 4
	if len(sorted) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(sorted[:most], ", "), len(sorted)-most)
	}
	return strings.Join(sorted, ", ")
}
