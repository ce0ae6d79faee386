package verifyview

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// shortLines is the most that the short view prints, for a ticket or a chat.
const shortLines = 12

// writeAuditShort is who and where, the counts, a line for each of the gravest
// results, and the way on.
func writeAuditShort(s console.Screen, doc AuditDocument) {
	var head, lines, foot []string
	for i, line := range doc.Header {
		if i < 2 {
			head = append(head, line)
		}
	}
	head = append(head, tailed(auditCounts(doc), fmt.Sprintf("exit %d", doc.Code), 0))
	for _, status := range inOrder {
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
	room := shortLines - len(head) - len(foot)
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

// shortResults are a line for each result. What could not be seen takes one for all
// checks that it keeps from being known, cut where its cause is not: an error names
// the cause last.
func shortResults(s console.Screen, results []verify.Result) []string {
	alike := map[string][]verify.Result{}
	for _, result := range results {
		alike[unseen(result)] = append(alike[unseen(result)], result)
	}
	var lines []string
	for _, result := range results {
		same := alike[unseen(result)]
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

// shortLine is one result with its first finding.
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
	line += cmp.Or(saidOf(first), result.Title)
	if first.Wanted != "" {
		line += " → " + first.Wanted
	}
	if len(findings) > 1 {
		line += fmt.Sprintf(" (and %d more)", len(findings)-1)
	}
	return line
}

// clipMiddle keeps the end of a text, where it says what is wrong, and enough of
// its beginning to say of what.
func clipMiddle(text string, most int, ascii bool) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := plaintext.Clip(text, max(most/3, 4), ascii)
	tail := most - utf8.RuneCountInString(head)
	return head + string(runes[len(runes)-max(tail, 0):])
}
