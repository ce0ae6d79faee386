package console

import (
	"cmp"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Streams are the three standard streams and what is known of them.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// OutTerminal, ErrTerminal and InTerminal say which of them is a terminal.
	InTerminal, OutTerminal, ErrTerminal bool
	// Program is what people type to start this one; "": its name.
	Program string
	// Color is false when NO_COLOR is set, whatever the terminal.
	Color bool
	// Env looks up an environment variable.
	Env func(string) string
	// Width is the terminal's, in columns, 0 if it is not known; Height in lines.
	Width, Height func() int
	// Resized gives a channel that gets a value when the terminal has another size, and
	// what ends that; nil: nobody knows.
	Resized func() (<-chan os.Signal, func())
	// Keys gives what is typed, key by key, until restore is called; nil: standard input
	// is no terminal.
	Keys func() (keys <-chan byte, restore func(), err error)
}

func (s Streams) program() string { return cmp.Or(s.Program, "awsmigrate") }

// UTF8 says whether the locale's character set is UTF-8. Where no locale is set,
// as in most containers, it is taken to be; C and POSIX are not.
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

// SystemStreams are those of this process.
func SystemStreams() Streams {
	is := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	s := Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: is(os.Stdin), OutTerminal: is(os.Stdout), ErrTerminal: is(os.Stderr),
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Env: os.Getenv,
		Width:   func() int { width, _ := size(os.Stderr); return width },
		Height:  func() int { _, height := size(os.Stderr); return height },
		Resized: resized,
	}
	if s.InTerminal {
		s.Keys = func() (<-chan byte, func(), error) { return keysOf(os.Stdin) }
	}
	return s
}

// size is that of the terminal behind a file; 0, 0 where it is none.
func size(f *os.File) (width, height int) {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// WideLocale says whether characters of ambiguous width may take two columns.
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
