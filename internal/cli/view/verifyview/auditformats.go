package verifyview

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// AuditFormats returns the output formats of a report.
func AuditFormats() []string { return []string{"text", "wide", "short", "json", "yaml", "junit"} }

// WriteAudit prints a report in one of AuditFormats.
func WriteAudit(streams console.Streams, format string, doc AuditDocument) error {
	s := console.NewScreen(streams, streams.Out)
	switch format {
	case "text":
		writeAuditText(s, doc)
	case "wide":
		writeAuditWide(s, doc)
	case "short":
		writeAuditShort(s, doc)
	case "junit":
		return writeJUnit(streams.Out, doc)
	default:
		return view.WriteDocument(streams.Out, format, doc)
	}
	return nil
}

// auditMarks shows a result without color.
var auditMarks = map[verify.Status]string{ //nolint:gochecknoglobals // a constant table
	verify.OK: "✓", verify.Warn: "!", verify.Fail: "✗", verify.Unknown: "?", verify.Pending: "◐", verify.Skip: "–",
}

// problemOrder lists the statuses that need attention, gravest first.
var problemOrder = []verify.Status{verify.Fail, verify.Unknown, verify.Warn, verify.Pending, verify.Skip} //nolint:gochecknoglobals // a constant table

func writeAuditHead(s console.Screen, doc AuditDocument) {
	s.Header(doc.Header)
	for _, problem := range doc.Problems {
		s.Prose("       ", problem)
	}
	if doc.Preflight {
		s.Line("judged as before a migration")
	}
	if doc.Partial {
		s.Prose("partial: ", "--only excluded checks, whose results are not known")
	}
	for _, refused := range doc.Refused {
		s.Prose("refused  ", refused.ID+": "+refused.Reason)
	}
}

// writeResult prints the result of one check: its ID, the object of each finding with the observed and the
// wanted state, then the rule that the check tests, and the fix. limit is the maximum number of findings and
// of fixes.
func writeResult(s console.Screen, result verify.Result, limit int) {
	head := auditMarks[result.Status] + "  " + result.ID + "  "
	findings := decidingFindings(result)
	switch {
	case result.Status == verify.Skip:
		s.Prose(head, result.Title+": "+result.Reason)
		return
	case result.Status == verify.OK || len(findings) == 0:
		s.Prose(head, result.Title)
		head = ""
	}
	for i, finding := range findings {
		if i == limit {
			s.Line("             and %d more: -o wide", len(findings)-i)
			break
		}
		s.Prose(cmp.Or(head, "             "), findingSentence(finding))
		head = ""
	}
	if result.Status == verify.OK || len(findings) == 0 {
		return
	}
	if result.Status == verify.Pending {
		s.Prose("             ", result.Reason)
		s.Prose("      rule   ", result.Title)
		return
	}
	s.Prose("      rule   ", result.Title)
	fixes := fixesOf(result, findings)
	for i, fix := range fixes {
		if i == limit {
			s.Line("             and %d more: -o wide", len(fixes)-i)
			break
		}
		s.Remedy([]string{"      fix    ", "             "}[min(i, 1)], fix)
	}
	writeWhy(s, fmt.Sprintf("%s explain %s", s.Program, result.ID), checkLink(result.ID))
}

// writeWhy prints the command that explains a check, and its page behind or below it.
func writeWhy(s console.Screen, command, link string) {
	const label = "      why    "
	if whole := command + " · " + link; s.Width <= 0 || s.Columns(label+whole) <= s.Width {
		s.Line("%s%s", label, whole)
		return
	}
	s.Command(label, command)
	s.Prose("             ", link)
}

// findingSentence returns the object of a finding, with its observed and wanted states.
func findingSentence(finding verify.Finding) string {
	text := observation(finding)
	if finding.Wanted != "" {
		text += " → " + finding.Wanted
	}
	return text
}

// observation returns the object of a finding, and what was observed on it.
func observation(finding verify.Finding) string {
	if finding.Object == "" {
		return findingText(finding)
	}
	return finding.Object + ": " + findingText(finding)
}

// findingText returns what was observed, or for an unknown finding the reason.
func findingText(finding verify.Finding) string {
	if finding.Status == verify.Unknown {
		return cmp.Or(finding.Reason, finding.Seen)
	}
	return cmp.Or(finding.Seen, finding.Reason)
}

// fixesOf returns the fixes of findings, each once. A finding without a fix gets the check's own.
func fixesOf(result verify.Result, findings []verify.Finding) []string {
	var fixes []string
	for _, finding := range findings {
		fix := finding.Fix
		if fix == "" && result.Status != verify.Unknown { // the check's fix does not restore access
			fix = result.Fix
		}
		if fix != "" && !slices.Contains(fixes, fix) {
			fixes = append(fixes, fix)
		}
	}
	return fixes
}

// decidingFindings returns the findings with the status of the result.
func decidingFindings(result verify.Result) []verify.Finding {
	var found []verify.Finding
	for _, finding := range result.Findings {
		if finding.Status == result.Status {
			found = append(found, finding)
		}
	}
	return found
}

// checkLink returns the location of a check's documentation.
func checkLink(id string) string { return ChecksPage + "#" + strings.ToLower(id) }

// ChecksPage is the generated reference of checks.
const ChecksPage = "docs/checks.md"

// writeAuditWide prints every check with all findings.
func writeAuditWide(s console.Screen, doc AuditDocument) {
	writeAuditHead(s, doc)
	for _, category := range doc.categories {
		first := true
		for _, result := range doc.Results {
			if result.Category != category {
				continue
			}
			if first {
				s.Line("")
				s.Prose("", category)
				first = false
			}
			writeResult(s, result, len(result.Findings))
		}
	}
	writeAuditFoot(s, doc)
}

func writeAuditFoot(s console.Screen, doc AuditDocument) {
	s.Line("")
	s.Row("", auditCounts(doc), strings.TrimSpace(fmt.Sprintf("%s   exit %d", codeHint(doc), doc.Code)))
	if doc.Target.Namespace != "" && slices.ContainsFunc(doc.Results, usesCurrentContext) {
		s.Prose("where  ", "run kubectl and helm of a fix against "+doc.Target.Name+" itself, not against the cluster that Rancher runs in")
	}
	if doc.Next != "" {
		s.Command("next   ", doc.Next)
	}
}

// contextCommand matches commands that use the current kubeconfig context. For a cluster in Rancher,
// awsmigrate itself uses the kubeconfig of another cluster.
var contextCommand = regexp.MustCompile(`(^|: )(kubectl|helm) `)

// usesCurrentContext reports whether a fix of the result contains such a command.
func usesCurrentContext(result verify.Result) bool {
	if result.Status == verify.OK || result.Status == verify.Skip {
		return false
	}
	return slices.ContainsFunc(fixesOf(result, decidingFindings(result)), contextCommand.MatchString)
}

// codeHint explains that warnings do not count by default.
func codeHint(doc AuditDocument) string {
	if doc.Code == 0 && doc.Counts[verify.Warn] > 0 {
		return "(4 with --fail-on warning)"
	}
	return ""
}

// auditCounts returns a line of counts. Checks of other positions are counted separately from other skipped
// checks.
func auditCounts(doc AuditDocument) string {
	elsewhere := 0
	for _, result := range doc.With(verify.Skip) {
		if doc.Elsewhere(result) {
			elsewhere++
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(doc.Counts[verify.OK], "ok", "ok")
	add(doc.Counts[verify.Fail], "failed", "failed")
	add(doc.Counts[verify.Unknown], "unknown", "unknown")
	add(doc.Counts[verify.Warn], "warning", "warnings")
	add(doc.Counts[verify.Pending], "pending", "pending")
	add(doc.Counts[verify.Skip]-elsewhere, "skipped", "skipped")
	add(elsewhere, "for other positions", "for other positions")
	if doc.Seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.1fs", doc.Seconds))
	}
	return strings.Join(parts, " · ")
}
