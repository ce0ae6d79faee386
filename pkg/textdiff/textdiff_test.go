package textdiff

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forRandomTexts calls check with pairs of texts that differ by added, removed and replaced
// lines. Some texts have repeated lines.
func forRandomTexts(t *testing.T, check func(before, after []string)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	line := func(kinds int) string { return fmt.Sprintf("- key%d: value", r.IntN(kinds)) }
	for range 3000 {
		kinds := []int{3, 20, 100_000}[r.IntN(3)]
		var before []string
		for range r.IntN(60) {
			before = append(before, line(kinds))
		}
		after := slices.Clone(before)
		for range r.IntN(5) {
			at := r.IntN(len(after) + 1)
			switch {
			case at == len(after) || r.IntN(3) == 0:
				after = slices.Insert(after, at, line(kinds))
			case r.IntN(2) == 0:
				after = slices.Delete(after, at, at+1)
			default:
				after[at] = line(kinds)
			}
		}
		check(before, after)
	}
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// Each hunk applies at the line that its numbers state.
func TestUnified_randomTexts_apply(t *testing.T) {
	forRandomTexts(t, func(before, after []string) {
		a, b := strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n"
		diff := Unified("x", a, b)
		if (diff == "") != (a == b) {
			t.Fatalf("equal %t:\n%s", a == b, diff)
		}
		if diff == "" {
			return
		}
		if got := applyPatch(t, a, diff); got != b {
			t.Fatalf("before\n%s\ndiff\n%s\nmakes\n%s\nwant\n%s", a, diff, got, b)
		}
	})
}

// applyPatch applies each hunk at the line that its numbers state, and fails otherwise.
func applyPatch(t *testing.T, text, diff string) string {
	t.Helper()
	old := strings.Split(text, "\n")
	var out []string
	at := 0
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for _, line := range lines[2:] {
		if match := hunkHeader.FindStringSubmatch(line); match != nil {
			from, _ := strconv.Atoi(match[1])
			to, _ := strconv.Atoi(match[3])
			if match[2] != "0" {
				from--
			}
			if match[4] != "0" {
				to--
			}
			out = append(out, old[at:from]...)
			if at = from; len(out) != to {
				t.Fatalf("%s: the hunk begins at line %d\n%s", line, len(out)+1, diff)
			}
			continue
		}
		switch sign, rest := Sign(line[0]), line[1:]; {
		case sign != Added && old[at] != rest:
			t.Fatalf("line %d is %q, the diff has %q", at+1, old[at], rest)
		case sign == Equal:
			out, at = append(out, rest), at+1
		case sign == Removed:
			at++
		default:
			out = append(out, rest)
		}
	}
	return strings.Join(append(out, old[at:]...), "\n")
}

// The lines without added ones are the old text; those without removed ones are the new text.
func TestLines_randomTexts_restoreBoth(t *testing.T) {
	forRandomTexts(t, func(before, after []string) {
		var a, b []string
		for _, line := range Lines(before, after) {
			if line.Sign != Added {
				a = append(a, line.Text)
			}
			if line.Sign != Removed {
				b = append(b, line.Text)
			}
		}
		if !slices.Equal(a, before) || !slices.Equal(b, after) {
			t.Fatalf("%q, %q of %q, %q", a, b, before, after)
		}
	})
}

func TestUnified(t *testing.T) {
	for name, tt := range map[string]struct{ before, after, want string }{
		"equal":   {"a\n", "a\n", ""},
		"added":   {"", "a\nb\n", "--- x\n+++ x\n@@ -1 +1,3 @@\n+a\n+b\n \n"},
		"removed": {"a\n", "", "--- x\n+++ x\n@@ -1,2 +1 @@\n-a\n \n"},
		"a line":  {"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "--- x\n+++ x\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n \n"},
	} {
		if got := Unified("x", tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
