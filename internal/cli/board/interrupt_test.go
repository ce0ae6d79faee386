package board

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Ctrl-C has one meaning at any moment, and the question offers only what is possible.
func TestInterruptMeaning_anyState_onlyWhatIsPossible(t *testing.T) {
	rolls := func(changed int, canPause bool) *runner.Left {
		return &runner.Left{By: "Rancher", GoesOn: true, Changed: changed, Total: 3, CanPause: canPause}
	}
	rke := &runner.Left{By: "rke", Changed: 1, Total: 3}
	for name, tt := range map[string]struct {
		at    Interrupt
		hint  string
		keys  string // of the choices
		asked string // part of the question
	}{
		"waiting":             {Interrupt{Asks: true}, "Ctrl-C: stop cleanly", "", ""},
		"an undo waits":       {Interrupt{Asks: true, Undoing: true}, "Ctrl-C: stop the undo cleanly", "", ""},
		"rolling":             {Interrupt{Left: rolls(1, true), Asks: true}, "Ctrl-C: asks what to do", "wbl", "1 of 3 machines changed. Rancher continues with the rest"},
		"an undo rolls":       {Interrupt{Left: rolls(1, true), Asks: true, Undoing: true}, "Ctrl-C: asks what to do", "wbl", "Rancher continues"},
		"no user to ask":      {Interrupt{Left: rolls(1, true)}, "Ctrl-C: leave the rollout unwatched", "wbl", ""},
		"asking":              {Interrupt{Left: rolls(1, true), Asks: true, Asking: true}, "keys w, b, l; Ctrl-C again: l", "wbl", "with or without this run"},
		"asking, no pause":    {Interrupt{Left: rolls(1, false), Asks: true, Asking: true}, "keys w, l; Ctrl-C again: l", "wl", "continues with the rest"},
		"asking, all changed": {Interrupt{Left: rolls(3, true), Asks: true, Asking: true}, "keys w, b, l; Ctrl-C again: l", "wbl", "all 3 machines are changed. Rancher finishes its work"},
		"rke runs":            {Interrupt{Left: rke, Asks: true}, "Ctrl-C: let rke finish, then stop", "", ""},
		"rke runs, stopping":  {Interrupt{Left: rke, Asks: true, Stopping: true}, "rke finishes first; Ctrl-C again interrupts it", "", ""},
		"stopping":            {Interrupt{Asks: true, Stopping: true}, "Ctrl-C again exits at once", "", ""},
		"following":           {Interrupt{Left: rolls(1, true), Following: true}, "Ctrl-C: stop watching", "wbl", ""},
	} {
		m := tt.at.Meaning()
		var keys []byte
		for _, choice := range m.Choices {
			keys = append(keys, choice[0])
		}
		if m.Hint != tt.hint || string(keys) != tt.keys || !strings.Contains(m.Question, tt.asked) {
			t.Errorf("%s: %+v", name, m)
		}
		if tt.at.Left != nil && tt.at.Left.Changed == tt.at.Left.Total && strings.Contains(m.Question, "rest") {
			t.Errorf("%s: there is no rest: %s", name, m.Question)
		}
	}
}

// While the question is open, the frame shows its keys and no other meaning of Ctrl-C.
func TestRender_questionOpen_showsItsKeys(t *testing.T) {
	left := &runner.Left{By: "Rancher", GoesOn: true, Changed: 1, Total: 6, CanPause: true}
	asking := sample().Ask(left)
	for state, want := range map[*State]string{&asking: "keys w, b, l; Ctrl-C again: l", new(asking.Ask(nil)): "Ctrl-C: stop cleanly"} {
		lines := Render(*state, after(550), Look{Width: 120, Unicode: true})
		if at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Ctrl-C") }); at < 0 || !strings.HasSuffix(lines[at], want) || strings.Count(strings.Join(lines, "\n"), "Ctrl-C") != 1 {
			t.Errorf("wanted %q once:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}
