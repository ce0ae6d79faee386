package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Limits of the texts about a bundle that are printed unchanged.
const (
	maxText  = 2000 // characters
	maxLines = 20
)

// Beginnings of the notes on a cluster that is known by its API alone.
const (
	NoteRancher = "this is the cluster that Rancher runs in"
	NoteRKE     = "made by rke"
)

// labels are the beginnings of the header's lines after the first one.
var labels = []string{"now ", "end ", "names ", "aws ", "paused ", "partly visible", NoteRancher, NoteRKE}

// reserved matches the labels of lines that the audit writes itself. A heading with one of them
// would look like its advice.
var reserved = regexp.MustCompile(`^(?i:next|fix|why|wanted|seen|source|where)(?:\s|$)`)

var uidText = regexp.MustCompile(`^[A-Za-z0-9._:-]{0,253}$`)

// nextFlags are the flags that name a target. None of them makes a plan start another program.
var nextFlags = []string{"--cluster", "--namespace", "--kubeconfig", "--context", "--downstream-kubeconfig", "--config"}

// findForeign returns the first field that awsmigrate cannot have written, or "". Bundles come from
// other people: their texts are shown, and their next command is pasted into a shell.
func findForeign(b Bundle) string {
	switch {
	case !wellknown.Distribution(b.Target.Kind).Known() && b.Target.Kind != "kubernetes":
		return fmt.Sprintf("target.kind %q", b.Target.Kind)
	case !isPlain(b.Target.Name, 253) || strings.HasPrefix(b.Target.Name, "-"):
		return fmt.Sprintf("target.name %q", b.Target.Name)
	case b.Target.Kind == "rke2" && !objectName.MatchString(b.Target.Name):
		return fmt.Sprintf("target.name %q", b.Target.Name)
	case b.Target.Namespace != "" && !objectName.MatchString(b.Target.Namespace):
		return fmt.Sprintf("target.namespace %q", b.Target.Namespace)
	case !uidText.MatchString(b.Target.UID):
		return fmt.Sprintf("target.uid %q", b.Target.UID)
	case !isNextCommand(b.Next):
		return fmt.Sprintf("next %q", b.Next)
	}
	if found := findForeignLine(b.Header); found != "" {
		return found
	}
	return findForeignSide(b)
}

// isPlain reports whether a text is one printable line of at most limit bytes.
func isPlain(text string, limit int) bool {
	return len(text) <= limit && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' })
}

func findForeignLine(lines []string) string {
	if len(lines) > maxLines {
		return fmt.Sprintf("header with %d lines", len(lines))
	}
	for i, line := range lines {
		labelled := slices.ContainsFunc(labels, func(label string) bool { return strings.HasPrefix(line, label) })
		if !isPlain(line, 4*maxText) || i == 0 && reserved.MatchString(line) || i > 0 && !labelled {
			return fmt.Sprintf("header[%d] %.80q", i, line)
		}
	}
	return ""
}

// isNextCommand reports whether a text is the next command of an audit, quoted as a shell needs it:
// the plan of a target. An empty text is accepted.
func isNextCommand(text string) bool {
	if text == "" {
		return true
	}
	words, ok := fault.SplitCommand(text)
	if !ok {
		return false
	}
	if words[0] == "kubectl" { // started as a kubectl plugin
		words = words[1:]
	}
	if len(words) < 3 || len(words)%2 == 0 || words[0] != "awsmigrate" || !wellknown.Distribution(words[1]).Known() || words[2] != "plan" {
		return false
	}
	for i := 3; i < len(words); i += 2 {
		if !slices.Contains(nextFlags, words[i]) || !isPlain(words[i+1], maxText) || strings.HasPrefix(words[i+1], "-") {
			return false
		}
	}
	return true
}

// findForeignSide describes a side that awsmigrate cannot have written, or returns "".
func findForeignSide(b Bundle) string {
	side := bytes.TrimSpace(b.Side)
	switch {
	case len(side) == 0 || bytes.Equal(side, []byte("null")):
		return ""
	case b.Target.Kind == "kubernetes":
		return "side of a target.kind \"kubernetes\", which has none"
	case side[0] != '{' || !json.Valid(side):
		return "side that is no object"
	}
	return ""
}

// dropAdvice returns the recorded findings without their fixes, which could contain any command.
// This program's own text about the check is used instead.
func dropAdvice(recorded []verify.Recorded) []verify.Recorded {
	out := slices.Clone(recorded)
	for i, r := range out {
		out[i].Findings = slices.Clone(r.Findings)
		for k := range out[i].Findings {
			out[i].Findings[k].Fix = ""
		}
	}
	return out
}
