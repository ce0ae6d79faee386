package recording

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// Limits for one change. They keep an entry far below the line limit of a record's reader.
const (
	maxLines = 1000
	maxLine  = 500
)

// editEntries returns the changes of a step, without secrets.
func editEntries(step record.Step, changes []runner.Change, written bool) []record.Entry {
	var all []record.Entry
	for _, c := range changes {
		one := record.Edit{Run: step.Run, Step: step.ID, Object: plaintext.Tidy(c.Object), Location: plaintext.Tidy(c.Location), Written: written}
		one.Diff, one.Left = scrubDiff(c)
		all = append(all, record.Entry{Edit: &one})
	}
	return all
}

// scrubDiff returns the diff of a change without secrets, and how many lines were cut.
func scrubDiff(c runner.Change) (diff string, left int) {
	diff = c.Diff
	if diff == "" {
		diff = diffValues(c.Before, c.After)
	}
	lines := strings.Split(strings.TrimRight(bundle.Scrub(diff), " \n"), "\n")
	if c.Form != runner.FieldDiff && len(lines) > 2 {
		lines = lines[2:] // file names
	}
	left = max(0, len(lines)-maxLines)
	for i, line := range lines[:len(lines)-left] {
		if c.Form == runner.FileDiff {
			line = keyAlone(line)
		}
		lines[i] = plaintext.Clip(plaintext.Line(unindent(line, c.Form)), maxLine, false)
	}
	return strings.Join(lines[:len(lines)-left], "\n"), left
}

// diffValues returns a diff of two plain values, or empty if a value is not plain.
func diffValues(before, after any) string {
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

// unindent returns a line of a field's diff with its sign in the first column: lines of RKE2's
// configuration are indented.
func unindent(line string, form runner.DiffForm) string {
	if rest, is := strings.CutPrefix(line, "  "); is && form == runner.FieldDiff && rest != "" {
		return rest
	}
	return line
}

// yamlKey matches a line of YAML up to its key.
var yamlKey = regexp.MustCompile(`^ ( *(?:- )*[A-Za-z0-9_.\-/]+:)(\s.*)?$`)

// keyAlone returns an unchanged line without its value. The user's lines around an edit may be
// secret.
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
