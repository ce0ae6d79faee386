package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/explain"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// all returns both streams and the exit code of one run.
func (p played) all() string {
	return fmt.Sprintf("%s--- stderr\n%s--- exit %d\n", p.out, p.err, p.code)
}

func TestGoldenRuns(t *testing.T) {
	onTerminal := func(s *console.Streams, _ *runner.Options) {
		s.OutTerminal, s.ErrTerminal, s.Width = true, true, func() int { return 100 }
	}
	toPause := func() *script {
		s := wholeScript()
		s.list[5].verdicts = []runner.Verdict{s.list[5].verdicts[1], {Kind: runner.MustPause, Err: renamed()}}
		return s
	}
	ask := make(chan struct{})
	askedFor := func() *script { // paused after the first machine
		s := wholeScript()
		for _, step := range s.list {
			if step.id == migration.StepSwitch {
				verdict := runner.Verdict{Kind: runner.Waiting, WaitingFor: "every machine", Seen: "Rancher: configuring", Done: 1, Total: 6, By: migration.ByRancher()}
				step.verdicts, step.reads = repeated(verdict, 3), sync.OnceFunc(func() { close(ask) })
			}
		}
		return s
	}
	failing := func() *script {
		s := wholeScript()
		s.list[0].verdicts = []runner.Verdict{{Kind: runner.Failed, Err: joined(
			&fault.Error{Class: fault.Check, Reason: "ChecksFailed", Object: "AWSM-101 versions (Cluster demo)", Seen: "2 of 78 checks failed: AWSM-101, AWSM-303; v1.21", Wanted: "1.22 to 1.26", Fix: "upgrade first",
				Checks: []string{"AWSM-101", "AWSM-303"}},
			&fault.Error{Class: fault.Check, Reason: "CheckFailed", Object: "AWSM-303 zone (Node a)", Seen: "us-east-1a", Wanted: "us-east-1b", Checks: []string{"AWSM-303"}})}}
		return s
	}
	tests := []struct {
		name, output string
		script       func() *script
		bend         func(*console.Streams, *runner.Options)
		code         int
	}{
		{"run.txt", "text", wholeScript, nil, 0},
		{"run.json", "json", wholeScript, nil, 0},
		{"run.yaml", "yaml", wholeScript, nil, 0},
		{"run.jsonl", "jsonl", wholeScript, nil, 0},
		{"run-terminal.txt", "text", wholeScript, onTerminal, 0},
		{"run-ascii.txt", "text", wholeScript, func(s *console.Streams, _ *runner.Options) { s.Env = func(string) string { return "C" } }, 0},
		{"run-until.txt", "text", wholeScript, func(_ *console.Streams, o *runner.Options) { o.Until = migration.StepEnable }, 0},
		{"stop.txt", "text", toPause, nil, 3},
		{"stop-asked.txt", "text", askedFor, func(_ *console.Streams, o *runner.Options) { o.PauseRequest = ask }, 130},
		{"stop.json", "json", toPause, nil, 3},
		{"stop.jsonl", "jsonl", toPause, nil, 3},
		{"checks.txt", "text", failing, nil, 3},
		{"checks.json", "json", failing, nil, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.script(), tt.output, tt.bend)
			if got.code != tt.code {
				t.Errorf("exit %d, want %d", got.code, tt.code)
			}
			text := got.out
			if tt.output == "text" {
				text = strings.ReplaceAll(got.all(), "\x1b", "␛")
			}
			golden.Require(t, tt.name+".golden", text)
		})
	}
}

func joined(errs ...error) error { return joinedErrors(errs) }

// joinedErrors keeps the test away from errors.Join's own formatting.
type joinedErrors []error

func (j joinedErrors) Error() string {
	var all []string
	for _, err := range j {
		all = append(all, err.Error())
	}
	return strings.Join(all, "\n")
}

func (j joinedErrors) Unwrap() []error { return j }

func TestGoldenPlans(t *testing.T) {
	next := target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}.Run()
	for name, s := range map[string]struct {
		full  bool
		color bool
	}{"plan.txt": {}, "plan-diff.txt": {full: true}, "plan-colour.txt": {color: true}} {
		t.Run(name, func(t *testing.T) {
			_, _, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), wholeScript(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			streams := console.Streams{Out: &out, OutTerminal: s.color, Color: s.color}
			document := planDocument{Header: scriptHeader, WholePlan: plan, Next: next}
			if err := document.write(&app.App{Streams: streams, Output: "text"}, procedure.Foreseen{}, s.full); err != nil {
				t.Fatal(err)
			}
			golden.Require(t, name+".golden", strings.ReplaceAll(out.String(), "\x1b", "␛"))
		})
	}
	_, observation, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), wholeScript(), nil)
	if err != nil {
		t.Fatal(err)
	}
	document := planDocument{TypeMeta: view.KindOf("Plan"), Target: wholeScript().Target(), Observation: observation,
		Header: scriptHeader, WholePlan: plan, Pending: observation.Pending(), Next: next}
	document.Version = "v0.1.0"
	for _, format := range []string{"json", "yaml"} {
		var out bytes.Buffer
		if err := document.write(&app.App{Streams: console.Streams{Out: &out}, Output: format}, procedure.Foreseen{}, false); err != nil {
			t.Fatal(err)
		}
		golden.Require(t, "plan."+format+".golden", out.String())
	}
}

func goldenDocument(t *testing.T, name, format string, document any) {
	t.Helper()
	var out bytes.Buffer
	if err := view.WriteDocument(&out, format, document); err != nil {
		t.Fatal(err)
	}
	golden.Require(t, name+".golden", out.String())
}

func TestGoldenStatus(t *testing.T) {
	s := wholeScript()
	seen, err := s.Judge(migration.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	words := target.Words{Command: "rke2", Args: []string{"--cluster", "demo", "--namespace", "clusters"}}
	document := view.NewStatus(s.Target(), infos(s), seen, commands(words))
	document.Header, document.Paused = scriptHeader, "paused by awsmigrate (20261121T090000Z-0badcafe)"
	var out bytes.Buffer
	view.WriteStatus(console.Streams{Out: &out}, document, time.Time{})
	golden.Require(t, "status.txt.golden", out.String())
	goldenDocument(t, "status.json", "json", document)
	goldenDocument(t, "status.yaml", "yaml", document)
}

// Status during a run shows user and step, and no command that begins another run.
func TestGoldenStatusOfARun(t *testing.T) {
	s := wholeScript()
	seen, err := s.Judge(migration.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	words := target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	owner := lock.Owner{User: "root", Host: "bastion", PID: 15345, Start: began, Run: "20261121T090000Z-0badcafe"}
	state := journal.State{
		Runs: []journal.Run{{ID: owner.Run, Command: "awsmigrate rke2 --cluster demo --hand-over early", Start: began.Format(time.RFC3339)}},
		Notes: map[string]json.RawMessage{"run": json.RawMessage(`{"run": "20261121T090000Z-0badcafe", "goal": "migrate", "until": "switch-provider", "options": {"--hand-over": "early"},
			"step": "hand-over", "since": "2026-11-21T09:04:00Z", "steps": [
			{"id": "preflight", "title": "run all checks", "state": "done", "here": true, "said": ["88 checks: 73 ok"], "seconds": 4},
			{"id": "etcd-snapshot", "title": "take an etcd snapshot", "state": "skipped", "said": ["--no-etcd-snapshot"]},
			{"id": "hand-over", "title": "hand over", "state": "in-progress"},
			{"id": "switch-provider", "title": "switch every component", "state": "todo"}]}`)},
	}
	held := &lock.Held{Owner: owner, Renewed: began.Add(5 * time.Minute), For: 2 * time.Minute}
	working := runner.AccountOf(state, held, false, began.Add(5*time.Minute))
	document := view.NewStatus(s.Target(), infos(s), seen, commands(words)).WithRun(working, commands(words))
	document.Header = scriptHeader
	var out bytes.Buffer
	view.WriteStatus(console.Streams{Out: &out}, document, began.Add(5*time.Minute+4*time.Second))
	golden.Require(t, "status-run.txt.golden", out.String())
	goldenDocument(t, "status-run.json", "json", document)

	out.Reset()
	dead := view.NewStatus(s.Target(), infos(s), seen, commands(words)).WithRun(runner.AccountOf(state, held, true, began.Add(5*time.Minute)), commands(words))
	view.WriteStatus(console.Streams{Out: &out}, dead, began.Add(5*time.Minute+4*time.Second))
	golden.Require(t, "status-died.txt.golden", out.String())
}

func TestGoldenHistory(t *testing.T) {
	target := wholeScript().Target()
	document := view.NewHistory(target, []journal.Run{
		{ID: "1", Command: "awsmigrate rke2 --cluster demo", Who: "ada@bastion", Start: "2026-11-21T09:00:00Z", End: "2026-11-21T09:04:12Z", Outcome: "stopped", Step: migration.StepSwitch, Reason: "NodeRenamed"},
		{ID: "2", Command: "awsmigrate controller", Who: "awsmigrate@pod", Start: "2026-11-21T11:00:00+01:00", End: "2026-11-21T10:00:31Z", Outcome: "guarded", Guard: true},
		{ID: "3", Command: "awsmigrate rke2 undo --cluster demo", Start: "2026-11-21T10:30:00Z", Outcome: "died"},
		{ID: "4", Command: "awsmigrate rke2 undo --cluster demo", Who: "ada@bastion", Start: "2026-11-21T10:40:00Z"},
	})
	var out bytes.Buffer
	view.WriteHistory(console.Streams{Out: &out}, document)
	view.WriteHistory(console.Streams{Out: &out}, view.NewHistory(target, nil))
	golden.Require(t, "history.txt.golden", out.String())
	goldenDocument(t, "history.json", "json", document)
	goldenDocument(t, "history.yaml", "yaml", document)
}

// The last lines for a user who has followed a run.
func TestGoldenOutcomes(t *testing.T) {
	var out bytes.Buffer
	for _, run := range []journal.Run{
		{Outcome: "done"}, {Outcome: "guarded"}, {}, {Outcome: "died"},
		{Outcome: "interrupted", Step: migration.StepSwitch, Reason: "BrakeAsked"}, {Outcome: "stopped", Step: migration.StepPreflight, Reason: "CheckFailed"},
	} {
		view.WriteOutcome(console.Streams{Out: &out}, run)
	}
	golden.Require(t, "outcomes.txt.golden", out.String())
}

// The check, the step and its page are the test's own: golden files hold the layout, and
// no reworded check or page changes them.
func TestGoldenExplanations(t *testing.T) {
	position, err := explain.Find("p3")
	if err != nil {
		t.Fatal(err)
	}
	kind := view.KindOf("Explanation")
	page := "# some-step\n\nOne sentence that is longer than a line of a terminal of eighty columns, with `code` and a [link](other.md).\n\n" +
		"## What it does\n\n1. a list\n2. of two\n\n| a | table |\n|---|---|\n| of | one row |\n\n```\nkubectl get nodes\n```\n"
	for name, document := range map[string]view.Explanation{
		"explain-check":    {TypeMeta: kind, Check: &fiveChecks()[0]},
		"explain-step":     {TypeMeta: kind, Step: &runner.Info{ID: "some-step", Title: "title of some-step", Doc: "steps/some-step.md", Irreversible: "why it cannot be undone"}, Page: page},
		"explain-position": position,
	} {
		var out bytes.Buffer
		view.WriteExplanation(console.Streams{Out: &out}, document)
		golden.Require(t, name+".txt.golden", out.String())
		goldenDocument(t, name+".json", "json", document)
	}
}

func TestGoldenRolling(t *testing.T) {
	rows := []fleet.Left{
		{Cluster: "fleet-default/calm"},
		{Cluster: "fleet-default/old", PausedRollout: "rollout paused in step enable-leader-migration: Rancher is paused for this cluster"},
		{Cluster: "fleet-default/prod", Step: "switch-provider"},
		{Cluster: "fleet-default/far", Unread: "https://rancher.example: no route to host"},
		{Cluster: "fleet-default/away", Unread: "https://rancher.example: no route to host", Open: true},
	}
	var out bytes.Buffer
	view.WriteRolling(console.Streams{Out: &out}, rows)
	golden.Require(t, "rolling.txt.golden", out.String())
}
