package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestPlansFitTheScreen(t *testing.T) {
	_, _, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), wholeScript(), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan.Steps[0].Summary = []string{strings.Repeat("word ", 200)}
	for _, width := range []int{80, 100, 120} {
		var out bytes.Buffer
		view.WriteSteps(console.Streams{Err: &out, ErrTerminal: true, Width: func() int { return width }}, nil, plan.Steps)
		for _, line := range strings.Split(out.String(), "\n") {
			longest := 0 // a word that does not fit stays whole
			for _, word := range strings.Fields(line) {
				longest = max(longest, utf8.RuneCountInString(word))
			}
			if n := utf8.RuneCountInString(line); n > max(width, 46+longest) {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
	}
}

// Nothing that a cluster says reaches a terminal as more than text: not in a
// plan, a run, a stop or a status.
func TestHostileTextStaysText(t *testing.T) {
	const evil = "evil\x1b[2J\r\nerror: forged\u202e"
	s := wholeScript()
	s.list[0].verdicts[0].Evidence = []string{evil, evil}
	s.list[1].state.Reason = evil
	s.list[3].plan.Summary, s.list[3].plan.Notes = []string{evil}, []string{evil}
	s.list[3].plan.Changes[0].Object, s.list[3].plan.Changes[0].Diff = evil, "+ "+evil
	s.list[4].plan.Changes[0].Object = evil
	s.list[3].verdicts[0].Seen, s.list[3].verdicts[0].WaitingFor = evil, evil
	s.list[4].warns = []string{evil}
	s.list[5].verdicts = []runner.Verdict{{Kind: runner.MustPause, Err: fmt.Errorf("%s", evil)}}
	_, _, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	streams := console.Streams{Out: &out}
	view.WritePlan(streams, []string{evil}, plan.Steps, false)
	view.WritePlan(streams, []string{evil}, plan.Steps, true)
	seen, err := s.Judge(migration.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	status := view.NewStatus(s.Target(), infos(s), seen, view.Commands{})
	status.Header, status.Paused = []string{evil}, evil
	view.WriteStatus(streams, status, time.Time{})
	ran := play(t, s, "text", nil)
	if ran.code != 1 {
		t.Errorf("exit %d, want 1", ran.code)
	}
	text := out.String() + ran.out + ran.err
	if strings.Count(text, "evil") < 15 {
		t.Errorf("only %d places show the text", strings.Count(text, "evil"))
	}
	if i := strings.IndexAny(text, "\x1b\r\u202e"); i >= 0 {
		t.Errorf("a control character reached the screen: %q", text[max(i-80, 0):i+10])
	}
	if strings.Contains(text, "\nerror: forged") {
		t.Error("other people's text began a line of its own")
	}
}
