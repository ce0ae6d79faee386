package verifyview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// writeAuditText prints a line for each category, every result that is not ok, the counts and the next
// command. It fits one screen if everything is ok.
func writeAuditText(s console.Screen, doc AuditDocument) {
	writeAuditHead(s, doc)
	s.Line("")
	for _, line := range categoryLines(doc) {
		s.Line("%s", line)
	}
	blinded := map[string]string{} // IDs of the first checks by the cause of unknown results
	short := false                 // whether the last result took one line
	for _, status := range problemOrder {
		if status == verify.Skip {
			writeSkipped(s, doc)
			break
		}
		for _, result := range doc.With(status) {
			first, again := blinded[unknownCause(result)]
			if !short || !again {
				s.Line("")
			}
			if again {
				s.Prose(auditMarks[status]+"  "+result.ID+"  ", result.Status.Of(result.Title)+": as "+first)
			} else {
				writeResult(s, result, maxFindings)
			}
			if text := unknownCause(result); text != "" && !again {
				blinded[text] = result.ID
			}
			short = again
		}
	}
	writeAuditFoot(s, doc)
}

// writeSkipped prints skipped checks, each reason once for all of its checks.
func writeSkipped(s console.Screen, doc AuditDocument) {
	alike := map[string][]verify.Result{}
	var reasons []string
	for _, result := range doc.With(verify.Skip) {
		if doc.Elsewhere(result) {
			continue
		}
		if alike[result.Reason] == nil {
			reasons = append(reasons, result.Reason)
		}
		alike[result.Reason] = append(alike[result.Reason], result)
	}
	if len(reasons) > 0 {
		s.Line("")
	}
	for _, reason := range reasons {
		if same := alike[reason]; len(same) == 1 {
			writeResult(s, same[0], maxFindings)
		} else {
			s.Prose(auditMarks[verify.Skip]+"  ", idsOf(same)+": "+reason)
		}
	}
}

func idsOf(results []verify.Result) string {
	ids := make([]string, len(results))
	for i, result := range results {
		ids[i] = result.ID
	}
	return strings.Join(ids, ", ")
}

// unknownCause returns the reasons of an unknown result, or "". One part that cannot be read makes many checks
// unknown.
func unknownCause(result verify.Result) string {
	if result.Status != verify.Unknown {
		return ""
	}
	var parts []string
	for _, finding := range decidingFindings(result) {
		parts = append(parts, finding.Object+": "+findingText(finding))
	}
	return strings.Join(parts, "\n")
}

// maxFindings limits the findings of one check in the text view. A defect of every node of a large cluster is
// one fact.
const maxFindings = 5

// categoryLines returns a line with the counts of each category.
func categoryLines(doc AuditDocument) []string {
	var lines []string
	widest := 0
	for _, category := range doc.categories {
		widest = max(widest, utf8.RuneCountInString(category))
	}
	for _, category := range doc.categories {
		counts, found := map[verify.Status]int{}, false
		for _, result := range doc.Results {
			if result.Category == category {
				found = true
				if !doc.Elsewhere(result) {
					counts[result.Status]++
				}
			}
		}
		if !found {
			continue
		}
		line := category + strings.Repeat(" ", widest-utf8.RuneCountInString(category))
		for _, status := range append([]verify.Status{verify.OK}, problemOrder...) {
			if status == verify.Pending && doc.Counts[status] == 0 {
				continue
			}
			cell := ""
			if counts[status] > 0 {
				cell = fmt.Sprintf("%s %d", auditMarks[status], counts[status])
			}
			line += fmt.Sprintf("   %-4s", cell)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
