package plaintext

import (
	"strings"
	"unicode/utf8"
)

// asciiMarks has one column for the marks of one column, so that tables stay aligned.
var asciiMarks = map[rune]string{'✓': "+", '✗': "x", '◐': ">", '–': "-", '−': "-", '·': "|", '→': "->", '…': "...", '×': "x", '≤': "<=", '≥': ">=", '“': `"`, '”': `"`}

// ASCII is text in ASCII: marks as those that come near, anything else as a question mark.
func ASCII(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch short, known := asciiMarks[r]; {
		case known:
			out.WriteString(short)
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		default:
			out.WriteByte('?')
		}
	}
	return out.String()
}
