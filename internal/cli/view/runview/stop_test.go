package runview

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestLeftText(t *testing.T) {
	rancher, rke := runner.Left{By: "Rancher", GoesOn: true, Changed: 2, Total: 3}, runner.Left{By: "rke", Changed: 2, Total: 3}
	held, cut := rancher, rke
	held.GoesOn, cut.CutOff = false, true
	for name, tt := range map[string]struct {
		left *runner.Left
		why  fault.Class
		want string // part of it, or empty without a text
	}{
		"nothing":                {nil, fault.Interrupted, ""},
		"an interrupt":           {&rancher, fault.Interrupted, "neither watched nor paused"},
		"the deadline":           {&rancher, fault.NoProgress, "2 of 3 machines changed"},
		"the lock is lost":       {&rancher, fault.Locked, "the run that took the lock can, if it is alive"},
		"rollout paused":         {&held, fault.Check, ""},
		"all are changed":        {&runner.Left{By: "Rancher", GoesOn: true, Changed: 6, Total: 6}, fault.Interrupted, "all 6 machines are changed; Rancher finishes its work, which is not watched"},
		"pods":                   {&runner.Left{By: "Kubernetes", Of: "pods of the CCM", GoesOn: true, Changed: 1, Total: 3}, fault.Interrupted, "Kubernetes continues with the rest: 1 of 3 pods of the CCM changed"},
		"rke finishes first":     {&rke, fault.Interrupted, "nothing continues without the run"},
		"rke is interrupted":     {&cut, fault.NoProgress, "until the same command runs rke again"},
		"rke fails alone":        {&rke, fault.Check, ""},
		"rke is interrupted, 2x": {&cut, fault.Interrupted, "in the middle of its work"},
	} {
		got := leftText(tt.left, tt.why)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The commands that explain a stop name the checks of the error, not IDs in its text.
func TestWriteStop_checks_explainCommands(t *testing.T) {
	mentions := &fault.Error{Object: "Machine m", Seen: "registered a second Node; AWSM-305 looks at it"}
	of := func(ids ...string) error { return &fault.Error{Seen: "failed", Checks: ids} }
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"a check is mentioned": {mentions, []string{"awsmigrate explain switch-provider"}},
		"two failed, one twice": {errors.Join(of("AWSM-303", "AWSM-101"), of("AWSM-303")),
			[]string{"awsmigrate explain AWSM-101", "awsmigrate explain AWSM-303"}},
		"a cause": {fmt.Errorf("wrapped: %w", &fault.Error{Seen: "stopped", Err: of("AWSM-101")}), []string{"awsmigrate explain AWSM-101"}},
		"four are three": {of("AWSM-104", "AWSM-103", "AWSM-102", "AWSM-101"),
			[]string{"awsmigrate explain AWSM-101", "awsmigrate explain AWSM-102", "awsmigrate explain AWSM-103"}},
	} {
		if got := explainCommands("awsmigrate", tt.err, "switch-provider"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// After a pause of the rollout an undo goes back, except if another owner makes the edits: an undo only
// removes its own edits.
func TestWriteStop_pausedRollout_wayOn(t *testing.T) {
	for byCommits, want := range map[bool]string{
		false: "   back:    go back\n   next:    docs/going-back.md#after-a-pause\n",
		true:  "   next:    docs/going-back.md#after-a-pause\n",
	} {
		var out bytes.Buffer
		v := newTextView(Output{Streams: console.Streams{Out: &out, Err: &out}}, view.Commands{Undo: "go back", Status: "look", ByCommits: byCommits}, &out)
		v.begun, v.paused = true, true
		v.writeStop(runner.Result{Steps: []runner.StepResult{{ID: "switch-provider", Outcome: runner.Stopped}}}, &fault.Error{Class: fault.Check, Seen: "two"})
		if !strings.Contains(out.String(), want) || byCommits && strings.Contains(out.String(), "go back") {
			t.Errorf("by commits %t:\n%s", byCommits, out.String())
		}
	}
}

// After a pause of an undo's rollout no other undo is offered.
func TestWriteStop_pausedUndo_noUndo(t *testing.T) {
	var out bytes.Buffer
	v := newTextView(Output{Streams: console.Streams{Out: &out, Err: &out}}, view.Commands{Undo: "go back", Status: "look", Undoing: true}, &out)
	v.begun, v.paused = true, true
	v.writeStop(runner.Result{Steps: []runner.StepResult{{ID: "undo-switch-provider", Outcome: runner.Stopped}}}, &fault.Error{Class: fault.Check, Seen: "two"})
	if text := out.String(); strings.Contains(text, "back:") || !strings.Contains(text, "   next:    docs/going-back.md#after-a-pause\n") {
		t.Error(text)
	}
}

// If another run holds the lock, the way to look is to watch that run.
func TestWriteStop_lockHeld_watchesTheOtherRun(t *testing.T) {
	var out bytes.Buffer
	v := newTextView(Output{Streams: console.Streams{Out: &out, Err: &out}}, view.Commands{Undo: "go back", Status: "look"}, &out)
	v.writeStop(runner.Result{Resume: "the same"}, &fault.Error{Class: fault.Locked, Seen: "held"})
	if text := out.String(); !strings.Contains(text, "   look:    look --watch\n   next:    the same\n") || strings.Contains(text, "go back") {
		t.Error(text)
	}
}

// On a terminal an error wraps at the end of a word; a command stays whole.
func TestWriteStop_longError_wrapped(t *testing.T) {
	const fix = "kubectl label node ip-10-0-32-5.ec2.internal topology.kubernetes.io/zone=us-east-1c --overwrite"
	for _, width := range []int{40, 60, 80, 120} {
		var out bytes.Buffer
		streams := console.Streams{Out: &out, Err: &out, OutTerminal: true, ErrTerminal: true, Width: func() int { return width }}
		v := newTextView(Output{Streams: streams}, view.Commands{Undo: "go back", Status: "look"}, &out)
		v.begun = true
		v.writeStop(runner.Result{}, &fault.Error{Class: fault.Check, Object: "AWSM-303 Node a",
			Seen: strings.Repeat("a zone label that is another one ", 4), Wanted: "the zone of the instance, as EC2 knows it, and nothing else", Fix: fix})
		if !strings.Contains(out.String(), fix+"\n") {
			t.Errorf("width %d: the command is cut:\n%s", width, out.String())
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if utf8.RuneCountInString(line) > width && !strings.Contains(line, fix) {
				t.Errorf("width %d: %s", width, line)
			}
		}
	}
}

// The way to continue is printed once, on its own line.
func TestWriteStop_resume_onceNamed(t *testing.T) {
	const resume = "awsmigrate rke2 --cluster demo"
	for _, class := range []fault.Class{fault.Interrupted, fault.HungUp} {
		var out bytes.Buffer
		v := newTextView(Output{Streams: console.Streams{Out: &out, Err: &out}}, view.Commands{Status: "look"}, &out)
		v.writeStop(runner.Result{Resume: resume}, &fault.Error{Class: class, Seen: "stopped on request", Fix: "go on with: " + resume})
		if got := strings.Count(out.String(), resume); got != 1 {
			t.Errorf("class %v: %d times:\n%s", class, got, out.String())
		}
	}
}
