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
)

// Bounds of what a bundle says of itself, which is printed as it stands: in
// characters, and in lines.
const (
	longestText = 2000
	mostLines   = 20
)

// labels are what the lines of a header begin with, behind the first one.
var labels = []string{"now ", "end ", "names ", "aws ", "paused ", "partly visible", "made by rke"}

// reserved are the labels of lines that the audit itself writes. A heading that
// begins with one would be taken for its advice.
var reserved = regexp.MustCompile(`^(?i:next|fix|why|wanted|seen|source|where)(?:\s|$)`)

var (
	uidText = regexp.MustCompile(`^[A-Za-z0-9._:-]{0,253}$`)
	// nextWord is a word as fault.Command writes it.
	nextWord = regexp.MustCompile(`^('(?:[^']|'\\'')*'|[\w@%+=:,./-]+)(?: |$)`)
)

// nextFlags are the flags that name a target again. None of them makes a plan start
// another program.
var nextFlags = []string{"--cluster", "--namespace", "--kubeconfig", "--context", "--downstream-kubeconfig", "--config"}

// wrong finds the first field that this program cannot have written; "": there is
// none. A bundle was written by somebody else: what it says is read, and its next
// command is pasted.
func wrong(b Bundle) string {
	switch {
	case !slices.Contains([]string{"rke2", "rke", "kubernetes"}, b.Target.Kind):
		return fmt.Sprintf("target.kind %q", b.Target.Kind)
	case !plain(b.Target.Name, 253) || strings.HasPrefix(b.Target.Name, "-"):
		return fmt.Sprintf("target.name %q", b.Target.Name)
	case b.Target.Kind == "rke2" && !objectName.MatchString(b.Target.Name):
		return fmt.Sprintf("target.name %q", b.Target.Name)
	case b.Target.Namespace != "" && !objectName.MatchString(b.Target.Namespace):
		return fmt.Sprintf("target.namespace %q", b.Target.Namespace)
	case !uidText.MatchString(b.Target.UID):
		return fmt.Sprintf("target.uid %q", b.Target.UID)
	case !command(b.Next):
		return fmt.Sprintf("next %q", b.Next)
	}
	if found := wrongHeader(b.Header); found != "" {
		return found
	}
	return wrongSide(b)
}

// plain says whether a text is one line that shows as it is.
func plain(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' })
}

func wrongHeader(lines []string) string {
	if len(lines) > mostLines {
		return fmt.Sprintf("header with %d lines", len(lines))
	}
	for i, line := range lines {
		labelled := slices.ContainsFunc(labels, func(label string) bool { return strings.HasPrefix(line, label) })
		if !plain(line, 4*longestText) || i == 0 && reserved.MatchString(line) || i > 0 && !labelled {
			return fmt.Sprintf("header[%d] %.80q", i, line)
		}
	}
	return ""
}

// command says whether a text is the command that goes on from an audit: a plan of a
// target, in the very words that a shell takes as they are. None is one, too.
func command(text string) bool {
	if text == "" {
		return true
	}
	var words []string
	for rest := text; rest != ""; {
		m := nextWord.FindStringSubmatch(rest)
		if m == nil {
			return false
		}
		word := m[1]
		if strings.HasPrefix(word, "'") {
			word = strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
		}
		words, rest = append(words, word), rest[len(m[0]):]
	}
	if words[0] == "kubectl" { // by its plugin
		words = words[1:]
	}
	if len(words) < 3 || len(words)%2 == 0 || words[0] != "awsmigrate" || words[1] != "rke2" && words[1] != "rke" || words[2] != "plan" {
		return false
	}
	for i := 3; i < len(words); i += 2 {
		if !slices.Contains(nextFlags, words[i]) || !plain(words[i+1], longestText) || strings.HasPrefix(words[i+1], "-") {
			return false
		}
	}
	return strings.TrimPrefix(text, "kubectl ") == fault.Command(words...)
}

// wrongSide says whether there is a side where none can be, or something else.
func wrongSide(b Bundle) string {
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

// unadvised are recorded findings without what they advise: the words of a command
// in them would be their author's. What this program says of the check stands.
func unadvised(recorded []verify.Recorded) []verify.Recorded {
	out := slices.Clone(recorded)
	for i, r := range out {
		out[i].Findings = slices.Clone(r.Findings)
		for k := range out[i].Findings {
			out[i].Findings[k].Fix = ""
		}
	}
	return out
}
