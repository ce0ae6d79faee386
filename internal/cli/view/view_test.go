package view

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func waitEvent(at time.Time, seen string, done, total int) runner.Event {
	since := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return runner.Event{Type: runner.StepWaiting, Step: "disable-leader-migration", Time: at, Waiting: &runner.Wait{
		For: strings.Repeat("a long thing to wait for, ", 6), Seen: seen, Since: since, LastProgress: at.Add(-3 * time.Second),
		Until: at.Add(15*time.Minute - 3*time.Second), Done: done, Total: total}}
}

// No line of a wait is wider than the screen, whatever is seen, and each says
// what it has to.
func TestWaitsFitTheScreen(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 59, 59, 0, time.UTC)
	for _, width := range []int{0, 60, 80, 100, 120, 300} {
		for _, seen := range []string{"x", strings.Repeat("y", 400), "first fact; " + strings.Repeat("z", 300), strings.Repeat("ä; ", 100)} {
			for _, locale := range []string{"C", "de_DE.UTF-8"} {
				var out bytes.Buffer
				streams := Streams{Out: &out, OutTerminal: width > 0, Width: func() int { return width }, Env: func(string) string { return locale }}
				v := newTextView(Output{Streams: streams}, Commands{}, &out)
				first, second := v.waitLines(waitEvent(at, seen, 3000, 5000))
				most := pipedWidth
				if width > 0 {
					most = min(width, pipedWidth)
				}
				for _, line := range []string{first, second} {
					if n := utf8.RuneCountInString(line); n > most {
						t.Errorf("width %d, locale %s: %d columns: %s", width, locale, n, line)
					}
				}
				if most >= 100 && (!strings.Contains(first, "3000/5000") || !strings.HasSuffix(first, "; 59m59s")) {
					t.Errorf("width %d: no count or no time: %s", width, first)
				}
				if !strings.Contains(second, "waiting for a") || (most >= 80 && !strings.HasSuffix(second, "last progress 3s ago, gives up after 15m0s without")) {
					t.Errorf("width %d: not what is waited for, or no end: %s", width, second)
				}
			}
		}
	}
}

// How many are done is shown once: by what is seen, where that says it counts them,
// and else beside it, whatever its text begins with.
func TestWaitsCountOnce(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 10, 0, 0, time.UTC)
	v := newTextView(Output{}, Commands{}, &bytes.Buffer{})
	for seen, counted := range map[string]bool{"1/3 ready: pod a": true, "1/3 of the disk is full": false} {
		e := waitEvent(at, seen, 1, 3)
		e.Waiting.Counted = counted
		want := map[bool]int{true: 1, false: 2}[counted]
		if line, _ := v.waitLines(e); strings.Count(line, "1/3") != want {
			t.Errorf("counted %t: %s", counted, line)
		}
	}
}

// Where lines stay, one comes when what is seen changed, at most every few
// seconds, and every 30 s anyway.
func TestPipedWaitsAreQuiet(t *testing.T) {
	var out bytes.Buffer
	v := newTextView(Output{Streams: Streams{Out: &out}}, Commands{}, &out)
	begin := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		after int // seconds
		seen  string
		lines int
	}{
		{0, "a", 2},  // the first, with what it waits for
		{1, "b", 0},  // too soon
		{4, "b", 0},  // still
		{6, "b", 1},  // now
		{20, "b", 0}, // nothing new
		{36, "b", 2}, // 30 s later, with what it waits for
		{37, "a", 0},
		{41, "a", 1},
	}
	for _, tt := range tests {
		out.Reset()
		v.Emit(waitEvent(begin.Add(time.Duration(tt.after)*time.Second), tt.seen, 1, 2))
		if got := strings.Count(out.String(), "\n"); got != tt.lines {
			t.Errorf("after %d s: %d lines, want %d:\n%s", tt.after, got, tt.lines, out.String())
		}
	}
}

func TestFactsKeepTheTellingEnd(t *testing.T) {
	const rancher = "Rancher: configuring bootstrap node(s) demo-cp-7dd8547d54-bsbdq: waiting for probes: kube-apiserver, kubelet"
	for _, tt := range []struct {
		seen string
		room int
		want string
	}{
		{"short; also short", 60, "short; also short"},
		{rancher, 80, "Rancher: configuring boot…d54-bsbdq: waiting for probes: kube-apiserver, kubelet"},
		{"generation 1; " + rancher, 60, "generation 1; Rancher: confi…probes: kube-apiserver, kubelet"},
		{"a fact that leaves no room for another; second fact", 45, "a fact that leaves no room for another"},
	} {
		got := facts(tt.seen, tt.room, false)
		if utf8.RuneCountInString(got) > tt.room {
			t.Errorf("%d columns, room for %d: %s", utf8.RuneCountInString(got), tt.room, got)
		}
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

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
		newScreen(Streams{Out: &out, OutTerminal: tt.terminal, Color: tt.color}, &out).line("✓  done")
		if got := strings.TrimSuffix(out.String(), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	s := screen{colour: true}
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
		if got := (Streams{Env: func(name string) string { return tt.env[name] }}).utf8(); got != tt.want {
			t.Errorf("%v: %t, want %t", tt.env, got, tt.want)
		}
	}
}
