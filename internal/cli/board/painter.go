package board

import (
	"fmt"
	"io"
	"strings"
)

// Painter keeps a frame at the end of a terminal. The cursor stays at the beginning of the frame's first
// line: a terminal that reflows lines after a resize moves the cursor along, so that the whole frame
// stays behind it. Painter uses no alternate screen and sets no terminal mode. Only one goroutine may
// use it at a time.
type Painter struct {
	// Screen receives the frames. It may drop them.
	Screen io.Writer
	shown  []string
	width  int // the width that shown was drawn for
}

const (
	lineStart   = "\r"
	eraseLine   = "\x1b[K"
	eraseScreen = "\x1b[J" // from the cursor on
)

// Draw replaces the current frame in one write.
func (p *Painter) Draw(frame []string, width int) {
	if len(frame) == 0 {
		p.Clear()
		return
	}
	var out strings.Builder
	out.WriteString(lineStart)
	if width != p.width {
		out.WriteString(eraseScreen)
	}
	for i, line := range frame {
		if i > 0 {
			out.WriteString("\r\n")
		}
		out.WriteString(eraseLine) // before the text: after a full line it would erase its last character
		out.WriteString(line)
	}
	if len(p.shown) > len(frame) {
		fmt.Fprintf(&out, "\r\n%s\x1b[A", eraseScreen)
	}
	out.WriteString(lineStart)
	if up := len(frame) - 1; up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	p.shown, p.width = frame, width
	p.write(out.String())
}

// Clear erases the frame before permanent lines are written.
func (p *Painter) Clear() {
	if len(p.shown) == 0 {
		return
	}
	p.shown, p.width = nil, 0
	p.write(lineStart + eraseScreen)
}

// Shown reports whether a frame is on the screen.
func (p *Painter) Shown() bool { return len(p.shown) > 0 }

// write ignores errors: the terminal may be gone.
func (p *Painter) write(text string) { _, _ = io.WriteString(p.Screen, text) }
