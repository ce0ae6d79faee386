package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// proposal is the whole script as the question shows it.
func proposal(t *testing.T) session.Proposal {
	t.Helper()
	_, observation, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), wholeScript(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return session.Proposal{Proposal: runner.Proposal{Header: scriptHeader, Observation: observation, WholePlan: plan}, Cluster: "demo",
		To: []session.Destination{{File: "cluster.yml"}, {Context: "prod-admin", Server: "https://rancher.example"}, {Server: "https://10.0.0.1:6443"}}}
}

// Lines that arrive at once answer one question after the other, and the end of the input is a
// no.
func TestAnswers(t *testing.T) {
	for typed, want := range map[string]struct {
		class fault.Class
		asked int
	}{
		"yes\n": {0, 1}, " yes \n": {0, 1}, "yes": {0, 1}, "d\nyes\n": {0, 2}, strings.Repeat("d\n", 2) + "yes\n": {0, 3},
		"": {fault.Declined, 1}, "\n": {fault.Declined, 1}, "y\n": {fault.Declined, 1}, "Yes\n": {fault.Declined, 1}, "no\nyes\n": {fault.Declined, 1},
		"d\n": {fault.Declined, 2}, "d": {fault.Declined, 1}, "D\nyes\n": {fault.Declined, 1},
	} {
		var out, errs bytes.Buffer
		a := &app.App{Streams: console.Streams{In: strings.NewReader(typed), Out: &out, Err: &errs, InTerminal: true}, Signals: &app.Signals{HangUps: make(chan struct{})}}
		told := 0
		err := approver(a, &engineFlags{}, view.Commands{}, func() { told++ })(t.Context(), proposal(t))
		if told != 1 {
			t.Errorf("%q: it was told %d times that something is asked", typed, told)
		}
		if (err == nil) != (want.class == 0) || err != nil && fault.ClassOf(err) != want.class {
			t.Errorf("%q: %v", typed, err)
		}
		if n := strings.Count(errs.String(), "accepted:"); n != want.asked || out.Len() > 0 {
			t.Errorf("%q: asked %d times, want %d; %q on standard output", typed, n, want.asked, out.String())
		}
		lines := strings.Count(errs.String(), "+ - enable-leader-migration")
		if lines != strings.Count(typed, "d\n") || strings.Contains(errs.String(), "-- --v=2") != (lines > 0) {
			t.Errorf("%q: the lines were shown %d times\n%s", typed, lines, errs.String())
		}
	}
}

// An interrupt at the question ends the run, regardless of later input.
func TestAsked_interrupted_isNoYes(t *testing.T) {
	var errs bytes.Buffer
	in, typed := io.Pipe()
	defer func() { _ = typed.Close() }()
	interrupts := make(chan struct{})
	close(interrupts)
	a := &app.App{Streams: console.Streams{In: in, Out: &errs, Err: &errs, InTerminal: true}, Signals: &app.Signals{HangUps: make(chan struct{})}, Interrupts: interrupts}
	if err := approver(a, &engineFlags{}, view.Commands{}, func() {})(t.Context(), proposal(t)); fault.ClassOf(err) != fault.Interrupted {
		t.Errorf("%v", err)
	}
}

func TestGoldenQuestions(t *testing.T) {
	var out bytes.Buffer
	words := target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}
	undone := words
	undone.Undoing = true
	upgrade := proposal(t)
	upgrade.To = nil
	upgrade.Steps = append(upgrade.Steps, runner.PlannedStep{Info: runner.Info{ID: migration.StepUpgrade, Irreversible: "there is no in-tree provider"}, State: runner.State{Kind: runner.Todo}})
	for _, ask := range []struct {
		of   session.Proposal
		next view.Commands
	}{{proposal(t), commands(words)}, {upgrade, commands(words)}, {proposal(t), commands(undone)}} {
		a := &app.App{Streams: console.Streams{In: strings.NewReader("d\nyes\n"), Err: &out, InTerminal: true}, Signals: &app.Signals{HangUps: make(chan struct{})}}
		if err := approver(a, &engineFlags{}, ask.next, func() {})(t.Context(), ask.of); err != nil {
			t.Error(err)
		}
		out.WriteString("\n--- answered\n")
	}
	golden.Require(t, "question.txt.golden", out.String())
}
