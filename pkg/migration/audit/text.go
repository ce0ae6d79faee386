package audit

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// CheckMetas returns the descriptions of a distribution's checks, the backend's own first. It
// needs no cluster.
func CheckMetas(d wellknown.Distribution, own []verify.Meta) []verify.Meta {
	metas := own
	for _, check := range checks.For(d) {
		metas = append(metas, check.Meta)
	}
	return metas
}

// CountsOf returns one line with the number of checks per status. It names those that are not ok. Checks of
// other positions are counted together.
func CountsOf(report verify.Report) string {
	var parts []string
	for _, status := range []verify.Status{verify.OK, verify.Warn, verify.Fail, verify.Unknown} {
		if n := report.Counts[status]; n > 0 && status == verify.OK {
			parts = append(parts, fmt.Sprintf("%d ok", n))
		} else if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s%s", n, status, namesOf(report.With(status))))
		}
	}
	skipped, elsewhere := skips(report)
	if len(skipped) > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped%s", len(skipped), namesOf(skipped)))
	}
	if elsewhere > 0 {
		parts = append(parts, fmt.Sprintf("%d for other positions", elsewhere))
	}
	return strings.Join(parts, ", ")
}

// maxNamed is the maximum number of checks that a line of counts names per status.
const maxNamed = 3

// namesOf returns the IDs of the first checks in parentheses.
func namesOf(results []verify.Result) string {
	var names []string
	for i, result := range results {
		if i == maxNamed {
			names = append(names, "…")
			break
		}
		names = append(names, result.ID)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// skips returns the skipped checks, and the number of those that apply at other positions only.
func skips(report verify.Report) (skipped []verify.Result, elsewhere int) {
	for _, result := range report.With(verify.Skip) {
		if report.Elsewhere(result) {
			elsewhere++
		} else {
			skipped = append(skipped, result)
		}
	}
	return skipped, elsewhere
}

// CheckSummary returns the counts and the full text of every result that is not ok.
func CheckSummary(report verify.Report) []string {
	lines := []string{CountsOf(report)}
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		for _, result := range report.With(status) {
			lines = append(lines, ResultLines(result)...)
		}
	}
	return append(lines, skipLines(report)...)
}

// skipLines returns a line for each reason to skip checks, or for its only check.
func skipLines(report verify.Report) []string {
	skipped, _ := skips(report)
	byReason, reasons := map[string][]verify.Result{}, []string(nil)
	for _, result := range skipped {
		if byReason[result.Reason] == nil {
			reasons = append(reasons, result.Reason)
		}
		byReason[result.Reason] = append(byReason[result.Reason], result)
	}
	var lines []string
	for _, reason := range reasons {
		results := byReason[reason]
		if len(results) == 1 {
			lines = append(lines, ResultLines(results[0])...)
			continue
		}
		ids := make([]string, 0, len(results))
		for _, result := range results {
			ids = append(ids, result.ID)
		}
		lines = append(lines, fmt.Sprintf("–  %s: %s", strings.Join(ids, ", "), reason))
	}
	return lines
}

// maxFindings is the maximum number of findings per check in texts and errors. A defect of
// every node in a large cluster is one fact.
const maxFindings = 5

// ResultLines describes a result that is not ok. It returns the check's ID, each finding with
// its object and its observed and wanted states, the rule that the check tests, and the fix.
func ResultLines(result verify.Result) []string {
	mark := map[verify.Status]string{verify.Warn: "!", verify.Skip: "–", verify.Fail: "✗", verify.Unknown: "?"}[result.Status]
	head := fmt.Sprintf("%s  %s  ", mark, result.ID)
	findings := matching(result)
	if len(findings) == 0 || result.Status == verify.Skip {
		return []string{head + result.Title + ": " + result.Reason}
	}
	lines := []string{head + findingLine(findings[0])}
	for _, finding := range findings[1:min(len(findings), maxFindings)] {
		lines = append(lines, "   "+findingLine(finding))
	}
	if more := len(findings) - maxFindings; more > 0 {
		lines = append(lines, fmt.Sprintf("   and %d more", more))
	}
	lines = append(lines, "   rule: "+result.Title)
	if fix := fixOf(result, findings[0]); fix != "" {
		lines = append(lines, "   fix: "+fix)
	}
	return lines
}

// matching returns the findings that gave a result its status.
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

// fixOf returns the fix of a finding, or else of its check. The check's fix does not apply to
// an unknown result, whose object may be in order.
func fixOf(result verify.Result, finding verify.Finding) string {
	if result.Status == verify.Unknown {
		return migration.OrElse(finding.Fix, verify.FixUnknown)
	}
	return migration.OrElse(finding.Fix, result.Fix)
}
