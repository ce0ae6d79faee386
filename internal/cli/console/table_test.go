package console

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
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
