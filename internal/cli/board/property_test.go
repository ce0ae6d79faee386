package board

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// For any state, no line is wider than the screen, no word is cut, and all lines fit the screen.
func TestRender_anyState_fitsScreen(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		s, now := anyState(random)
		look := Look{Unicode: random.IntN(3) > 0, Colour: random.IntN(2) == 0, Wide: random.IntN(4) == 0}
		whole := look
		whole.Width = 100_000
		known := map[string]bool{"…": true, "...": true}
		for _, lines := range [][]string{Render(s, now, whole), renderer{s, newSetter(whole), now}.counts()} {
			for _, word := range strings.Fields(stripColours(strings.Join(lines, " "))) {
				known[word] = true
			}
		}
		for width := 40 + int(seed%7); width <= 240; width += 7 {
			look.Width, look.Height = width, 0
			measure := newSetter(look)
			lines := Render(s, now, look)
			for _, line := range lines {
				if n := measure.columns(stripColours(line)); n > width {
					t.Fatalf("seed %d: %d columns of %d: %q", seed, n, width, line)
				}
				for _, word := range strings.Fields(stripColours(line)) {
					if !known[word] {
						t.Fatalf("seed %d, width %d: %q is no word, in %q", seed, width, word, line)
					}
				}
				if strings.Contains(stripColours(line), "\x1b") || !look.Colour && strings.Contains(line, "\x1b") {
					t.Fatalf("seed %d: an escape in %q", seed, line)
				}
				if !look.Unicode && strings.ContainsFunc(line, func(r rune) bool { return r >= 0x80 }) {
					t.Fatalf("seed %d: not ASCII: %q", seed, line)
				}
			}
			look.Height = 2 + random.IntN(12)
			if n := len(Render(s, now, look)); n > look.Height-1 {
				t.Fatalf("seed %d, width %d: %d lines on a screen of %d", seed, width, n, look.Height)
			}
		}
	}
}

// Every waiting state looks different a second later.
func TestRender_everySecond_differs(t *testing.T) {
	for seed := range uint64(100) {
		s, now := anyState(rand.New(rand.NewPCG(seed, 3)))
		for _, look := range []Look{{Width: 40}, {Width: 120, Unicode: true}, {Width: 80, Height: 4}} {
			for range 3 {
				next := now.Add(time.Second)
				if before, after := Render(s, now, look), Render(s, next, look); len(before) > 0 && strings.Join(before, "\n") == strings.Join(after, "\n") {
					t.Fatalf("seed %d, %+v: nothing changed:\n%s", seed, look, strings.Join(before, "\n"))
				}
				now = next
			}
		}
	}
}

// anyState returns the state after random events, and a later time.
func anyState(random *rand.Rand) (State, time.Time) {
	s := State{}.After(runner.Event{Type: runner.RunStarted, Time: begin, Steps: allSteps})
	at := begin
	for i := range 1 + random.IntN(len(allSteps)) {
		at = at.Add(time.Duration(random.IntN(200)) * time.Second)
		if i > 0 {
			s = s.After(runner.Event{Type: runner.StepFinished, Step: allSteps[i-1], Time: at})
		}
		s = s.After(runner.Event{Type: runner.StepStarted, Step: allSteps[i], Title: text(random, 8), Time: at})
		for range random.IntN(5) {
			at = at.Add(time.Duration(random.IntN(30)) * time.Second)
			s = s.After(runner.Event{Type: runner.StepWaiting, Step: allSteps[i], Time: at, Waiting: anyWait(random, at)})
		}
	}
	if random.IntN(8) == 0 {
		s = s.After(runner.Event{Type: runner.Interrupting, Message: text(random, 9), Time: at})
	}
	return s, at.Add(time.Duration(random.IntN(60)) * time.Second)
}

func anyWait(random *rand.Rand, at time.Time) *runner.Wait {
	w := &runner.Wait{For: text(random, 12), Seen: text(random, 60), Since: at.Add(-time.Minute), LastProgress: at.Add(-time.Duration(random.IntN(600)) * time.Second),
		Until: at.Add(time.Duration(random.IntN(900)) * time.Second), Done: random.IntN(4), Total: random.IntN(9), Met: random.IntN(9) == 0}
	if random.IntN(3) > 0 {
		w.Leader = &runner.Leader{Component: "aws-cloud-controller-manager", Host: text(random, 1), ID: fmt.Sprint(random.IntN(3)), Renewed: at.Add(-time.Second)}
	}
	states := []runner.MachineState{runner.MachineWaits, runner.MachineChanging, runner.MachineDone, runner.MachineUnseen}
	for i := range random.IntN(40) {
		m := runner.Machine{Name: fmt.Sprintf("demo-pool-%d-%x", i, random.IntN(1<<20)), Group: runner.Workers, State: states[random.IntN(len(states))]}
		if i < 3 {
			m.Group = runner.ControlPlanes
		}
		if m.State == runner.MachineChanging {
			m.Doing = text(random, 3)
		}
		w.Machines = append(w.Machines, m)
	}
	return w
}

// text returns random words that fit every line.
func text(random *rand.Rand, words int) string {
	all := make([]string, words)
	for i := range all {
		all[i] = strings.Repeat(string([]rune("abcdefghijklmäé漢")[random.IntN(16)]), 1+random.IntN(15))
	}
	return strings.Join(all, " ")
}

// Time without readings raises no alarm, because the leader of that time is not known.
func TestRender_timeWithoutReadings_noAlarm(t *testing.T) {
	blind := rolling(520, "???", "???", nil)
	blind.Waiting.Blind = true
	look := Look{Width: 200, Colour: true, Unicode: true}
	shown := func(events ...runner.Event) string {
		s := play(append([]runner.Event{{Type: runner.StepStarted, Step: "switch-provider", Time: after(430)}, rolling(490, "x..", "...", ccmOn("jmzz9", 490))}, events...)...)
		return strings.Join(Render(s, after(522), look), "\n")
	}
	if text := shown(rolling(521, "x..", "...", nil)); !strings.Contains(text, string(yellow)+"no") || strings.Contains(text, "is usual") {
		t.Errorf("32 s with a look at each: %s", text)
	}
	if text := stripColours(shown(blind, rolling(521, "x..", "...", nil))); !strings.Contains(text, "for 32s; the cluster could not be read for a part of that; up to 25s is usual") {
		t.Errorf("32 s, 30 of them blind: %s", text)
	}
	if text := shown(blind, rolling(521, "x..", "...", nil)); strings.Contains(text, string(yellow)+"no") {
		t.Errorf("alarms: %s", text)
	}
}

// A shortened observation ends with a whole fact, and tied words stay together.
func TestRender_longObservation_cutAfterFact(t *testing.T) {
	for width := 45; width <= 130; width++ {
		text := strings.Join(Render(sample(), after(550), Look{Width: width, Unicode: true}), "\n")
		if at := strings.Index(text, "…"); at > 0 && !strings.HasSuffix(text[:at], "; ") && !strings.HasSuffix(strings.TrimRight(text[:at], " \n"), ";") {
			t.Errorf("width %d: in the middle of a fact:\n%s", width, text)
		}
	}
}
