package board

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// Look describes what a terminal can show.
type Look struct {
	Width   int  // columns of a line
	Height  int  // lines, or 0 if unknown
	Colour  bool // whether colors may be used
	Unicode bool // whether Unicode may be used instead of ASCII
	// Wide reports whether characters of ambiguous width may use two columns, as in terminals with
	// Chinese, Japanese and Korean locales.
	Wide bool
}

// narrowWidth is the width in columns up to which continuation lines are indented less.
const narrowWidth = 60

var (
	spinUnicode = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	spinASCII   = []string{"|", "/", "-", `\`}
)

// spin returns the sign of the current second.
func (l Look) spin(now time.Time) string {
	frames := spinASCII
	if l.Unicode {
		frames = spinUnicode
	}
	return frames[int(now.Unix()%int64(len(frames)))]
}

func (l Look) pick(unicode, ascii string) string {
	if l.Unicode {
		return unicode
	}
	return ascii
}

func (l Look) doneMark() string   { return l.pick("✓", "ok") }
func (l Look) waitMark() string   { return l.pick("·", ".") }
func (l Look) unseenMark() string { return "?" }
func (l Look) full() string       { return l.pick("●", "#") }
func (l Look) empty() string      { return l.pick("○", ".") }
func (l Look) ellipsis() string   { return l.pick("…", "...") }

// text converts text to the characters that the terminal can show.
func (l Look) text(text string) string {
	if l.Unicode {
		return text
	}
	return plaintext.ASCII(text)
}
