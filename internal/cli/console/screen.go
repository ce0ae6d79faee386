package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// usualWidth is the width of a terminal of unknown size.
const usualWidth = 80

// Screen writes lines for people. It removes control characters of foreign text, colors marks on a
// terminal, and writes ASCII if the locale has no UTF-8. Without a terminal no line is wrapped.
type Screen struct {
	Layout
	Out      io.Writer
	Terminal bool
	ASCII    bool   // whether the locale has no UTF-8
	Program  string // how users start this program
	colour   bool
}

// Say prints a line for people on stderr.
func Say(streams Streams, line string) { NewScreen(streams, streams.Err).Prose("", line) }

// Note prints a text for people on stderr, wrapped to the width.
func Note(streams Streams, text string) { NewScreen(streams, streams.Err).Prose("   ", text) }

// NewScreen returns the screen for out, which is one of the streams or a writer in front of stdout.
func NewScreen(streams Streams, out io.Writer) Screen {
	s := Screen{Out: out, ASCII: !streams.UTF8(), Program: streams.program()}
	s.Terminal = streams.OutTerminal
	if out == streams.Err {
		s.Terminal = streams.ErrTerminal
	}
	s.colour = s.Terminal && streams.Color
	if s.Terminal {
		s.Layout = Layout{Width: usualWidth, Wide: !s.ASCII && streams.WideLocale()}
		if streams.Width != nil && streams.Width() > 0 {
			s.Width = streams.Width()
		}
	}
	return s
}

// Piped returns the screen for lines that go to a file.
func (s Screen) Piped() Screen {
	s.Terminal, s.colour, s.Layout = false, false, Layout{}
	return s
}

// Above returns the screen for lines that go through out, which paints them itself.
func (s Screen) Above(out io.Writer) Screen {
	s.Out, s.colour = out, false
	return s
}

// Line writes one formatted line without control characters.
func (s Screen) Line(format string, args ...any) {
	fmt.Fprintln(s.Out, s.paint(s.Plain(fmt.Sprintf(format, args...))))
}

// Plain returns text as one line without control characters, in ASCII if the locale requires it.
func (s Screen) Plain(text string) string {
	return s.clean(strings.TrimRight(plaintext.Line(text), " "))
}

// clean is like Plain but keeps the blanks at the end.
func (s Screen) clean(text string) string {
	text = plaintext.Line(text)
	if s.ASCII {
		text = plaintext.ASCII(text)
	}
	return text
}

// HelpWidth returns the width of help texts: the terminal's, or the usual width without a terminal.
func HelpWidth(streams Streams) int {
	const usual, minWidth = 80, 72 // below minWidth the library does not wrap
	if s := NewScreen(streams, streams.Out); s.Terminal && streams.Width != nil && streams.Width() > 0 {
		return max(s.Paragraph(), minWidth)
	}
	return usual
}
