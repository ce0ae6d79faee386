package view

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The lines of cluster.yml that a run changes are shown without --diff: they are
// what somebody approves.
func TestPlanShowsTheLinesOfAFile(t *testing.T) {
	edit := runner.Change{Object: "file cluster.yml", Diff: "--- cluster.yml\n+++ cluster.yml\n@@ -1 +1 @@\n-name: aws\n+name: external-aws\n", Result: "name: external-aws\n", Form: runner.FileDiff}
	rendered := runner.Change{Object: "Deployment x", Diff: "--- Deployment x\n+++ Deployment x\n@@ -1 +1 @@\n-a\n+b\n", Form: runner.ObjectDiff}
	field := runner.Change{Object: "Cluster demo", Location: "spec.x", Diff: "--- a\n+++ b\n"} // its values begin with dashes
	var out strings.Builder
	WritePlan(Streams{Out: &out}, nil, []runner.PlannedStep{{Info: runner.Info{ID: "switch-provider"}, Plan: runner.Plan{Changes: []runner.Change{edit, rendered, field}}, State: runner.State{Kind: runner.Todo}}}, false)
	if got := out.String(); !strings.Contains(got, "+name: external-aws") || !strings.Contains(got, "~ Deployment x (+1 −1)") || strings.Contains(got, "\n  +b") || !strings.Contains(got, "spec.x\n  --- a\n  +++ b\n") {
		t.Error(got)
	}
}

// A change that its row tells needs no block of its own, and a plan of nothing no word
// about ways back.
func TestPlansShowNoEmptyChange(t *testing.T) {
	var out bytes.Buffer
	step := runner.PlannedStep{Info: runner.Info{ID: "cordon"}, State: runner.State{Kind: runner.Todo}, Plan: runner.Plan{Summary: []string{"cordon a"},
		Changes: []runner.Change{{Object: "Node a", Location: "spec.unschedulable", Before: false, After: true}}}}
	WritePlan(Streams{Out: &out}, []string{"demo"}, []runner.PlannedStep{step}, true)
	if strings.Contains(out.String(), "unschedulable") || !strings.Contains(out.String(), "cordon a") {
		t.Errorf("an empty change:\n%s", out.String())
	}
	out.Reset()
	WritePlan(Streams{Out: &out}, []string{"demo"}, nil, true)
	if strings.Contains(out.String(), "irreversible") {
		t.Errorf("no step, and yet:\n%s", out.String())
	}
}

func TestHanging(t *testing.T) {
	for line, want := range map[string]string{
		"now    P0   in-tree": "now    P0   ", "   –  AWSM-421  pods use  two": "   –  AWSM-421  ", "plain words": "", "   fix: x": "   ",
		"names  two  blanks  again  and again": "names  two  blanks  ", "a label that is longer than all  x": "", "": "", "x  ": "",
	} {
		if columns, text := hanging(line); columns != want || columns+text != line {
			t.Errorf("%q: %q and %q", line, columns, text)
		}
	}
}

// On a terminal a long line of the header goes on beside its label, at the end of a word.
func TestHeadersFitTheTerminal(t *testing.T) {
	lines := []string{"now    between P1 and P2: flag on 2 of 3 KCMs", "names  useInstanceMetadataHostname: true (every one of 6 nodes asks the metadata service for its name)"}
	for _, width := range []int{50, 80} {
		var out bytes.Buffer
		newScreen(Streams{Out: &out, OutTerminal: true, Width: func() int { return width }}, &out).header(lines)
		shown := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for i, line := range shown {
			if utf8.RuneCountInString(line) > width || i > 1 && !strings.HasPrefix(line, "       ") {
				t.Errorf("width %d: %q", width, line)
			}
		}
		if strings.Join(strings.Fields(out.String()), " ") != strings.Join(strings.Fields(strings.Join(lines, " ")), " ") {
			t.Errorf("width %d: something is missing:\n%s", width, out.String())
		}
	}
}
