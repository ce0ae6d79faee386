package recording

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// Bounds of what is kept of one change, so that an entry stays far below what a reader of a
// record takes as one line: lines, and characters of a line.
const (
	mostLines   = 1000
	longestLine = 500
)

// edits are the changes of a step, without secrets.
func edits(step record.Step, changes []runner.Change, written bool) []record.Entry {
	var all []record.Entry
	for _, c := range changes {
		one := record.Edit{Run: step.Run, Step: step.ID, Object: plaintext.Tidy(c.Object), Location: plaintext.Tidy(c.Location), Written: written}
		one.Diff, one.Left = shown(c)
		all = append(all, record.Entry{Edit: &one})
	}
	return all
}

// shown is the diff of a change without secrets, and how many lines were cut off.
func shown(c runner.Change) (diff string, left int) {
	diff = c.Diff
	if diff == "" {
		diff = ofValues(c.Before, c.After)
	}
	lines := strings.Split(strings.TrimRight(bundle.Scrub(diff), " \n"), "\n")
	if c.Form != runner.FieldDiff && len(lines) > 2 {
		lines = lines[2:] // the names of the files
	}
	left = max(0, len(lines)-mostLines)
	for i, line := range lines[:len(lines)-left] {
		if c.Form == runner.FileDiff {
			line = keyAlone(line)
		}
		lines[i] = plaintext.Clip(plaintext.Line(unindented(line, c.Form)), longestLine, false)
	}
	return strings.Join(lines[:len(lines)-left], "\n"), left
}

// ofValues is a diff of two plain values; "" where one is none.
func ofValues(before, after any) string {
	var lines strings.Builder
	for i, v := range []any{before, after} {
		switch v.(type) {
		case bool, int, int64, float64, string:
			lines.WriteString([]string{"- ", "+ "}[i] + fmt.Sprint(v) + "\n")
		case nil:
		default:
			return ""
		}
	}
	return lines.String()
}

// unindented is a line of a field's diff whose sign stands first: those of RKE2's
// configuration are indented.
func unindented(line string, form runner.DiffForm) string {
	if rest, is := strings.CutPrefix(line, "  "); is && form == runner.FieldDiff && rest != "" {
		return rest
	}
	return line
}

// yamlKey is a line of YAML as far as its key.
var yamlKey = regexp.MustCompile(`^ ( *(?:- )*[A-Za-z0-9_.\-/]+:)(\s.*)?$`)

// keyAlone is a line that stays, without its value: what stands around an edit of a file
// that a person keeps is the person's own, and may be a secret.
func keyAlone(line string) string {
	if !strings.HasPrefix(line, " ") || strings.TrimSpace(line) == "" {
		return line
	}
	parts := yamlKey.FindStringSubmatch(line)
	switch {
	case parts == nil:
		return line[:len(line)-len(strings.TrimLeft(line, " "))] + "…"
	case strings.TrimSpace(parts[2]) == "":
		return line
	}
	return " " + parts[1] + " …"
}
