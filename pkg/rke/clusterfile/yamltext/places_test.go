package yamltext

import (
	"errors"
	"strings"
	"testing"
)

func textOf(text string) *Document { return &Document{source: newSource([]byte(text))} }

// The scanner counts lines and characters; edits count bytes. A missing place returns -1.
func TestOffset(t *testing.T) {
	for _, tt := range []struct {
		text         string
		line, column int
		want         int
	}{
		{"ab\ncd", 1, 1, 0}, {"ab\ncd", 1, 2, 1}, {"ab\ncd", 1, 3, 2}, {"ab\ncd", 1, 4, -1}, {"ab\ncd", 2, 1, 3}, {"ab\ncd", 2, 3, 5}, {"ab\ncd", 2, 4, -1},
		{"ab\ncd", 0, 1, -1}, {"ab\ncd", 3, 1, -1}, {"ab\ncd", 1, 0, -1}, {"", 1, 1, -1},
		{"é: b", 1, 2, 2}, {"é: b", 1, 4, 4}, {"\ufeffab", 1, 1, 3}, {"\ufeffab", 1, 2, 4}, {"a\n\ufeffb", 2, 1, 2}, {"a\r\nb", 2, 1, 3}, {"a\u2028b", 2, 1, 4}, {"a\u0085b", 2, 1, 3},
	} {
		if got := textOf(tt.text).offset(tt.line, tt.column); got != tt.want {
			t.Errorf("%q, %d:%d: %d, want %d", tt.text, tt.line, tt.column, got, tt.want)
		}
	}
	d := textOf("ab\ncd\n")
	for offset, want := range map[int]int{0: 0, 2: 0, 3: 1, 5: 1, 6: 1, 99: 1} {
		if got := d.lineAt(offset); got != want {
			t.Errorf("byte %d is in line %d, want %d", offset, got, want)
		}
	}
}

// Ends of quoted scalars and flow collections, or -1 if they do not end.
func TestEnds(t *testing.T) {
	for text, want := range map[string]int{`"a" b`: 3, `"a\"b" c`: 6, `"a\\" b`: 5, `'a' b`: 3, `'it''s' b`: 7, `'a'`: 3, `''`: 2, `"a`: -1, `'a''`: -1, `"a\"`: -1, `a"b"`: -1, ``: -1} {
		if got := textOf(text).quotedEnd(0); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{
		"{} a": 2, "{a: [1, {b: 2}]} c": 16, `{a: "}"} b`: 8, `{a: '}'} b`: 8, "{it's: }} b": 8, "{a: 1 # }\n} b": 11, "{a: 1#} b": 7, "[a,'b]'] c": 8, "{a": -1, "[{]": -1, "{a: 1 # }": -1, "{#a}\n}": 4, "{\n#}\n} b": 6,
	} {
		if got := textOf(text).flowEnd(0); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := textOf("{}").flowEnd(-1); got != -1 {
		t.Errorf("from nowhere: %d", got)
	}
	if got := textOf("{}").quotedEnd(2); got != -1 {
		t.Errorf("from the end: %d", got)
	}
	for text, want := range map[string]int{"": 0, "  a": 2, " \ta": 2, "\na": 1, " # b\n a": 6, "# b": 3, "\r\n a": 3, "a": 0} {
		if got := textOf(text).skipSpace(0); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// The likely line of an error: the tab that the scanner names, or the mark of a template, first
// near the error.
func TestNotYAML_error_likelyLine(t *testing.T) {
	found, tab, other := errors.New("yaml: found x"), errors.New("found a tab character that violates indentation"), errors.New("did not match")
	for _, tt := range []struct {
		text string
		near int
		err  error
		want int
	}{
		{"\ta: 1\n", 1, found, 1}, {"a:\n\tb: 1\n", 2, found, 2}, {"a:\n\tb: 1\n", 1, found, 0}, {"a:\n\tb: 1\n", 1, tab, 2}, {"a: \tb\n", 1, tab, 0}, {"\ta: 1\n", 1, other, 0}, {"a:\n  \tb: 1\n", 2, found, 2},
	} {
		if got := textOf(tt.text).tabLine(tt.near, tt.err); got != tt.want {
			t.Errorf("%q, near %d, %v: %d, want %d", tt.text, tt.near, tt.err, got, tt.want)
		}
	}
	filler := strings.Repeat("b: 1\n", 5)
	for _, tt := range []struct {
		text string
		near int
		want int
	}{
		{"a: ${x}\n", 1, 1}, {"a: 1\nb: ${x}\n", 1, 2}, {"a: ${x}\nb: 1\n", 2, 1}, {"a: ${x}\n" + filler, 3, 0}, {filler + "a: ${x}\n", 4, 0}, {filler + "a: ${x}\n", 5, 6},
		{"{{ if x }}\n" + filler, 4, 1}, {"- {{ x }}\n" + filler, 4, 1}, {"a: {{ x }}\n" + filler, 4, 1}, {"a:   {% x %}\n" + filler, 4, 1}, {"{# x #}\n" + filler, 4, 1}, {"a: b {{ x }}\n" + filler, 4, 0}, {filler, 3, 0},
	} {
		if got := textOf(tt.text).templateLine(tt.near); got != tt.want {
			t.Errorf("%q, near %d: %d, want %d", tt.text, tt.near, got, tt.want)
		}
	}
}

func TestControl(t *testing.T) {
	for _, r := range "\t\n\r a~\u0085\u00a0é\ufffd\U0001f600" {
		if control(r) {
			t.Errorf("%U is none", r)
		}
	}
	for _, r := range []rune{0, 1, 0x1f, 0x7f, 0x80, 0x84, 0x86, 0x9f, 0xfffe, 0xffff} {
		if !control(r) {
			t.Errorf("%U is one", r)
		}
	}
}

// A text of several lines becomes a block only if YAML reads it back unchanged.
func TestBlocks(t *testing.T) {
	for text, want := range map[string]bool{"a\nb": true, "a\tb\n": true, "": false, " \n": false, "\na": false, "a\x01b": false, "é\n": true} {
		if got := blockable(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	for text, want := range map[string]string{"a\nb": "|-\n  a\n  b", "a\nb\n": "|\n  a\n  b", "a\n\n": "|+\n  a\n", "a\n\n\n": "|+\n  a\n\n", "a\n\nb": "|-\n  a\n\n  b", " a\nb": `" a\nb"`, "\ta": `"\ta"`} {
		if got := block(text, 2, "\n"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if short, long := Excerpt(" "+strings.Repeat("é", 60)+" "), Excerpt(strings.Repeat("é", 61)); short != strings.Repeat("é", 60) || long != short+"…" {
		t.Errorf("%q, %q", short, long)
	}
}

// A written line ends as its neighbour does, or else as the file does.
func TestEol(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		want string
	}{{"a\r\nb\n", 0, "\r\n"}, {"a\r\nb\n", 1, "\n"}, {"a\r\nb", 1, "\r\n"}, {"a\r\nb\n", 7, "\r\n"}, {"a\r\nb\n", -1, "\r\n"}, {"a", 0, "\n"}, {"", 0, "\n"}, {"a\u2028b\r", 0, "\r"}} {
		if got := textOf(tt.text).eol(tt.line); got != tt.want {
			t.Errorf("%q, line %d: %q, want %q", tt.text, tt.line, got, tt.want)
		}
	}
	if got := (Made{Created: [][]string{{"a"}}}); got.Empty() || !(Made{}).Empty() || (Made{Filled: []Blank{{}}}).Empty() {
		t.Error("Made with content is empty")
	}
}

func TestParse_longText_refused(t *testing.T) {
	for size, long := range map[int]bool{0: false, 1: true, 4: true, 5: false, 6: false} {
		if got := unsuitable([]byte("a: 1\n"), Reader{MaxSize: size}); (got != nil) != long {
			t.Errorf("at most %d: %+v", size, got)
		}
	}
}
