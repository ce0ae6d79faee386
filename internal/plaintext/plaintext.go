// Package plaintext makes text of others harmless: one line, of bounded length, without
// control characters. It is a leaf, and knows no terminal.
package plaintext

import (
	"strings"
	"unicode"
)

// Line is text as one line: other people's text must not move the cursor,
// colour what follows, turn the writing direction, or begin a line of its own.
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

// Clip cuts text to most characters, the last of which say that something is missing.
func Clip(text string, most int, ascii bool) string {
	end := "…"
	if ascii {
		end = "..."
	}
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(most-len([]rune(end)), 0)]) + end
}

// longest is how much of one text of the cluster is kept, in characters.
const longest = 2000

// Tidy is text of the cluster as one bounded line without control characters.
func Tidy(text string) string {
	if len(text) > 4*longest {
		text = text[:4*longest] // runes are 4 bytes at most
	}
	return Clip(Line(text), longest, false)
}
