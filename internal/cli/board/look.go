package board

import (
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// Look is what a terminal can show.
type Look struct {
	Width   int  // columns of a line
	Height  int  // lines, 0 if that is not known
	Colour  bool // it may be coloured
	Unicode bool // else ASCII
	// Wide: characters of ambiguous width may take two columns, as in terminals of
	// Chinese, Japanese and Korean locales.
	Wide bool
}

// narrow screens, in columns, indent what goes on below by little.
const narrow = 60

var (
	spinUnicode = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	spinASCII   = []string{"|", "/", "-", `\`}
)

// spin is another sign each second.
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

func (l Look) done() string   { return l.pick("✓", "ok") }
func (l Look) waits() string  { return l.pick("·", ".") }
func (l Look) unseen() string { return "?" }
func (l Look) full() string   { return l.pick("●", "#") }
func (l Look) empty() string  { return l.pick("○", ".") }
func (l Look) more() string   { return l.pick("…", "...") }

// text is text of others in the characters that can be shown.
func (l Look) text(text string) string {
	if l.Unicode {
		return text
	}
	return plaintext.ASCII(text)
}
