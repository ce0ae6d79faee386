package verifyview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// writeAuditText is one screen where all is well: a line for every category, what
// is not ok in full, counts and the way on.
func writeAuditText(s console.Screen, doc AuditDocument) {
	writeAuditHead(s, doc)
	s.Line("")
	for _, line := range categoryLines(doc) {
		s.Line("%s", line)
	}
	blinded := map[string]string{} // IDs by what could not be seen
	short := false                 // the last result took one line
	for _, status := range inOrder {
		if status == verify.Skip {
			writeSkipped(s, doc)
			break
		}
		for _, result := range doc.With(status) {
			first, again := blinded[unseen(result)]
			if !short || !again {
				s.Line("")
			}
			if again {
				s.Prose(auditMarks[status]+"  "+result.ID+"  ", result.Status.Of(result.Title)+": as "+first)
			} else {
				writeResult(s, result, mostShown)
			}
			if text := unseen(result); text != "" && !again {
				blinded[text] = result.ID
			}
			short = again
		}
	}
	writeAuditFoot(s, doc)
}

// writeSkipped prints what was not judged here, each reason once for all of its checks.
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
			writeResult(s, same[0], mostShown)
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

// unseen is what kept an unknown result from being known, in full. One thing that
// cannot be read makes many checks unknown.
func unseen(result verify.Result) string {
	if result.Status != verify.Unknown {
		return ""
	}
	var parts []string
	for _, finding := range decidingFindings(result) {
		parts = append(parts, finding.Object+": "+saidOf(finding))
	}
	return strings.Join(parts, "\n")
}

// mostShown is how many findings of one check the text view shows; a defect of
// every node of a large cluster is one fact.
const mostShown = 5

// categoryLines count the results of every category.
func categoryLines(doc AuditDocument) []string {
	var lines []string
	widest := 0
	for _, category := range doc.categories {
		widest = max(widest, utf8.RuneCountInString(category))
	}
	for _, category := range doc.categories {
		counts, seen := map[verify.Status]int{}, false
		for _, result := range doc.Results {
			if result.Category == category {
				seen = true
				if !doc.Elsewhere(result) {
					counts[result.Status]++
				}
			}
		}
		if !seen {
			continue
		}
		line := category + strings.Repeat(" ", widest-utf8.RuneCountInString(category))
		for _, status := range append([]verify.Status{verify.OK}, inOrder...) {
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
