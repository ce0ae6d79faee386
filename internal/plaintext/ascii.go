package plaintext

import (
	"strings"
	"unicode/utf8"
)

// asciiMarks has one column for the marks of one column, so that tables stay aligned.
var asciiMarks = map[rune]string{'✓': "v", '✗': "x", '◐': ">", '–': "-", '−': "-", '·': "|", '→': "->", '…': "...", '×': "x", '≤': "<=", '≥': ">=", '“': `"`, '”': `"`, '●': "#", '○': "."}

// ASCII is text in ASCII: marks as those that come near, anything else as a question mark.
func ASCII(text string) string {
	var out strings.Builder
	begun := false
	for _, r := range text {
		if !begun && r == '·' { // a mark; further on it stands between parts of a line
			r = '.'
		}
		begun = begun || r != ' '
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
