package plaintext

import (
	"strings"
	"unicode/utf8"
)

// asciiMarks maps marks of one column to one ASCII column where possible, so that tables stay
// aligned.
var asciiMarks = map[rune]string{'✓': "v", '✗': "x", '◐': ">", '–': "-", '−': "-", '·': "|", '→': "->", '…': "...", '×': "x", '≤': "<=", '≥': ">=", '“': `"`, '”': `"`, '●': "#", '○': "."}

// ASCII returns text in ASCII. It replaces marks by similar characters, and everything else by a
// question mark.
func ASCII(text string) string {
	var out strings.Builder
	begun := false
	for _, r := range text {
		if !begun && r == '·' { // a leading dot is a mark; later ones separate parts of a line
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
