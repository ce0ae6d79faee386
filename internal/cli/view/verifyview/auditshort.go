package verifyview

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// maxShortLines limits the lines of the short view, which is for a ticket or a chat.
const maxShortLines = 12

// writeAuditShort prints the target, the counts, a line for each of the gravest results, and the next
// command.
func writeAuditShort(s console.Screen, doc AuditDocument) {
	var head, lines, foot []string
	for i, line := range doc.Header {
		if i < 2 {
			head = append(head, line)
		}
	}
	head = append(head, joinTail(auditCounts(doc), fmt.Sprintf("exit %d", doc.Code), 0))
	for _, status := range problemOrder {
		if status != verify.Skip {
			lines = append(lines, shortResults(s, doc.With(status))...)
		}
	}
	for _, refused := range doc.Refused {
		lines = append(lines, "refused  "+refused.ID+": "+refused.Reason)
	}
	if doc.Next != "" {
		foot = append(foot, "next   "+doc.Next)
	}
	room := maxShortLines - len(head) - len(foot)
	if len(lines) > room {
		left := len(lines) - room + 1
		lines = append(lines[:room-1], fmt.Sprintf("… and %d more: %s verify -o wide", left, s.Program))
	}
	for _, part := range [][]string{head, lines, foot} {
		for _, line := range part {
			s.Line("%s", s.Fit("%s", line))
		}
	}
}

// shortResults returns a line for each result. Unknown results with the same cause share one line. It is cut
// in the middle, because an error names its cause last.
func shortResults(s console.Screen, results []verify.Result) []string {
	alike := map[string][]verify.Result{}
	for _, result := range results {
		alike[unknownCause(result)] = append(alike[unknownCause(result)], result)
	}
	var lines []string
	for _, result := range results {
		same := alike[unknownCause(result)]
		switch {
		case result.Status != verify.Unknown:
			lines = append(lines, shortLine(result, ""))
		case same[0].ID == result.ID:
			more := ""
			if len(same) > 1 {
				more = fmt.Sprintf(" and %d more", len(same)-1)
			}
			lines = append(lines, clipMiddle(s.Plain(shortLine(result, more)), s.Width, s.ASCII))
		}
	}
	return lines
}

// shortLine returns one result with its first finding.
func shortLine(result verify.Result, more string) string {
	line := fmt.Sprintf("%s  %s%s  ", auditMarks[result.Status], result.ID, more)
	findings := decidingFindings(result)
	if len(findings) == 0 {
		return line + result.Title
	}
	first := findings[0]
	if first.Object != "" {
		line += first.Object + ": "
	}
	line += cmp.Or(findingText(first), result.Title)
	if first.Wanted != "" {
		line += " → " + first.Wanted
	}
	if len(findings) > 1 {
		line += fmt.Sprintf(" (and %d more)", len(findings)-1)
	}
	return line
}

// clipMiddle cuts a text in the middle. It keeps the end, which names the problem, and enough of the beginning
// to identify the object.
func clipMiddle(text string, limit int, ascii bool) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	head := plaintext.Clip(text, max(limit/3, 4), ascii)
	tail := limit - utf8.RuneCountInString(head)
	return head + string(runes[len(runes)-max(tail, 0):])
}
