package console

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestHanging(t *testing.T) {
	for line, want := range map[string]string{
		"now    P0   in-tree": "now    P0   ", "   –  AWSM-421  pods use  two": "   –  AWSM-421  ", "plain words": "", "   fix: x": "   ",
		"names  two  blanks  again  and again": "names  two  blanks  ", "a label that is longer than all  x": "", "": "", "x  ": "",
	} {
		if columns, text := Hanging(line); columns != want || columns+text != line {
			t.Errorf("%q: %q and %q", line, columns, text)
		}
	}
}

// On a terminal a long header line wraps at the end of a word and continues next to its label.
func TestHeader_longLine_wrapped(t *testing.T) {
	lines := []string{"now    between P1 and P2: flag on 2 of 3 KCMs", "names  useInstanceMetadataHostname: true (every one of 6 nodes asks the metadata service for its name)"}
	for _, width := range []int{50, 80} {
		var out bytes.Buffer
		NewScreen(Streams{Out: &out, OutTerminal: true, Width: func() int { return width }}, &out).Header(lines)
		shown := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for i, line := range shown {
			if utf8.RuneCountInString(line) > width || i > 1 && !strings.HasPrefix(line, "       ") {
				t.Errorf("width %d: %q", width, line)
			}
		}
		if strings.Join(strings.Fields(out.String()), " ") != strings.Join(strings.Fields(strings.Join(lines, " ")), " ") {
			t.Errorf("width %d: something is missing:\n%s", width, out.String())
		}
	}
}

// A text goes next to its prefix and tail, below them if that is too narrow, and keeps a word that no line has
// room for.
func TestLayoutRow(t *testing.T) {
	const text = "one two three four five six seven eight"
	for name, tt := range map[string]struct {
		layout             Layout
		prefix, text, tail string
		want               []string
	}{
		"a pipe":          {Layout{}, "now  ", strings.Repeat("word ", 40) + "end", "", []string{"now  " + strings.Repeat("word ", 40) + "end"}},
		"next to it":      {Layout{Width: 32}, "now  ", text, "", []string{"now  one two three four five six", "     seven eight"}},
		"with a tail":     {Layout{Width: 40}, "now  ", text, "~6m", []string{"now  one two three four five six     ~6m", "     seven eight"}},
		"below it":        {Layout{Width: 40}, "enable-leader-migration  ", text, "~6m", []string{"enable-leader-migration              ~6m", "    one two three four five six seven", "    eight"}},
		"tail below it":   {Layout{Width: 24}, "enable-leader-migration  ", "one two three four five", "~6m", []string{"enable-leader-migration", "    ~6m", "    one two three four", "    five"}},
		"a long word":     {Layout{Width: 20}, "now  ", "see arn:aws:iam::123456789012:role/x now", "", []string{"now", "    see", "    arn:aws:iam::123456789012:role/x", "    now"}},
		"a command":       {Layout{Width: 30}, "", "run it again: `awsmigrate rke2 plan` now", "", []string{"run it again:", "`awsmigrate rke2 plan` now"}},
		"a number":        {Layout{Width: 30}, "", "this line has so many words 12 of them", "", []string{"this line has so many words", "12 of them"}},
		"wide runes":      {Layout{Width: 30}, "", "名称名称名称 版本版本版本 位置位置位置", "", []string{"名称名称名称 版本版本版本", "位置位置位置"}},
		"a wide screen":   {Layout{Width: 240}, "", strings.Repeat("word ", 25) + "end", "", []string{strings.TrimSpace(strings.Repeat("word ", 24)), "word end"}},
		"blanks are kept": {Layout{Width: 80}, "", "now  P5   external", "", []string{"now  P5   external"}},
	} {
		if diff := cmp.Diff(tt.want, tt.layout.Row(tt.prefix, tt.text, tt.tail)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The column with the highest rank goes first, a column of rank 0 never, and no cell is cut.
func TestLayoutFitting_narrow_columnsDroppedByRank(t *testing.T) {
	table := Table{Columns: []Column{{Title: "name", Max: 12}, {Title: "version", Rank: 2}, {Title: "at", Rank: 1}},
		Rows: [][]string{{"short", "v1.26.13", "P0"}, {"a-name-that-is-long", "v1.26.15", "P5"}}}
	for width, want := range map[int][]string{
		0:  {"name                 version   at", "short                v1.26.13  P0", "a-name-that-is-long  v1.26.15  P5"},
		30: {"name   version   at", "short  v1.26.13  P0", "a-name-that-is-long", "       v1.26.15  P5"},
		16: {"name   at", "short  P0", "a-name-that-is-long", "       P5"},
		6:  {"name", "short", "a-name-that-is-long"},
	} {
		l := Layout{Width: width}
		fitting, _ := l.Fitting(table)
		if diff := cmp.Diff(want, slices.Concat(l.Lines(fitting)...)); diff != "" {
			t.Errorf("%d columns: %s", width, diff)
		}
	}
}

// A command is cut out of a fix with its quotes, and ends before a semicolon.
func TestCutCommand(t *testing.T) {
	for fix, want := range map[string][3]string{
		"read why: kubectl logs x; then go on":      {"read why:", "kubectl logs x", "then go on"},
		"kubectl patch x -p '{\"a\":\";\"}'":        {"", "kubectl patch x -p '{\"a\":\";\"}'", ""},
		"wait; awsmigrate rke2 plan --cluster demo": {"wait;", "awsmigrate rke2 plan --cluster demo", ""},
		"use an rke that knows the version":         {"use an rke that knows the version", "", ""},
	} {
		words, command, rest := cutCommand(fix)
		if got := [3]string{words, command, rest}; got != want {
			t.Errorf("%q: %q, want %q", fix, got, want)
		}
	}
}
