// Package plaintext sanitizes foreign text: one line, of limited length, without control
// characters. It is a leaf and does not know terminals.
package plaintext

import (
	"strings"
	"unicode"
)

// Line returns text as one line. Foreign text must not move the cursor, change colours or the
// writing direction, or start a new line.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return '·'
		}
		return r
	}, text)
}

// Clip cuts text to at most limit characters, including a mark for the removed part.
func Clip(text string, limit int, ascii bool) string {
	end := "…"
	if ascii {
		end = "..."
	}
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:max(limit-len([]rune(end)), 0)]) + end
}

// maxTidy is the maximum length of one text of a cluster, in characters.
const maxTidy = 2000

// Tidy returns foreign text as one line of limited length without control characters.
func Tidy(text string) string {
	if len(text) > 4*maxTidy {
		text = text[:4*maxTidy] // a rune has at most 4 bytes
	}
	return Clip(Line(text), maxTidy, false)
}
