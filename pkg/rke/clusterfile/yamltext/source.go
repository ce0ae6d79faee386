package yamltext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// line holds the byte offsets of one line. The break is between end and next; on a last line
// without a break the two are equal.
type line struct{ start, end, next int }

// source is a text split into lines as the YAML scanner splits it: at CR, LF, CRLF, NEL, LS and
// PS (go-yaml's yamlprivateh.go, is_break). Editors that count only LF may number lines
// differently in files with the last three.
type source struct {
	text  []byte
	lines []line
}

func newSource(text []byte) source {
	s := source{text: text}
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && breakLen(text[end:]) == 0 {
			end++
		}
		next := end + breakLen(text[end:])
		s.lines = append(s.lines, line{at, end, next})
		at = next
	}
	return s
}

func breakLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")), bytes.HasPrefix(b, []byte("\u0085")):
		return 2
	case len(b) > 0 && (b[0] == '\n' || b[0] == '\r'):
		return 1
	case bytes.HasPrefix(b, []byte("\u2028")), bytes.HasPrefix(b, []byte("\u2029")):
		return 3
	}
	return 0
}

// bom returns the length of the byte order mark, which positions do not count.
func (s source) bom() int {
	if bytes.HasPrefix(s.text, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

// offset returns the byte offset of a node's position, whose line and column start at 1 and
// count characters, or -1 if there is no such place.
func (s source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) || column < 1 {
		return -1
	}
	l := s.lines[line-1]
	at := l.start
	if line == 1 {
		at += s.bom()
	}
	for ; column > 1; column-- {
		if at >= l.end {
			return -1
		}
		_, size := utf8.DecodeRune(s.text[at:l.end])
		at += size
	}
	return at
}

// lineAt returns the index of the line that contains a byte offset.
func (s source) lineAt(offset int) int {
	lo, hi := 0, len(s.lines)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.lines[mid].next <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return min(lo, len(s.lines)-1)
}

// content returns a line without its break.
func (s source) content(i int) string {
	return string(s.text[s.lines[i].start:s.lines[i].end])
}

// whole returns a line with its break.
func (s source) whole(i int) string {
	return string(s.text[s.lines[i].start:s.lines[i].next])
}

// indent returns the number of spaces at the beginning of a line.
func (s source) indent(i int) int {
	c := strings.TrimPrefix(s.content(i), byteOrderMark)
	return len(c) - len(strings.TrimLeft(c, " "))
}

func (s source) blank(i int) bool {
	return strings.Trim(s.content(i), " \t"+byteOrderMark) == ""
}

func (s source) blankOrComment(i int) bool {
	c := strings.TrimLeft(s.content(i), " \t"+byteOrderMark)
	return c == "" || c[0] == '#'
}

// eol returns the break to write below line i: its own, or else the file's first.
func (s source) eol(i int) string {
	if i >= 0 && i < len(s.lines) {
		if b := s.lineBreak(i); b != "" {
			return b
		}
	}
	for j := range s.lines {
		if b := s.lineBreak(j); b != "" {
			return b
		}
	}
	return "\n"
}

func (s source) lineBreak(i int) string {
	switch b := string(s.text[s.lines[i].end:s.lines[i].next]); b {
	case "\n", "\r\n", "\r":
		return b
	default:
		return ""
	}
}

// ended reports whether the last line has a break.
func (s source) ended() bool {
	n := len(s.lines)
	return n == 0 || s.lines[n-1].end < s.lines[n-1].next
}

// join returns the text of the lines [from,to).
func (s source) join(from, to int) string {
	return string(s.text[s.offsetOfLine(from):s.offsetOfLine(to)])
}

// offsetOfLine returns the offset of a line's first byte, or the length of the text for the
// index after the last line.
func (s source) offsetOfLine(i int) int {
	if i < len(s.lines) {
		return s.lines[i].start
	}
	return len(s.text)
}

// same reports whether the lines [from,to) equal those of other from its line at.
func (s source) same(from, to int, other source, at int) bool {
	for i := from; i < to; i++ {
		if s.whole(i) != other.whole(at+i-from) {
			return false
		}
	}
	return true
}
