package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// readable wraps checks so that their findings are safe to display, regardless of the cluster's
// texts.
func readable(checks []verify.Check[evidence.Input]) []verify.Check[evidence.Input] {
	for i, c := range checks {
		checks[i].Judge = func(in evidence.Input) []verify.Finding { return allShown(c.Judge(in)) }
		if c.Release != nil {
			checks[i].Release = func(in evidence.Input, release string) []verify.Finding { return allShown(c.Release(in, release)) }
		}
	}
	return checks
}

func allShown(findings []verify.Finding) []verify.Finding {
	var found []verify.Finding
	for _, f := range findings {
		found = append(found, verify.Finding{Status: f.Status, Object: shown(f.Object), Seen: shown(f.Seen), Wanted: shown(f.Wanted),
			Fix: visible(f.Fix), Reason: shownLines(f.Reason)})
	}
	return found
}

// shownLines returns an error text, which may have several lines, in a form that is safe to
// display.
func shownLines(s string) string {
	if len(s) > maxShown {
		return shown(s)
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = visible(line)
	}
	return strings.Join(lines, "\n")
}

// maxShown limits the bytes of cluster text in one field of a finding.
const maxShown = 4096

// shown returns cluster text in a form that is safe to display: without terminal control
// sequences and invisible characters, and cut to maxShown.
func shown(s string) string {
	if len(s) <= maxShown {
		return visible(s)
	}
	cut := maxShown
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut-- // not within a rune
	}
	return fmt.Sprintf("%s… (%d bytes)", visible(s[:cut]), len(s))
}

// visible replaces every invisible character with an escape.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
