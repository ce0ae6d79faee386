package audit

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// CheckMetas describes the checks of a migration, without a cluster: the backend's
// own first.
func CheckMetas(d wellknown.Distribution, own []verify.Meta) []verify.Meta {
	metas := own
	for _, check := range checks.For(d) {
		metas = append(metas, check.Meta)
	}
	return metas
}

// CountsOf is one line of counts. Checks that apply at other positions are
// counted together; the others that were skipped are named.
func CountsOf(report verify.Report) string {
	var parts []string
	for _, status := range []verify.Status{verify.OK, verify.Warn, verify.Fail, verify.Unknown} {
		if n := report.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if n := report.Counts[verify.Skip]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped: %s", n, whySkipped(report)))
	}
	return strings.Join(parts, ", ")
}

func whySkipped(report verify.Report) string {
	elsewhere := 0
	var named []string
	for _, result := range report.With(verify.Skip) {
		if report.Elsewhere(result) {
			elsewhere++
		} else {
			named = append(named, result.ID)
		}
	}
	if elsewhere > 0 {
		named = append([]string{fmt.Sprintf("%d not at %s", elsewhere, report.Position)}, named...)
	}
	return strings.Join(named, ", ")
}

// CheckSummary is the counts, then all that is not ok, in full.
func CheckSummary(report verify.Report) []string {
	lines := []string{CountsOf(report)}
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn, verify.Skip} {
		for _, result := range report.With(status) {
			if !report.Elsewhere(result) {
				lines = append(lines, ResultLines(result)...)
			}
		}
	}
	return lines
}

// mostFindings is how many findings of one check are told; a defect of every
// node of a large cluster is one fact.
const mostFindings = 5

// ResultLines says what is not ok about one check: its ID, and per finding the
// object, what was seen and wanted, and the fix.
func ResultLines(result verify.Result) []string {
	mark := map[verify.Status]string{verify.Warn: "!", verify.Skip: "–", verify.Fail: "✗", verify.Unknown: "?"}[result.Status]
	head := fmt.Sprintf("%s  %s  %s", mark, result.ID, result.Status.Of(result.Title))
	findings := matching(result)
	if len(findings) == 0 || result.Status == verify.Skip {
		return []string{head + ": " + result.Reason}
	}
	lines := []string{head}
	for i, finding := range findings {
		if i == mostFindings {
			lines = append(lines, fmt.Sprintf("   and %d more", len(findings)-i))
			break
		}
		lines = append(lines, "   "+findingLine(finding))
	}
	if fix := fixOf(result, findings[0]); fix != "" {
		lines = append(lines, "   fix: "+fix)
	}
	return lines
}

// matching are the findings that gave a result its status.
func matching(result verify.Result) []verify.Finding {
	var found []verify.Finding
	for _, finding := range result.Findings {
		if finding.Status == result.Status {
			found = append(found, finding)
		}
	}
	return found
}

func findingLine(finding verify.Finding) string {
	text := migration.OrElse(finding.Seen, finding.Reason)
	if finding.Object != "" {
		text = finding.Object + ": " + text
	}
	if finding.Wanted != "" {
		text += " → " + finding.Wanted
	}
	return text
}

// fixOf is the way out of a finding: its own, or that of its check. What could not be
// looked at may be in order, and needs no more than to be seen.
func fixOf(result verify.Result, finding verify.Finding) string {
	if result.Status == verify.Unknown {
		return migration.OrElse(finding.Fix, verify.FixUnknown)
	}
	return migration.OrElse(finding.Fix, result.Fix)
}
