package plaintext

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"plain ✓ ä":                 "plain ✓ ä",
		"\x1b[31mred\x1b[0m":        "·[31mred·[0m",
		"a\rb\nerror: c\td":         "a b error: c d",
		"\u202eright to left\u2066": "·right to left·",
		"c1 \u009b31m":              "c1 ·31m",
		"bell\a nul\x00 del\x7f":    "bell· nul· del·",
		"line\u2028separator":       "line·separator",
		"bad \xff utf-8":            "bad \uFFFD utf-8",
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Tidy is idempotent: views may call it again.
func TestTidy_longText_isBounded(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("ä\x1b", 1<<20), strings.Repeat("\xff", 9000)} {
		once := Tidy(text)
		if n := len([]rune(once)); n > maxTidy || Tidy(once) != once {
			t.Errorf("%d characters, again %d", n, len(Tidy(once)))
		}
	}
}

func TestASCII(t *testing.T) {
	for mark, want := range map[string]string{"·  to do": ".  to do", "  · to do": "  . to do", "a · b": "a | b"} {
		if got := ASCII(mark); got != want {
			t.Errorf("%q in ASCII: %q", mark, got)
		}
	}
	if got := ASCII("✓ – ◐ a → b (+1 −0) … ä"); got != "v - > a -> b (+1 -0) ... ?" {
		t.Errorf("in ASCII: %q", got)
	}
}
