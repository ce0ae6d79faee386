package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// foreseen is a cluster with the given findings.
type foreseen struct {
	*script
	report procedure.Foreseen
	err    error
	owned  error
}

func (*foreseen) Paused(migration.Snapshot) string                { return "" }
func (*foreseen) Alone(context.Context, migration.Snapshot) error { return nil }
func (f *foreseen) RequireInformed(migration.Snapshot) error      { return f.owned }

func (f *foreseen) Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error) {
	return f.report, f.err
}

func (f *foreseen) Asked(target.Output) (target.Asked, error) { return target.Asked{Target: f}, nil }

func (f *foreseen) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	return &session.Session{Procedure: f, Journal: &journal.Memory{}, RunID: "run-1"}, nil
}

func finding(status verify.Status, id string) verify.Report {
	result := verify.Result{Status: status}
	result.ID, result.Title = id, "zone labels agree with the ProviderIDs"
	result.Findings = []verify.Finding{{Status: status, Object: "Node a", Seen: "zone label us-east-1q", Wanted: "us-east-1c"}}
	return verify.Report{Counts: map[verify.Status]int{verify.OK: 3, status: 1}, Results: []verify.Result{result}}
}

// plan lists the errors that would stop the run. Its exit code reports them on request, and is
// otherwise unaffected.
func TestPlanForesees(t *testing.T) {
	stop := func(class fault.Class) error {
		return &fault.Error{Class: class, Object: "AWSM-303", Seen: "zone label us-east-1q"}
	}
	done := &script{list: []*scripted{{id: migration.StepPreflight, state: runner.State{Kind: runner.Always}}}}
	for name, tt := range map[string]struct {
		script *script
		report procedure.Foreseen
		err    error
		code   int // with --detailed-exitcode
		plain  int // without
	}{
		"nothing to do":            {done, procedure.Foreseen{}, nil, 0, 0},
		"nothing to do, but wrong": {done, procedure.Foreseen{Report: finding(verify.Fail, "AWSM-303"), Stops: stop(fault.Check)}, nil, 3, 0},
		"changes":                  {wholeScript(), procedure.Foreseen{}, nil, 5, 0},
		"would be stopped":         {wholeScript(), procedure.Foreseen{Report: finding(verify.Fail, "AWSM-303"), Stops: stop(fault.Check)}, nil, 3, 0},
		"could not look at one":    {wholeScript(), procedure.Foreseen{Report: finding(verify.Unknown, "AWSM-303"), Stops: stop(fault.CouldNotLook)}, nil, 10, 0},
		"both": {wholeScript(), procedure.Foreseen{Report: finding(verify.Fail, "AWSM-303"),
			Stops: errors.Join(stop(fault.CouldNotLook), stop(fault.Check))}, nil, 3, 0},
		"warnings, asked for":   {wholeScript(), procedure.Foreseen{Report: finding(verify.Warn, "AWSM-303"), Stops: stop(fault.Warnings)}, nil, 4, 0},
		"warnings":              {wholeScript(), procedure.Foreseen{Report: finding(verify.Warn, "AWSM-303")}, nil, 5, 0},
		"checks cannot be made": {wholeScript(), procedure.Foreseen{}, stop(fault.CouldNotLook), 10, 10},
	} {
		for _, output := range []string{"text", "json"} {
			var out bytes.Buffer
			a := &app.App{Streams: console.Streams{Out: &out, Err: &out}, Output: output}
			cluster := &foreseen{script: tt.script, report: tt.report, err: tt.err}
			if code := view.ExitCode(planMigration(t.Context(), a, cluster, asPlan{detailed: true})); code != tt.code {
				t.Errorf("%s, %s: exit %d, want %d", name, output, code, tt.code)
			}
			if code := view.ExitCode(planMigration(t.Context(), &app.App{Streams: a.Streams, Output: output}, cluster, asPlan{})); code != tt.plain {
				t.Errorf("%s, %s: exit %d without the flag, want %d", name, output, code, tt.plain)
			}
			if shows := strings.Contains(out.String(), "zone label us-east-1q"); shows != (len(tt.report.Report.Results) > 0) {
				t.Errorf("%s, %s: shows the finding: %t\n%s", name, output, shows, out.String())
			}
			if output != "json" || tt.err != nil {
				continue
			}
			var doc planDocument
			if err := json.NewDecoder(&out).Decode(&doc); err != nil || doc.Checks == nil || len(doc.Checks.Results) != len(tt.report.Report.Results) ||
				doc.Checks.Code != tt.code || (len(doc.Checks.Stops) > 0) != (tt.report.Stops != nil) {
				t.Errorf("%s: %v, %+v", name, err, doc.Checks)
			}
			if first := strings.Join(doc.Steps[0].Summary, " "); len(tt.report.Report.Results) > 0 && !strings.Contains(first, "3 ok, 1 ") {
				t.Errorf("%s: the first row says %q", name, first)
			}
		}
	}
}

// An owner that was not informed stops every run that would write, even if no check stops it.
func TestPlanForeseesOwners(t *testing.T) {
	owned := &fault.Error{Class: fault.Check, Object: "Cluster demo", Seen: "is owned by Fleet"}
	finished := &script{list: []*scripted{{id: migration.StepPreflight, state: runner.State{Kind: runner.Always}}}}
	for name, tt := range map[string]struct {
		script *script
		code   int
	}{"steps to do": {wholeScript(), 3}, "nothing to write": {finished, 0}} {
		var out bytes.Buffer
		a := &app.App{Streams: console.Streams{Out: &out, Err: &out}, Output: "text"}
		if code := view.ExitCode(planMigration(t.Context(), a, &foreseen{script: tt.script, owned: owned}, asPlan{detailed: true})); code != tt.code {
			t.Errorf("%s: exit %d, want %d", name, code, tt.code)
		}
		if shows := strings.Contains(out.String(), "is owned by Fleet"); shows != (tt.code == 3) {
			t.Errorf("%s: shows the owner: %t\n%s", name, shows, out.String())
		}
		if done := strings.Contains(out.String(), "\nNothing to do.\n"); done != (tt.code == 0) {
			t.Errorf("%s: says that nothing is to do: %t\n%s", name, done, out.String())
		}
	}
}

// While a run works, a plan names it and no command that begins another one.
func TestPlanDocument_withRun(t *testing.T) {
	words := target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}
	for name, tt := range map[string]struct {
		life   runner.Life // empty: no run
		unread error
		next   string
		header string // a part of its last line
	}{
		"works_watch":     {runner.LifeWorks, nil, "awsmigrate rke2 status --cluster demo --watch", "run    root on vm; in step 1 of 2 a, for 0s"},
		"dead_continue":   {runner.LifeDead, nil, "go on", "its process has ended"},
		"none_continue":   {"", nil, "go on", "head"},
		"unread_continue": {"", errors.New("no"), "go on", "?      whether a run works on this cluster is unknown: no"},
	} {
		t.Run(name, func(t *testing.T) {
			var run *runner.Account
			if tt.life != "" {
				run = &runner.Account{By: "root on vm", Life: tt.life, Renewed: auditTime,
					Announcement: runner.Announcement{Step: "a", Since: auditTime, Steps: []runner.AccountStep{{ID: "a"}, {ID: "b"}}}}
			}
			doc := planDocument{Header: []string{"head"}, Next: "go on"}.withRun(run, tt.unread, words, testingclock.NewFakeClock(auditTime))
			if last := doc.Header[len(doc.Header)-1]; doc.Next != tt.next || !strings.Contains(last, tt.header) || (doc.Run != nil) != (tt.life == runner.LifeWorks) {
				t.Errorf("next %q, header %q, run %v", doc.Next, last, doc.Run)
			}
		})
	}
}
