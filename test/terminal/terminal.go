// Package terminal is a terminal for tests: it shows the screen that a person would see, by an
// emulator from another project.
package terminal

import (
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/vt"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// Terminal is a screen of a given size.
type Terminal struct {
	mu      sync.Mutex
	screen  *vt.Emulator
	resized chan os.Signal
}

// New returns an empty terminal.
func New(width, height int) *Terminal {
	return &Terminal{screen: vt.NewEmulator(width, height), resized: make(chan os.Signal, 1)}
}

// Write implements io.Writer. Like a terminal's driver, it starts each line in the first column.
func (t *Terminal) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n")
	_, err := t.screen.WriteString(whole)
	return len(text), err
}

// Resize changes the width and signals it.
func (t *Terminal) Resize(width int) {
	t.mu.Lock()
	t.screen.Resize(width, t.screen.Height())
	t.mu.Unlock()
	select {
	case t.resized <- syscall.SIGWINCH:
	default:
	}
}

// Lines returns the lines of the screen without trailing blanks.
func (t *Terminal) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.screen.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

// Cursor returns the cursor's line, from 0, and column.
func (t *Terminal) Cursor() (line, column int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.screen.CursorPosition()
	return at.Y, at.X
}

// Width returns the number of columns.
func (t *Terminal) Width() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Width()
}

// Height returns the number of lines.
func (t *Terminal) Height() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Height()
}

// Streams returns the streams of a process on the terminal.
func (t *Terminal) Streams() console.Streams {
	return console.Streams{Out: t, Err: t, InTerminal: true, OutTerminal: true, ErrTerminal: true, Color: true,
		Env: func(string) string { return "" }, Width: t.Width, Height: t.Height,
		Resized: func() (<-chan os.Signal, func()) { return t.resized, func() {} }}
}
