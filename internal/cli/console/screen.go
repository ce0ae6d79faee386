package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// PipedWidth is how wide a line is where nobody knows how wide it may be.
const PipedWidth = 120

// Screen writes lines for people: control characters of other people's text
// never reach the terminal, marks are coloured where that helps, and a locale
// without UTF-8 gets ASCII.
type Screen struct {
	Out      io.Writer
	Terminal bool
	ASCII    bool   // the locale has no UTF-8
	Width    int    // columns a line may take
	Program  string // what people type to start this one
	colour   bool
}

// Say prints a line for people on stderr, beside whatever a command prints.
func Say(streams Streams, line string) { NewScreen(streams, streams.Err).Line("%s", line) }

// Note prints a text for people on stderr, in as many lines as it takes.
func Note(streams Streams, text string) { NewScreen(streams, streams.Err).Prose("   ", text) }

// NewScreen is the one behind out, which is one of these streams or takes lines for it.
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

// Piped is the screen once its lines go to a file.
func (s Screen) Piped() Screen {
	s.Terminal, s.colour, s.Width = false, false, PipedWidth
	return s
}

// Line writes one line, whatever text holds.
func (s Screen) Line(format string, args ...any) {
	fmt.Fprintln(s.Out, s.paint(s.Plain(fmt.Sprintf(format, args...))))
}

// Plain is text as one line without control characters, in ASCII if need be.
func (s Screen) Plain(text string) string {
	text = strings.TrimRight(plaintext.Line(text), " ")
	if s.ASCII {
		text = plaintext.ASCII(text)
	}
	return text
}

// Fit is Plain, cut to the width.
func (s Screen) Fit(format string, args ...any) string {
	return plaintext.Clip(s.Plain(fmt.Sprintf(format, args...)), s.Width, s.ASCII)
}

// HelpWidth is how wide help may be: as the terminal, else as a terminal usually is.
func HelpWidth(streams Streams) int {
	const usual, least = 80, 72 // below it the library breaks no line any more
	if s := NewScreen(streams, streams.Out); s.Terminal && streams.Width != nil && streams.Width() > 0 {
		return max(s.Width, least)
	}
	return usual
}
