package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// pipedWidth is how wide a line is where nobody knows how wide it may be.
const pipedWidth = 120

// screen writes lines for people: control characters of other people's text
// never reach the terminal, marks are coloured where that helps, and a locale
// without UTF-8 gets ASCII.
type screen struct {
	out      io.Writer
	terminal bool
	colour   bool
	ascii    bool
	width    int // columns a line may take
	steps    int // columns of a step's name
	program  string
}

// forwardSteps and undoSteps are as wide as the longest name of a step.
const (
	forwardSteps = 24
	undoSteps    = 29
)

// step is a step's name in its column.
func (s screen) step(id journal.StepID) string { return fmt.Sprintf("%-*s", s.steps, id) }

// Say prints a line for people on stderr, beside whatever a command prints.
func Say(streams Streams, line string) { newScreen(streams, streams.Err).line("%s", line) }

// Note prints a text for people on stderr, in as many lines as it takes.
func Note(streams Streams, text string) { newScreen(streams, streams.Err).prose("   ", text) }

func newScreen(streams Streams, out io.Writer) screen {
	s := screen{out: out, ascii: !streams.utf8(), width: pipedWidth, steps: forwardSteps, program: streams.program()}
	s.terminal = streams.OutTerminal
	if out == streams.Err {
		s.terminal = streams.ErrTerminal
	}
	s.colour = s.terminal && streams.Color
	if s.terminal && streams.Width != nil {
		if width := streams.Width(); width > 0 {
			s.width = min(width, pipedWidth)
		}
	}
	return s
}

// line writes one line, whatever text holds.
func (s screen) line(format string, args ...any) {
	fmt.Fprintln(s.out, s.paint(s.plain(fmt.Sprintf(format, args...))))
}

// diffLine writes one line of a diff, which begins with its sign.
func (s screen) diffLine(indent, text string) {
	colour := ""
	switch {
	case !s.colour:
	case strings.HasPrefix(strings.TrimPrefix(text, "  "), "+"):
		colour = green
	case strings.HasPrefix(strings.TrimPrefix(text, "  "), "-"):
		colour = red
	}
	text = indent + s.plain(text)
	if colour != "" {
		text = colour + text + reset
	}
	fmt.Fprintln(s.out, text)
}

// plain is text as one line without control characters, in ASCII if need be.
func (s screen) plain(text string) string {
	text = strings.TrimRight(plaintext.Line(text), " ")
	if s.ascii {
		text = plaintext.ASCII(text)
	}
	return text
}

// fit is plain, cut to the width.
func (s screen) fit(format string, args ...any) string {
	return plaintext.Clip(s.plain(fmt.Sprintf(format, args...)), s.width, s.ascii)
}

const (
	reset  = "\x1b[0m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	faint  = "\x1b[2m"
)

// markColours are the marks that may begin a line, behind blanks.
var markColours = map[rune]string{'✓': green, '✗': red, '!': yellow, '?': yellow, '◐': cyan, '–': faint, '·': faint}

// paint colours the mark that a line begins with.
func (s screen) paint(text string) string {
	if !s.colour {
		return text
	}
	body := strings.TrimLeft(text, " ")
	mark, size := utf8.DecodeRuneInString(body)
	if s.ascii {
		mark = fromASCII[mark]
	}
	colour, known := markColours[mark]
	if !known || !strings.HasPrefix(body[size:], " ") {
		return text
	}
	return text[:len(text)-len(body)] + colour + body[:size] + reset + body[size:]
}

var fromASCII = map[rune]rune{'v': '✓', 'x': '✗', '>': '◐', '-': '–', '.': '·', '!': '!', '?': '?'}

// wrap breaks text at blanks into lines of at most width columns; a longer word
// stays whole.
func wrap(text string, width int) []string {
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

// Wrapped breaks a text of our own at blanks into lines of at most width columns.
func Wrapped(text string, width int) []string { return wrap(text, width) }

// HelpWidth is how wide help may be: as the terminal, else as a terminal usually is.
func HelpWidth(streams Streams) int {
	const usual, least = 80, 72 // below it the library breaks no line any more
	if s := newScreen(streams, streams.Out); s.terminal && streams.Width != nil && streams.Width() > 0 {
		return max(s.width, least)
	}
	return usual
}
