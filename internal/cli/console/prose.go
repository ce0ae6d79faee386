package console

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Header prints lines with a label in the first column. Long lines continue below their text.
func (s Screen) Header(lines []string) {
	for _, line := range lines {
		s.Hang(line)
	}
}

// Hang prints a line. If it is too long, it continues below its text, next to its first columns.
func (s Screen) Hang(line string) { s.Prose(Hanging(s.Plain(line))) }

// Prose prints a prefix and a text that continues below itself.
func (s Screen) Prose(prefix, text string) { s.Row(prefix, text, "") }

// Row is like Prose, with a tail at the right end of the first line.
func (s Screen) Row(prefix, text, tail string) {
	for _, line := range s.Layout.Row(s.clean(prefix), s.Plain(text), s.Plain(tail)) {
		s.Line("%s", line)
	}
}

// Item prints a text that continues deeper than it begins, to be distinct from the next one.
func (s Screen) Item(indent, text string) {
	const deeper = "   "
	for i, line := range s.Wrap(s.Plain(text), s.itemWidth(indent+deeper)) {
		s.Line("%s%s%s", indent, []string{"", deeper}[min(i, 1)], line)
	}
}

// itemWidth returns the room next to an indent.
func (s Screen) itemWidth(indent string) int {
	if s.Width <= 0 {
		return math.MaxInt
	}
	return s.Paragraph() - len(indent)
}

// Command prints a command next to its prefix, or whole on a separate line if it does not fit.
func (s Screen) Command(prefix, command string) {
	command = s.Plain(command)
	if s.Width <= 0 || s.Columns(prefix+command) <= s.Width {
		s.Line("%s%s", prefix, command)
		return
	}
	indent := len(prefix)
	if label := strings.TrimLeft(prefix, " "); label != "" {
		s.Line("%s", prefix)
		indent += 2 - len(label)
	}
	indent = max(min(indent, s.Width-s.Columns(command)), 2)
	s.Line("%s%s", strings.Repeat(" ", indent), command)
}

// shellCommand matches the beginning of a command in a fix.
var shellCommand = regexp.MustCompile(`(?:^|[:;] )((?:aws|helm|kubectl|rke|awsmigrate) )`)

// Remedy is like Prose, but on a terminal a command has a separate line, so that it can be copied.
func (s Screen) Remedy(prefix, fix string) {
	if s.Width <= 0 {
		s.Prose(prefix, fix)
		return
	}
	indent := strings.Repeat(" ", s.Columns(prefix))
	for fix != "" {
		words, command, rest := cutCommand(fix)
		if words != "" {
			s.Prose(prefix, words)
			prefix = indent
		}
		if command != "" {
			s.Command(prefix, command)
			prefix = indent
		}
		fix = rest
	}
}

// cutCommand splits a fix into the words before its first command, the command, and the rest. A command ends
// before a semicolon: fault.Command quotes its own.
func cutCommand(fix string) (words, command, rest string) {
	at := shellCommand.FindStringSubmatchIndex(fix)
	if at == nil {
		return fix, "", ""
	}
	words, command = strings.TrimSpace(fix[:at[2]]), fix[at[2]:]
	inQuotes := false
	for i, r := range command {
		switch {
		case r == '\'':
			inQuotes = !inQuotes
		case r == ';' && !inQuotes:
			return words, command[:i], strings.TrimSpace(command[i+1:])
		}
	}
	return words, command, ""
}

// Block prints lines as they are, without control characters.
func (s Screen) Block(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(s.Out, s.Plain(line))
	}
}
