package report

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// auditPart holds the results of one audit.
type auditPart struct {
	Title, Counts string
	Findings      section // findings that are not OK
	Skipped       section // skipped checks with their reasons
}

func newAuditPart(title string, a record.Audit) auditPart {
	found := table{Head: []string{"check", "result", "object", "seen", "wanted", "fix"}}
	skipped := table{Head: []string{"skipped check", "why"}}
	for _, f := range a.Findings {
		if f.Status == "skip" {
			skipped.Rows = append(skipped.Rows, []value{{Text: f.Title, Code: f.Check}, text(orDash(f.Seen))})
			continue
		}
		found.Rows = append(found.Rows, []value{{Text: f.Title, Code: f.Check}, text(statusWord(f.Status)), text(orDash(f.Object)), text(orDash(f.Seen)), text(orDash(f.Wanted)), text(orDash(f.Fix))})
	}
	p := auditPart{Title: title, Counts: auditCounts(a), Findings: newSection("", found, "Every check that was made is ok."), Skipped: newSection("", skipped, "No check was skipped for another reason than the position.")}
	p.Findings.More += a.Left
	if a.Left > 0 && len(found.Rows) == 0 {
		p.Findings.None = fmt.Sprintf("%d findings are left out.", a.Left)
	}
	return p
}

// statusWord returns the word for a status.
func statusWord(status string) string {
	switch status {
	case "fail":
		return "failed"
	case "warn":
		return "warning"
	}
	return status
}

// auditCounts returns the counts in one line.
func auditCounts(a record.Audit) string {
	var parts []string
	for _, one := range []struct{ status, word string }{{"ok", "ok"}, {"fail", "failed"}, {"unknown", "unknown"}, {"warn", "with warnings"}} {
		if n := a.Counts[one.status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, one.word))
		}
	}
	if n := a.Counts["skip"] - a.Elsewhere; n > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", n))
	}
	if a.Elsewhere > 0 {
		parts = append(parts, fmt.Sprintf("%d for other positions", a.Elsewhere))
	}
	line := "Checks: " + strings.Join(parts, ", ")
	if len(parts) == 0 {
		line = "No check was made"
	}
	if a.Position != "" {
		line += "; the cluster was at " + a.Position
	}
	if a.Partial {
		line += "; not all checks were asked for"
	}
	return line + "."
}
