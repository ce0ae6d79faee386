package board

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Three whole frames are compared: colors on a usual screen, a run that was asked to stop, and the narrowest
// terminal. TestRender_anyWidth_sameFacts and TestRender_anyState_fitsScreen check the layout at every width.
func TestRender(t *testing.T) {
	stopping := sample().After(runner.Event{Type: runner.Interrupting, Time: after(549), Message: "finishing the current change, then releasing the lock"})
	for name, tt := range map[string]struct {
		state State
		look  Look
	}{
		"frame-120-colour.txt":  {sample(), Look{Width: 120, Unicode: true, Colour: true}}, // also a picture of the docs
		"frame-80-stopping.txt": {stopping, Look{Width: 80, Unicode: true}},
		"frame-40-ascii.txt":    {sample(), Look{Width: 40}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(Render(tt.state, after(550), tt.look), "\n") + "\n"
			golden.Require(t, name, strings.ReplaceAll(text, "\x1b", "␛"))
		})
	}
}

// With room for all lines, a screen of any width shows the same facts in the same order, with and without
// colors.
func TestRender_anyWidth_sameFacts(t *testing.T) {
	facts := []string{"step 7 of 10", "switch-provider", "3 of 6 machines", "1m52s", "total 9m10s", "cp ", "jmzz9", "p5vxv", "cgkfl", "workers ", "hpn2n",
		"kubelet restarting 14s", "w7s97", "vv2xk", "aws-cloud-controller-manager on jmzz9", "renewed 1s ago", "Rancher: configuring",
		"every machine to take the edit", "moved 7s ago", "stops in 14m53s", "Ctrl-C: stop cleanly"}
	for width := 40; width <= 240; width++ {
		for _, unicode := range []bool{false, true} {
			lines := Render(sample(), after(550), Look{Width: width, Unicode: unicode})
			rest := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
			for _, fact := range facts {
				_, behind, found := strings.Cut(rest, fact)
				if !found {
					t.Fatalf("%d columns, Unicode %t: %q is missing or out of order:\n%s", width, unicode, fact, strings.Join(lines, "\n"))
				}
				rest = behind
			}
			coloured := Render(sample(), after(550), Look{Width: width, Unicode: unicode, Colour: true})
			if diff := cmp.Diff(lines, plainLines(coloured)); diff != "" {
				t.Errorf("%d columns: without colour (-), with colour (+):\n%s", width, diff)
			}
			if width >= 120 && len(lines) > 7 {
				t.Errorf("%d columns: %d lines, want at most 7", width, len(lines))
			}
		}
	}
}

func plainLines(lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = stripColours(line)
	}
	return all
}

// The mark of an unseen machine is explained whenever it is shown, by name or by count, and only then.
func TestRender_unseenMachine_explained(t *testing.T) {
	const why = "known after all machines were visited"
	for states, want := range map[string]bool{"?>?": true, "x??": true, "xxx": false, "x>.": false} {
		for _, width := range []int{40, 60, 120, 240} {
			s := sample().After(rolling(550, states, "...", nil))
			text := strings.Join(strings.Fields(strings.Join(Render(s, after(551), Look{Unicode: true, Width: width}), " ")), " ")
			if strings.Contains(text, why) != want {
				t.Errorf("%s in %d columns: %s", states, width, text)
			}
			counts := renderer{State: s, setter: newSetter(Look{Unicode: true, Width: width}), now: after(551)}.counts()
			if strings.Contains(strings.Join(strings.Fields(strings.Join(counts, " ")), " "), why) != want {
				t.Errorf("%s by number in %d columns: %v", states, width, counts)
			}
		}
	}
}
