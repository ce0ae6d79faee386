package board

import (
	"fmt"
	"io"
	"strings"
)

// Painter keeps a frame at the end of a terminal. The cursor rests at the beginning of
// its first line: a terminal that breaks lines anew when its width changes takes the
// cursor along, so that whatever became of the frame lies behind it. It uses no alternate
// screen and sets no mode of the terminal. It may be used by one goroutine at a time.
type Painter struct {
	// Screen takes what draws and takes away the frame, and may drop it.
	Screen io.Writer
	shown  []string
	width  int // that shown was drawn for
}

const (
	lineStart   = "\r"
	eraseLine   = "\x1b[K"
	eraseScreen = "\x1b[J" // from the cursor on
)

// Draw puts a frame in the place of the one before, in one write.
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
		out.WriteString(eraseLine) // before the text: behind a full line it would take its last character
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

// Clear takes the frame away, for what stays.
func (p *Painter) Clear() {
	if len(p.shown) == 0 {
		return
	}
	p.shown, p.width = nil, 0
	p.write(lineStart + eraseScreen)
}

// Shown says whether a frame is on the screen.
func (p *Painter) Shown() bool { return len(p.shown) > 0 }

// write is the one that a terminal which is gone need not take.
func (p *Painter) write(text string) { _, _ = io.WriteString(p.Screen, text) }
