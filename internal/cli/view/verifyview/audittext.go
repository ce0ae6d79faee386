package verifyview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// writeAuditText prints a line for each category, every result that is not ok, the counts and the next
// command. It fits one screen if everything is ok.
func writeAuditText(s console.Screen, doc AuditDocument) {
	writeAuditHead(s, doc)
	s.Line("")
	for _, line := range categoryLines(s.Layout, doc) {
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
				s.Prose(auditMarks[status]+"  "+result.ID+"  ", "could not be checked, as "+first+": "+result.Title)
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
		parts = append(parts, observation(finding))
	}
	return strings.Join(parts, "\n")
}

// maxFindings limits the findings of one check in the text view. A defect of every node of a large cluster is
// one fact.
const maxFindings = 5

// categoryLines returns a line with the counts of each category. On a narrow screen the last statuses have no
// column; the counts below the report have them.
func categoryLines(l console.Layout, doc AuditDocument) []string {
	statuses := append([]verify.Status{verify.OK}, problemOrder...)
	table := console.Table{Columns: []console.Column{{}}}
	for i, status := range statuses {
		if slices.ContainsFunc(doc.Results, func(r verify.Result) bool { return r.Status == status && !doc.Elsewhere(r) }) {
			table.Columns = append(table.Columns, console.Column{Rank: i})
		} else {
			statuses[i] = ""
		}
	}
	for _, category := range doc.categories {
		if row := categoryCells(doc, category, statuses); row != nil {
			table.Rows = append(table.Rows, row)
		}
	}
	table, _ = l.Fitting(table)
	return slices.Concat(l.Lines(table)[1:]...)
}

// categoryCells returns a category and its counts of the statuses, or nil if it has no check.
func categoryCells(doc AuditDocument, category string, statuses []verify.Status) []string {
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
		return nil
	}
	cells := []string{category}
	for _, status := range statuses {
		switch {
		case status == "":
		case counts[status] == 0:
			cells = append(cells, "")
		default:
			cells = append(cells, fmt.Sprintf("%s %d", auditMarks[status], counts[status]))
		}
	}
	return cells
}
