package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// readable makes checks whose findings are fit to be read, whatever a cluster has put
// into them.
func readable(checks []verify.Check[evidence.Input]) []verify.Check[evidence.Input] {
	for i, c := range checks {
		checks[i].Judge = func(in evidence.Input) []verify.Finding {
			var found []verify.Finding
			for _, f := range c.Judge(in) {
				found = append(found, verify.Finding{Status: f.Status, Object: shown(f.Object), Seen: shown(f.Seen), Wanted: shown(f.Wanted),
					Fix: visible(f.Fix), Reason: shownLines(f.Reason)})
			}
			return found
		}
	}
	return checks
}

// shownLines is shown for an error, which may be several in as many lines.
func shownLines(s string) string {
	if len(s) > mostShown {
		return shown(s)
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = visible(line)
	}
	return strings.Join(lines, "\n")
}

// mostShown bounds in bytes what a cluster can put into one field of a finding.
const mostShown = 4096

// shown is text of the cluster's as it may be read: nothing that a terminal
// obeys, nothing invisible, and no megabytes.
func shown(s string) string {
	if len(s) <= mostShown {
		return visible(s)
	}
	cut := mostShown
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut-- // not within a rune
	}
	return fmt.Sprintf("%s… (%d bytes)", visible(s[:cut]), len(s))
}

// visible writes every character that does not show as an escape.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
