package verifyview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// maxShortLines limits the lines of the short view, which is for a ticket or a chat.
const maxShortLines = 12

// writeAuditShort prints the target, the counts, a line for each of the gravest results, and the next
// command. It cuts no line.
func writeAuditShort(s console.Screen, doc AuditDocument) {
	head := append(slices.Clone(doc.Header[:min(len(doc.Header), 2)]), auditCounts(doc)+fmt.Sprintf("   exit %d", doc.Code))
	var lines []string
	for _, status := range problemOrder {
		lines = append(lines, shortResults(doc, status)...)
	}
	for _, refused := range doc.Refused {
		lines = append(lines, "refused  "+refused.ID+": "+refused.Reason)
	}
	room := maxShortLines - len(head) - min(len(doc.Next), 1)
	if len(lines) > room {
		left := len(lines) - room + 1
		lines = append(lines[:room-1], fmt.Sprintf("and %d more: -o wide", left))
	}
	for _, line := range append(head, lines...) {
		s.Hang(line)
	}
	if doc.Next != "" {
		s.Command("next   ", doc.Next)
	}
}

// shortResults returns a line for each result of a status. Checks with the same cause, such as missing
// credentials, share one line that begins with it. A check that alone was skipped for its reason has none.
func shortResults(doc AuditDocument, status verify.Status) []string {
	alike := map[string][]verify.Result{}
	var lines []string
	results := slices.DeleteFunc(doc.With(status), doc.Elsewhere)
	for _, result := range results {
		alike[sharedCause(result)] = append(alike[sharedCause(result)], result)
	}
	for _, result := range results {
		cause := sharedCause(result)
		same := alike[cause]
		switch {
		case cause == "" || len(same) == 1 && status != verify.Skip:
			lines = append(lines, shortLine(result))
		case len(same) > 1 && same[0].ID == result.ID:
			lines = append(lines, fmt.Sprintf("%s  %s (%d checks)", auditMarks[status], cause, len(same)))
		}
	}
	return lines
}

// sharedCause returns why a check was skipped or is unknown, as one sentence, or "".
func sharedCause(result verify.Result) string {
	switch findings := decidingFindings(result); {
	case result.Status == verify.Skip:
		return result.Reason
	case result.Status == verify.Unknown && len(findings) > 0:
		return observation(findings[0])
	}
	return ""
}

// shortLine returns one result with its first finding.
func shortLine(result verify.Result) string {
	line := fmt.Sprintf("%s  %s  ", auditMarks[result.Status], result.ID)
	findings := decidingFindings(result)
	if len(findings) == 0 {
		return line + result.Title
	}
	text := observation(findings[0])
	if wanted := findings[0].Wanted; wanted != "" {
		text += "; wanted " + wanted
	}
	if len(findings) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(findings)-1)
	}
	return line + cmp.Or(text, result.Title)
}
