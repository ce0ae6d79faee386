package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func fail(object, seen, wanted, fix string) verify.Finding {
	return finding(verify.Fail, object, seen, wanted, fix)
}

func warn(object, seen, wanted, fix string) verify.Finding {
	return finding(verify.Warn, object, seen, wanted, fix)
}

func info(object, seen string) verify.Finding { return finding(verify.OK, object, seen, "", "") }

func unknown(object, reason string) verify.Finding {
	return verify.Finding{Status: verify.Unknown, Object: shown(object), Reason: shown(reason)}
}

func finding(s verify.Status, object, seen, wanted, fix string) verify.Finding {
	return verify.Finding{Status: s, Object: shown(object), Seen: shown(seen), Wanted: shown(wanted), Fix: visible(fix)}
}

// told makes findings of elsewhere fit to be read.
func told(findings []verify.Finding) []verify.Finding {
	for i, f := range findings {
		findings[i] = finding(f.Status, f.Object, f.Seen, f.Wanted, f.Fix)
		findings[i].Reason = shown(f.Reason)
	}
	return findings
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
