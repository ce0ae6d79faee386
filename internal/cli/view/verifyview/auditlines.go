package verifyview

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// FindingLines returns a line for each finding that is not ok, the gravest first, for a header.
func FindingLines(report verify.Report) []string {
	var lines []string
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		for _, result := range report.With(status) {
			for _, f := range decidingFindings(result) {
				lines = append(lines, findingLine(result, f))
			}
		}
	}
	return lines
}

func findingLine(result verify.Result, f verify.Finding) string {
	line := fmt.Sprintf("%s  %s  %s: %s", auditMarks[f.Status], result.ID, f.Object, findingText(f))
	if f.Wanted != "" {
		line += "; wanted " + f.Wanted
	}
	if fix := cmp.Or(f.Fix, result.Fix); fix != "" && !strings.Contains(line, fix) {
		line += "; " + fix
	}
	return line
}
