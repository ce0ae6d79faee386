package console

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	reset  = "\x1b[0m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	faint  = "\x1b[2m"
)

// markColours maps the marks at the beginning of a line, after blanks, to their colors.
var markColours = map[rune]string{'✓': green, '✗': red, '!': yellow, '?': yellow, '◐': cyan, '–': faint, '·': faint}

// paint colors the mark at the beginning of a line.
func (s Screen) paint(text string) string {
	if !s.colour {
		return text
	}
	body := strings.TrimLeft(text, " ")
	mark, size := utf8.DecodeRuneInString(body)
	if s.ASCII {
		mark = fromASCII[mark]
	}
	colour, known := markColours[mark]
	if !known || !strings.HasPrefix(body[size:], " ") {
		return text
	}
	return text[:len(text)-len(body)] + colour + body[:size] + reset + body[size:]
}

var fromASCII = map[rune]rune{'v': '✓', 'x': '✗', '>': '◐', '-': '–', '.': '·', '!': '!', '?': '?'}

// DiffLine writes one line of a diff. The line begins with its sign. On a terminal it continues below its
// text.
func (s Screen) DiffLine(indent, text string) {
	colour := ""
	switch {
	case !s.colour:
	case strings.HasPrefix(strings.TrimPrefix(text, "  "), "+"):
		colour = green
	case strings.HasPrefix(strings.TrimPrefix(text, "  "), "-"):
		colour = red
	}
	text = s.Plain(text)
	body := strings.TrimLeft(text, "+-~ ")
	for _, line := range s.Layout.Row(indent+text[:len(text)-len(body)], body, "") {
		if colour != "" {
			line = colour + line + reset
		}
		fmt.Fprintln(s.Out, line)
	}
}
