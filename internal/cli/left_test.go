package cli

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// leftInTheSwitch is a run that is interrupted while Rancher rolls the switch.
func leftInTheSwitch(t *testing.T, output string) played {
	t.Helper()
	s := wholeScript()
	stop, once := make(chan struct{}), sync.Once{}
	for _, step := range s.list {
		if step.id == migration.StepSwitch {
			verdict := runner.Verdict{Kind: runner.Waiting, WaitingFor: "every machine", Seen: "Rancher: configuring", Done: 1, Total: 6, By: migration.ByRancher()}
			step.verdicts, step.reads = repeated(verdict, 3), func() { once.Do(func() { close(stop) }) }
		}
	}
	return play(t, s, output, func(_ *console.Streams, o *runner.Options) { o.Interrupt = stop })
}

// A user who stops a run during a rollout reads who continues it, its progress, that nothing
// pauses it, and how to watch it; a machine gets the same as data.
func TestLeavingARollSaysWhoGoesOn(t *testing.T) {
	text := strings.Join(strings.Fields(leftInTheSwitch(t, "text").out+leftInTheSwitch(t, "text").err), " ")
	for _, want := range []string{"left at 1 of 6", "Rancher continues with the rest: 1 of 6 machines changed; the others are neither watched nor paused",
		"look: awsmigrate rke2 status --cluster demo", "next: awsmigrate rke2 --cluster demo --yes"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
	lines := strings.Split(strings.TrimSpace(leftInTheSwitch(t, "jsonl").out), "\n")
	var end view.ErrorDocument
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
		t.Fatal(err)
	}
	want := runner.Left{Step: migration.StepSwitch, By: "Rancher", GoesOn: true, Changed: 1, Total: 6}
	if end.Left == nil || *end.Left != want || end.Code != 130 {
		t.Errorf("got %+v, code %d", end.Left, end.Code)
	}
}
