package console

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Prose writes a prefix and a text, wrapped to the width.
func (s Screen) Prose(prefix, text string) {
	if line := s.Plain(prefix + text); utf8.RuneCountInString(line) <= s.Width {
		s.Line("%s", line)
		return
	}
	for _, line := range TableRow(prefix, s.Plain(text), "", s.Width) {
		s.Line("%s", s.Fit("%s", line))
	}
}

// Wrapped is like Prose but keeps words whole that are longer than a line, so that they can be copied.
func (s Screen) Wrapped(prefix, text string) {
	for _, line := range TableRow(prefix, s.Plain(text), "", s.Width) {
		s.Line("%s", line)
	}
}

// Whole is like Wrapped on a terminal. Elsewhere it writes one line, so that each entry of a file is one
// line.
func (s Screen) Whole(prefix, text string) {
	if !s.Terminal {
		s.Line("%s", prefix+s.Plain(text))
		return
	}
	s.Wrapped(prefix, text)
}

// shellCommand matches a command at the end of a fix.
var shellCommand = regexp.MustCompile(`(?:^|: )((?:aws|helm|kubectl|rke) .+)$`)

// Remedy is like Prose but keeps a command on one line, so that it can be pasted.
func (s Screen) Remedy(prefix, fix string) {
	match := shellCommand.FindStringSubmatchIndex(fix)
	if match == nil || utf8.RuneCountInString(s.Plain(prefix+fix)) <= s.Width {
		s.Prose(prefix, fix)
		return
	}
	if words := strings.TrimSpace(fix[:match[2]]); words != "" {
		s.Prose(prefix, words)
		prefix = "             "
	}
	s.Line("%s%s", prefix, fix[match[2]:])
}
