package console

import (
	"bytes"
	"strings"
	"testing"
)

func TestColour(t *testing.T) {
	for _, tt := range []struct {
		name            string
		terminal, color bool
		want            string
	}{
		{"terminal", true, true, "\x1b[32m✓\x1b[0m  done"},
		{"NO_COLOR", true, false, "✓  done"},
		{"piped", false, true, "✓  done"},
	} {
		var out bytes.Buffer
		NewScreen(Streams{Out: &out, OutTerminal: tt.terminal, Color: tt.color}, &out).Line("✓  done")
		if got := strings.TrimSuffix(out.String(), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	s := Screen{colour: true}
	for _, text := range []string{"done ✓ at the end", "!important", "", "   ", "no mark"} {
		if got := s.paint(text); got != text {
			t.Errorf("%q was painted: %q", text, got)
		}
	}
}

func TestLocale(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "en_US.UTF-8"}, true},
		{map[string]string{"LANG": "C.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "de_DE@euro"}, false},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, true},
	} {
		if got := (Streams{Env: func(name string) string { return tt.env[name] }}).UTF8(); got != tt.want {
			t.Errorf("%v: %t, want %t", tt.env, got, tt.want)
		}
	}
}

// Lines above a board have the width of the terminal and no colors: the board paints them.
func TestAbove_coloredTerminal_unpainted(t *testing.T) {
	var out, above bytes.Buffer
	s := NewScreen(Streams{Out: &out, Err: &out, ErrTerminal: true, Color: true, Width: func() int { return 40 }, Env: func(string) string { return "" }}, &out)
	s.Above(&above).Prose("!  ", "2 of 6 machines changed. Rancher continues with the rest.")
	if want := "!  2 of 6 machines changed. Rancher\n   continues with the rest.\n"; above.String() != want || out.Len() > 0 {
		t.Errorf("got %q, and %q past it", above.String(), out.String())
	}
}
