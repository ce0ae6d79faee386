// Package terminal is a terminal for tests: what a person would see of what was written
// to it, by an emulator that others keep.
package terminal

import (
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/vt"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// Terminal is a screen of some size.
type Terminal struct {
	mu      sync.Mutex
	screen  *vt.Emulator
	resized chan os.Signal
}

// New is an empty one.
func New(width, height int) *Terminal {
	return &Terminal{screen: vt.NewEmulator(width, height), resized: make(chan os.Signal, 1)}
}

// Write implements io.Writer. As the driver of a terminal does, it begins a line at its
// first column.
func (t *Terminal) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n")
	_, err := t.screen.WriteString(whole)
	return len(text), err
}

// Resize gives it another width, and tells.
func (t *Terminal) Resize(width int) {
	t.mu.Lock()
	t.screen.Resize(width, t.screen.Height())
	t.mu.Unlock()
	select {
	case t.resized <- syscall.SIGWINCH:
	default:
	}
}

// Lines are those of the screen, without the blanks at their ends.
func (t *Terminal) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.screen.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

// Cursor is the line that the cursor is in, from 0 on, and its column.
func (t *Terminal) Cursor() (line, column int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.screen.CursorPosition()
	return at.Y, at.X
}

// Width is how many columns it has.
func (t *Terminal) Width() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Width()
}

// Height is how many lines it has.
func (t *Terminal) Height() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Height()
}

// Streams are those of a process on it.
func (t *Terminal) Streams() console.Streams {
	return console.Streams{Out: t, Err: t, InTerminal: true, OutTerminal: true, ErrTerminal: true, Color: true,
		Env: func(string) string { return "" }, Width: t.Width, Height: t.Height,
		Resized: func() (<-chan os.Signal, func()) { return t.resized, func() {} }}
}
