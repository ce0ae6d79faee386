package verifyview

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// AuditFormats are the views of a report.
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

// auditMarks show a result without colour.
var auditMarks = map[verify.Status]string{ //nolint:gochecknoglobals // a constant table
	verify.OK: "✓", verify.Warn: "!", verify.Fail: "✗", verify.Unknown: "?", verify.Skip: "–",
}

// inOrder are the statuses that need reading, gravest first.
var inOrder = []verify.Status{verify.Fail, verify.Unknown, verify.Warn, verify.Skip} //nolint:gochecknoglobals // a constant table

func writeAuditHead(s console.Screen, doc AuditDocument) {
	for _, line := range doc.Header {
		s.Prose("", line)
	}
	for _, problem := range doc.Problems {
		s.Prose("       ", problem)
	}
	if doc.Preflight {
		s.Line("judged as before a migration")
	}
	if doc.Partial {
		s.Line("partial: --only left checks out, and nothing is said of them")
	}
	for _, refused := range doc.Refused {
		s.Prose("refused  ", refused.ID+": "+refused.Reason)
	}
}

// writeResult prints what one check came to: its ID, and for every finding the
// object, what was seen and what was wanted; then the fix.
func writeResult(s console.Screen, result verify.Result, most int) {
	mark := auditMarks[result.Status]
	if result.Status == verify.Skip {
		s.Prose(mark+"  "+result.ID+"  ", result.Title+": "+result.Reason)
		return
	}
	s.Prose(mark+"  "+result.ID+"  ", result.Status.Of(result.Title))
	findings := decidingFindings(result)
	for i, finding := range findings {
		if i == most {
			s.Line("             and %d more: -o wide", len(findings)-i)
			break
		}
		text := saidOf(finding)
		if finding.Object != "" {
			text = finding.Object + ": " + text
		}
		if finding.Wanted != "" {
			text += " → " + finding.Wanted
		}
		s.Prose("             ", text)
	}
	if result.Status == verify.OK || len(findings) == 0 {
		return
	}
	fixes := fixesOf(result, findings)
	for i, fix := range fixes {
		if i == most {
			s.Line("             and %d more: -o wide", len(fixes)-i)
			break
		}
		s.Remedy([]string{"      fix    ", "             "}[min(i, 1)], fix)
	}
	s.Line("      why    %s explain %s · %s", s.Program, result.ID, checkLink(result.ID))
}

// saidOf is what a finding says: of one that could not look the reason.
func saidOf(finding verify.Finding) string {
	if finding.Status == verify.Unknown {
		return cmp.Or(finding.Reason, finding.Seen)
	}
	return cmp.Or(finding.Seen, finding.Reason)
}

// fixesOf are the remedies of findings, each once; the check's own where a finding
// has none.
func fixesOf(result verify.Result, findings []verify.Finding) []string {
	var fixes []string
	for _, finding := range findings {
		fix := finding.Fix
		if fix == "" && result.Status != verify.Unknown { // which access puts right, not the check's remedy
			fix = result.Fix
		}
		if fix != "" && !slices.Contains(fixes, fix) {
			fixes = append(fixes, fix)
		}
	}
	return fixes
}

// decidingFindings are the findings that gave a result its status; of a passing check
// those that say something.
func decidingFindings(result verify.Result) []verify.Finding {
	var found []verify.Finding
	for _, finding := range result.Findings {
		if finding.Status == result.Status {
			found = append(found, finding)
		}
	}
	return found
}

// checkLink is where a check is documented.
func checkLink(id string) string { return ChecksPage + "#" + strings.ToLower(id) }

// ChecksPage is the generated reference of checks.
const ChecksPage = "docs/checks.md"

// writeAuditWide prints every check with every finding.
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
				s.Line("%s", category)
				first = false
			}
			writeResult(s, result, len(result.Findings))
		}
	}
	writeAuditFoot(s, doc)
}

func writeAuditFoot(s console.Screen, doc AuditDocument) {
	s.Line("")
	s.Line("%s", tailed(auditCounts(doc), fmt.Sprintf("%s   exit %d", codeHint(doc), doc.Code), s.Width))
	if doc.Target.Namespace != "" && slices.ContainsFunc(doc.Results, runsHere) {
		s.Line("where  kubectl and helm of a fix are for %s itself, not for the cluster that Rancher runs in", doc.Target.Name)
	}
	if doc.Next != "" {
		s.Line("next   %s", doc.Next)
	}
}

// forCluster finds a command that takes its cluster from where it is run. With a
// cluster of Rancher's, awsmigrate itself is run with the kubeconfig of another one.
var forCluster = regexp.MustCompile(`(^|: )(kubectl|helm) `)

// runsHere says whether a result comes with such a command.
func runsHere(result verify.Result) bool {
	if result.Status == verify.OK || result.Status == verify.Skip {
		return false
	}
	return slices.ContainsFunc(fixesOf(result, decidingFindings(result)), forCluster.MatchString)
}

// tailed puts a tail at the right where there is room for it, else behind.
func tailed(text, tail string, width int) string {
	tail = strings.TrimSpace(tail)
	gap := width - utf8.RuneCountInString(text) - utf8.RuneCountInString(tail)
	return text + strings.Repeat(" ", max(gap, 3)) + tail
}

// codeHint says that warnings alone do not count unless somebody asks.
func codeHint(doc AuditDocument) string {
	if doc.Code == 0 && doc.Counts[verify.Warn] > 0 {
		return "(4 with --fail-on warning)"
	}
	return ""
}

// auditCounts is one line of counts. Checks of other positions are counted apart
// from those that were skipped for a reason.
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
	add(doc.Counts[verify.Skip]-elsewhere, "skipped", "skipped")
	add(elsewhere, "for other positions", "for other positions")
	if doc.Seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.1fs", doc.Seconds))
	}
	return strings.Join(parts, " · ")
}
