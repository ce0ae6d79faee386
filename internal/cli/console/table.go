package console

import (
	"strings"
	"unicode/utf8"
)

// Header prints lines with a label in the first column. On a terminal, long lines continue below their
// text, next to the label.
func (s Screen) Header(lines []string) {
	for _, line := range lines {
		if s.Terminal {
			s.Wrapped(Hanging(line))
		} else {
			s.Line("%s", line)
		}
	}
}

// Hanging splits a line after its columns, such as a label, or a mark and an ID. A wrapped text continues
// there. Columns are separated by two or more blanks.
func Hanging(line string) (columns, text string) {
	const maxColumns = 20 // width of the columns
	text = strings.TrimLeft(line, " ")
	for {
		_, rest, found := strings.Cut(text, "  ")
		rest = strings.TrimLeft(rest, " ")
		if !found || rest == "" || len(line)-len(rest) > maxColumns {
			return line[:len(line)-len(text)], text
		}
		text = rest
	}
}

// TableRow returns the lines of one row: a prefix, a wrapped text, and a tail at the right end of the first
// line.
func TableRow(prefix, text, tail string, width int) []string {
	const gap = 2
	indent := utf8.RuneCountInString(prefix)
	room := max(width-indent, 20)
	if tail != "" {
		room -= gap + utf8.RuneCountInString(tail)
	}
	parts := []string{text} // keeps its blanks if it fits
	if utf8.RuneCountInString(text) > room {
		parts = Wrapped(text, max(room, 20))
	}
	var lines []string
	for i, part := range parts {
		if i > 0 {
			lines = append(lines, strings.Repeat(" ", indent)+part)
			continue
		}
		line := prefix + part
		if tail != "" {
			line += strings.Repeat(" ", max(width-utf8.RuneCountInString(line)-utf8.RuneCountInString(tail), gap)) + tail
		}
		lines = append(lines, line)
	}
	return lines
}

// Wrapped breaks text at blanks into lines of at most width columns. Longer words stay whole.
func Wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
