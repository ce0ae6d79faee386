package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// PipedWidth is the width of a line if the terminal's width is not known.
const PipedWidth = 120

// Screen writes lines for people. It removes control characters of foreign text, colors marks on a
// terminal, and writes ASCII if the locale has no UTF-8.
type Screen struct {
	Out      io.Writer
	Terminal bool
	ASCII    bool   // whether the locale has no UTF-8
	Width    int    // columns of a line
	Program  string // how users start this program
	colour   bool
}

// Say prints a line for people on stderr.
func Say(streams Streams, line string) { NewScreen(streams, streams.Err).Line("%s", line) }

// Note prints a text for people on stderr, wrapped to the width.
func Note(streams Streams, text string) { NewScreen(streams, streams.Err).Prose("   ", text) }

// NewScreen returns the screen for out, which is one of the streams or a writer in front of stdout.
func NewScreen(streams Streams, out io.Writer) Screen {
	s := Screen{Out: out, ASCII: !streams.UTF8(), Width: PipedWidth, Program: streams.program()}
	s.Terminal = streams.OutTerminal
	if out == streams.Err {
		s.Terminal = streams.ErrTerminal
	}
	s.colour = s.Terminal && streams.Color
	if s.Terminal && streams.Width != nil {
		if width := streams.Width(); width > 0 {
			s.Width = min(width, PipedWidth)
		}
	}
	return s
}

// Piped returns the screen for lines that go to a file.
func (s Screen) Piped() Screen {
	s.Terminal, s.colour, s.Width = false, false, PipedWidth
	return s
}

// Line writes one formatted line without control characters.
func (s Screen) Line(format string, args ...any) {
	fmt.Fprintln(s.Out, s.paint(s.Plain(fmt.Sprintf(format, args...))))
}

// Plain returns text as one line without control characters, in ASCII if the locale requires it.
func (s Screen) Plain(text string) string {
	text = strings.TrimRight(plaintext.Line(text), " ")
	if s.ASCII {
		text = plaintext.ASCII(text)
	}
	return text
}

// Fit is like Plain but cuts the line to the width.
func (s Screen) Fit(format string, args ...any) string {
	return plaintext.Clip(s.Plain(fmt.Sprintf(format, args...)), s.Width, s.ASCII)
}

// HelpWidth returns the width of help texts: the terminal's, or the usual width without a terminal.
func HelpWidth(streams Streams) int {
	const usual, minWidth = 80, 72 // below minWidth the library does not wrap
	if s := NewScreen(streams, streams.Out); s.Terminal && streams.Width != nil && streams.Width() > 0 {
		return max(s.Width, minWidth)
	}
	return usual
}
