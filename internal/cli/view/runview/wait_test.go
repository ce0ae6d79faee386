package runview

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func waitEvent(at time.Time, seen string, done, total int) runner.Event {
	since := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return runner.Event{Type: runner.StepWaiting, Step: "disable-leader-migration", Time: at, Waiting: &runner.Wait{
		For: strings.Repeat("a long thing to wait for, ", 6), Seen: seen, Since: since, LastProgress: at.Add(-3 * time.Second),
		Until: at.Add(15*time.Minute - 3*time.Second), Done: done, Total: total}}
}

// On a terminal no line of a wait is wider than the screen, except for a longer word, and nothing is omitted.
func TestWaitsFitTheScreen(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 59, 59, 0, time.UTC)
	for _, width := range []int{60, 80, 100, 120, 300} {
		for _, seen := range []string{"x", strings.Repeat("y", 400), "first fact; " + strings.Repeat("z", 300), strings.Repeat("ä; ", 100)} {
			for _, locale := range []string{"C", "de_DE.UTF-8"} {
				text := waitShown(console.Streams{OutTerminal: true, Width: func() int { return width }, Env: func(string) string { return locale }}, waitEvent(at, seen, 3000, 5000))
				for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
					if n := utf8.RuneCountInString(line); n > min(width, console.MaxParagraph) && strings.Contains(strings.TrimSpace(line), " ") && len(seen) < 300 {
						t.Errorf("width %d, locale %s: %d columns: %s", width, locale, n, line)
					}
				}
				words := strings.Join(strings.Fields(text), " ")
				for _, want := range []string{"3000/5000", "(59m59s)", "waiting for a long thing to wait for", "; moved 3s ago; stops after 15m0s without movement"} {
					if !strings.Contains(words, want) {
						t.Errorf("width %d, locale %s: no %q in %s", width, locale, want, text)
					}
				}
				if locale != "C" && !strings.Contains(words, strings.TrimSpace(seen)) {
					t.Errorf("width %d: what is seen is not whole: %s", width, text)
				}
			}
		}
	}
}

// Without a terminal the lines are the log of a run: each is whole and begins with its time.
func TestTextView_pipe_wholeLinesWithTime(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 59, 59, 0, time.FixedZone("CET", 3600))
	long := strings.TrimSpace(strings.Repeat("a fact of many words; ", 30))
	var out bytes.Buffer
	v := newTextView(Output{Streams: console.Streams{Out: &out, Width: func() int { return 60 }}}, view.Commands{}, &out)
	v.Emit(waitEvent(at, long, 1, 3))
	v.Emit(runner.Event{Type: runner.StepWarning, Time: at, Step: "cordon", Message: long, Lines: []string{long}})
	v.Emit(runner.Event{Type: runner.StepFinished, Time: at, Step: "cordon", Lines: []string{long, "   " + long}, Elapsed: time.Minute})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 6 {
		t.Errorf("%d lines, want 6:\n%s", len(lines), out.String())
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, "09:59:59Z  ") || i != 1 && !strings.Contains(line, long) {
			t.Errorf("not whole, or without its time: %s", line)
		}
	}
	if end := lines[len(lines)-2]; !strings.HasSuffix(end, "  1m0s") {
		t.Errorf("without how long it took: %s", end)
	}
}

// waitShown returns the output of one wait.
func waitShown(streams console.Streams, e runner.Event) string {
	var out bytes.Buffer
	streams.Out = &out
	newTextView(Output{Streams: streams}, view.Commands{}, &out).Emit(e)
	return out.String()
}

// The number of finished items is shown once: in the observation if it contains the count, otherwise
// next to it.
func TestWriteWait_count_onceShown(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 10, 0, 0, time.UTC)
	for seen, counted := range map[string]bool{"1/3 ready: pod a": true, "1/3 of the disk is full": false} {
		e := waitEvent(at, seen, 1, 3)
		e.Waiting.Counted = counted
		want := map[bool]int{true: 1, false: 2}[counted]
		if text := waitShown(console.Streams{}, e); strings.Count(text, "1/3") != want {
			t.Errorf("counted %t: %s", counted, text)
		}
	}
}

// If lines are permanent, a new one is written after a change, at most every few seconds, and otherwise every
// 30 s.
func TestPipedWaitsAreQuiet(t *testing.T) {
	var out bytes.Buffer
	v := newTextView(Output{Streams: console.Streams{Out: &out}}, view.Commands{}, &out)
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
