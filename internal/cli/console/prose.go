package console

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Prose writes text behind a prefix, in as many lines as it takes.
func (s Screen) Prose(prefix, text string) {
	if line := s.Plain(prefix + text); utf8.RuneCountInString(line) <= s.Width {
		s.Line("%s", line)
		return
	}
	for _, line := range TableRow(prefix, s.Plain(text), "", s.Width) {
		s.Line("%s", s.Fit("%s", line))
	}
}

// Wrapped is Prose in which a word that is longer than a line is whole, for whoever copies
// it.
func (s Screen) Wrapped(prefix, text string) {
	for _, line := range TableRow(prefix, s.Plain(text), "", s.Width) {
		s.Line("%s", line)
	}
}

// Whole is Wrapped on a terminal, and one line elsewhere: whoever reads a file finds each
// entry in a line of its own.
func (s Screen) Whole(prefix, text string) {
	if !s.Terminal {
		s.Line("%s", prefix+s.Plain(text))
		return
	}
	s.Wrapped(prefix, text)
}

// shellCommand is one, at the end of a fix.
var shellCommand = regexp.MustCompile(`(?:^|: )((?:aws|helm|kubectl|rke) .+)$`)

// Remedy is Prose that leaves a command in one line, however long, so that it can
// be pasted.
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
