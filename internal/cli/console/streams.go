package console

import (
	"cmp"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Streams holds the three standard streams and their properties.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal report which streams are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// Program is the command with which users start this program. It may be empty.
	Program string
	// Color is false if NO_COLOR is set or the terminal is dumb.
	Color bool
	// Env looks up an environment variable.
	Env func(string) string
	// Width and Height return the size of the terminal in columns and lines, or 0 if it is unknown.
	Width, Height func() int
	// Resized returns a channel that receives a value when the terminal's size changes, and a
	// function that ends that. It may be nil.
	Resized func() (<-chan os.Signal, func())
	// Keys returns a channel of pressed keys and a function that restores the terminal. It is nil
	// if standard input is not a terminal.
	Keys func() (keys <-chan byte, restore func(), err error)
}

func (s Streams) program() string { return cmp.Or(s.Program, "awsmigrate") }

// UTF8 reports whether the locale uses UTF-8. Without a locale, as in most containers, it returns true.
// For C and POSIX it returns false.
func (s Streams) UTF8() bool {
	if s.Env == nil {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale := strings.ToLower(s.Env(name))
		if locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// SystemStreams returns the streams of this process.
func SystemStreams() Streams {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	s := Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Env: os.Getenv,
		Width:   func() int { width, _ := terminalSize(os.Stderr, os.Stdout); return width },
		Height:  func() int { _, height := terminalSize(os.Stderr, os.Stdout); return height },
		Resized: watchResize,
	}
	if s.InTerminal {
		s.Keys = func() (<-chan byte, func(), error) { return keysOf(os.Stdin) }
	}
	return s
}

// terminalSize returns the size of the first terminal among files, or 0, 0 without one.
func terminalSize(files ...*os.File) (width, height int) {
	for _, f := range files {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			return width, height
		}
	}
	return 0, 0
}

// WideLocale reports whether characters of ambiguous width may use two columns.
func (s Streams) WideLocale() bool {
	if s.Env == nil {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(s.Env(name)); locale != "" {
			return strings.HasPrefix(locale, "zh") || strings.HasPrefix(locale, "ja") || strings.HasPrefix(locale, "ko")
		}
	}
	return false
}
