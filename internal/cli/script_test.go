package cli

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// stepClock is a clock that every wait advances.
type stepClock struct{ *clocktesting.FakeClock }

func (c stepClock) NewTimer(d time.Duration) clock.Timer {
	t := c.FakeClock.NewTimer(d)
	c.Step(d)
	return t
}

// scripted is a step that plays what it is given.
type scripted struct {
	id       journal.StepID
	state    runner.State
	plan     runner.Plan
	verdicts []runner.Verdict // one for each reading, the last one again and again
	reaches  string           // the position it brings about
	warns    []string
	reads    func() // called at every reading; or nil
}

// Info implements runner.Step. The title is the script's own, so that rewording a step
// changes no golden file.
func (s *scripted) Info() runner.Info {
	infos := procedure.StepInfos()
	info := infos[slices.IndexFunc(infos, func(i runner.Info) bool { return i.ID == s.id })]
	info.Title = "title of " + string(s.id)
	return info
}

// Plan implements runner.Step.
func (s *scripted) Plan(context.Context, migration.Snapshot) (runner.Plan, error) { return s.plan, nil }

// Do implements runner.Step.
func (s *scripted) Do(ctx context.Context, tx *runner.Tx, _ migration.Snapshot) error {
	return tx.Effect(ctx, journal.Intent{What: "write", Object: "Cluster fleet-default/demo"}, func(context.Context) error { return nil })
}

// Verify implements runner.Step.
func (s *scripted) Verify(_ context.Context, tx *runner.Tx, _ migration.Snapshot) (runner.Verdict, error) {
	for _, warning := range s.warns {
		tx.Warn(warning)
	}
	if s.reads != nil {
		s.reads()
	}
	verdict := s.verdicts[0]
	if len(s.verdicts) > 1 {
		s.verdicts = s.verdicts[1:]
	}
	if verdict.Kind == runner.Met && s.state.Kind != runner.Always {
		s.state = runner.State{Kind: runner.Done, Reason: "observed"}
	}
	return verdict, nil
}

// script is a procedure of scripted steps.
type script struct{ list []*scripted }

// Target implements runner.Procedure.
func (s *script) Target() journal.Target {
	return journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "5f0c"}
}

// Steps implements runner.Procedure.
func (s *script) Steps() []migration.Step {
	steps := make([]migration.Step, len(s.list))
	for i, one := range s.list {
		steps[i] = one
	}
	return steps
}

// Observe implements runner.Procedure.
func (s *script) Observe(_ context.Context, record journal.Record) (migration.Snapshot, error) {
	return migration.Snapshot{Record: record}, nil
}

// Handoff implements session.Procedure: nothing is left to commit.
func (*script) NextEdit(context.Context, migration.Snapshot) (procedure.NextEdit, error) {
	return procedure.NextEdit{}, nil
}
func (*script) Handoff(context.Context, migration.Snapshot, string, bool) (string, error) {
	return "", nil
}

// Header implements runner.Procedure.
func (*script) Basis(migration.Snapshot) runner.Basis {
	return runner.Basis{Cluster: "0a1b", Goal: "migrate"}
}

func (*script) Header(migration.Snapshot) []string { return scriptHeader }

// Leader implements runner.Procedure.
func (*script) Leader(migration.Snapshot) runner.Leader { return runner.Leader{} }

// Precheck implements runner.Procedure.
func (*script) Precheck(context.Context, migration.Snapshot, runner.Observation) error { return nil }

// Judge implements runner.Procedure.
func (s *script) Judge(migration.Snapshot) (runner.Observation, error) {
	seen := runner.Observation{Position: "P0", Summary: "in-tree", States: map[journal.StepID]runner.State{}}
	for _, one := range s.list {
		seen.States[one.id] = one.state
		if one.state.Kind == runner.Done && one.reaches != "" {
			seen.Position, seen.Summary = one.reaches[:2], one.reaches[3:]
		}
	}
	return seen, nil
}

// PauseRollout implements runner.Procedure.
func (s *script) PauseRollout(context.Context, *runner.Tx, migration.Snapshot, error) (string, error) {
	return "Rancher is paused for this cluster; machines without the edit keep what they run", nil
}

var scriptHeader = []string{
	"demo   fleet-default · c-m-7xk2p · RKE2 v1.26.13+rke2r1 · 3 control planes, 3 workers · Rancher v2.8.5",
	"now    P1  ●●○○○○  in-tree provider in charge, its migration lease allowed",
	"end    overrides (no node has an explicit node-name)",
}

func waits(what, seen, progress string, done, total int) runner.Verdict {
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: what, Seen: seen, Progress: progress, Done: done, Total: total}
}

func sees(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

func repeated(v runner.Verdict, n int) []runner.Verdict {
	return slices.Repeat([]runner.Verdict{v}, n)
}

// pausing are so many pauses of the usual length.
func pausing(least, most int) runner.Pauses {
	return runner.Pauses{Least: least, Most: most, EachLeast: 13, EachMost: 24}
}

// wholeScript returns a script with every kind of step and of wait in it. Its sentences are
// not the product's: golden files hold the layout, the tests of the steps their wording.
func wholeScript() *script {
	const rolling = "every machine to take the edit"
	return &script{list: []*scripted{
		{id: migration.StepPreflight, state: runner.State{Kind: runner.Always}, plan: runner.Plan{Summary: []string{"78 checks"}, Takes: 10},
			verdicts: []runner.Verdict{sees("54 ok, 1 warn, 23 skipped: 22 not at P1, AWSM-421",
				"!  AWSM-112  title of the check", "   zone us-east-1a: 2 of 3 members → at most 1", "   fix: add members in other zones",
				"–  AWSM-421  hop limit: pods use the host network")}},
		{id: migration.StepSnapshot, state: runner.State{Kind: runner.Skipped, Reason: "--no-etcd-snapshot"}},
		{id: migration.StepLeaseAccess, state: runner.State{Kind: runner.Done, Reason: "in-tree, migration lease granted"}, reaches: "P1 in-tree, migration lease granted"},
		{id: migration.StepEnable, state: runner.State{Kind: runner.Todo}, reaches: "P2 in-tree, flag on every KCM",
			plan: runner.Plan{Summary: []string{"~ machineSelectorConfig[0].config.kube-controller-manager-arg (+1 −0)"}, Rolls: 3, Takes: 6 * runner.Minute, Pauses: pausing(1, 3),
				Changes: []runner.Change{{Object: "Cluster fleet-default/demo", Location: "machineSelectorConfig[0].config.kube-controller-manager-arg",
					Before: []string{"feature-gates=X=true"}, After: []string{"feature-gates=X=true", "enable-leader-migration"},
					Diff: "    - feature-gates=X=true\n  + - enable-leader-migration\n"}}},
			verdicts: []runner.Verdict{
				waits("every control plane to take the edit", "the edit is not copied so far: machineSelectorConfig[0]", "a", 0, 3),
				sees("3 of 3 control planes run with enable-leader-migration", "migration lease: ip-10-0-0-10 (kube-controller-manager), renewing"),
			}},
		{id: migration.StepInstall, state: runner.State{Kind: runner.Todo}, reaches: "P3 CCM with flag next to the in-tree provider", // words:ok: a text of pkg/verify/position
			plan: runner.Plan{Summary: []string{"+ Helm release aws-cloud-controller-manager, image v1.26.14"}, Takes: runner.Minute,
				Notes: []string{"cloud config key left out, the CCM does not know it: DisableSecurityGroupIngress, which was deprecated long ago"},
				Changes: []runner.Change{
					{Object: "ServiceAccount kube-system/cloud-controller-manager", Diff: "--- ServiceAccount a\n+++ ServiceAccount a\n@@ -1 +1,3 @@\n+apiVersion: v1\n+kind: ServiceAccount\n+metadata: {}\n \n", Form: runner.ObjectDiff},
					{Object: "DaemonSet kube-system/aws-cloud-controller-manager", Diff: "--- DaemonSet a\n+++ DaemonSet a\n@@ -1,3 +1,3 @@\n args:\n-- --v=2\n+- --v=4\n", Form: runner.ObjectDiff},
				}},
			verdicts: []runner.Verdict{sees("3/3 pods, 1 leads")}, warns: []string{"the release was left pending by a run that died; its record was repaired"}},
		{id: migration.StepSwitch, state: runner.State{Kind: runner.Todo}, reaches: "P4 external, leader migration still on",
			plan: runner.Plan{Summary: []string{"~ machineSelectorConfig[0].config.kubelet-arg (+1 −0)", "~ machineGlobalConfig.disable-cloud-controller (+1 −0)"}, Rolls: 6, Takes: 12 * runner.Minute, Pauses: pausing(1, 1),
				Notes: []string{"one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers"}},
			verdicts: slices.Concat(
				[]runner.Verdict{waits(rolling, "the edit is not copied so far: machineSelectorConfig[0].config.kubelet-arg, machineGlobalConfig.disable-cloud-controller", "a", 0, 6)},
				[]runner.Verdict{waits(rolling, "Rancher: configuring bootstrap node(s) demo-cp-a1: waiting for plan to be applied; demo-cp-a1: its kubelet has provider \"aws\"; 5 others wait", "b", 0, 6)},
				repeated(waits(rolling, "Rancher: configuring bootstrap node(s) demo-cp-a1: waiting for probes: kube-apiserver, kube-controller-manager, kubelet; demo-cp-a1: its kubelet has provider \"aws\"; 5 others wait", "c", 1, 6), 45),
				repeated(waits(rolling, "Rancher: configuring worker node(s) demo-w-1,demo-w-2", "d", 3, 6), 8),
				[]runner.Verdict{sees("6 of 6 machines took the edit", "every Node kept its name, UID and ProviderID")})},
		{id: migration.StepDisable, state: runner.State{Kind: runner.Todo}, reaches: "P5 external, leader migration off",
			plan: runner.Plan{Summary: []string{"~ Helm release aws-cloud-controller-manager (flag off), − Lease, RoleBinding, Role"}, Takes: 3 * runner.Minute, Pauses: pausing(1, 3)},
			verdicts: []runner.Verdict{{Kind: runner.Met, Evidence: []string{"audit: 60 ok"}, Compared: []runner.Compared{
				{Kind: "nodes", By: "names, UIDs, ProviderIDs", Same: 6, Of: 6}, {Kind: "addresses of nodes", By: "as the API lists them", Same: 5, Of: 6, Others: []string{"ip-10-0-0-10.ec2.internal"}}, {Kind: "load balancers", By: "host names of Services", Same: 3, Of: 3}}}}},
	}}
}

// played holds the output of a script's run.
type played struct {
	out, err string
	code     int
}

// play runs a script the way the command does, with a separate clock.
func play(t *testing.T, s *script, output string, bend func(*console.Streams, *runner.Options)) played {
	t.Helper()
	return playNamed(t, target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}, s, output, bend)
}

// playNamed is play for a cluster with these words.
func playNamed(t *testing.T, words target.Words, s *script, output string, bend func(*console.Streams, *runner.Options)) played {
	t.Helper()
	var out, errs bytes.Buffer
	streams := console.Streams{Out: &out, Err: &errs, Color: true, Env: func(string) string { return "" }}
	clk := stepClock{clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	options := runner.Options{RunID: "20261121T090000Z-0badcafe", Command: "awsmigrate rke2 --cluster demo --yes",
		Journal: &journal.Memory{}, Lock: new(lock.Memory).For(lock.Owner{User: "u"}), Clock: clk}
	if bend != nil {
		bend(&streams, &options)
	}
	a := &app.App{Streams: streams, Output: output}
	shows := a.RunOutput(runview.ProgressPlain)
	shows.Evidence = func() runview.Evidence { return runview.Evidence{StoredRun: options.RunID} }
	if len(words.Options) == 0 {
		shows.Evidence = nil
	}
	shown := runview.NewRun(shows, commands(words))
	options.Sink = shown
	result, err := runner.Run[migration.Snapshot](t.Context(), s, options)
	err = shown.Finish(result, err)
	return played{out: out.String(), err: errs.String(), code: view.ExitCode(err)}
}

func renamed() error {
	return &fault.Error{Class: fault.Check, Reason: "Renamed", Object: "Machine demo-cp-a1",
		Seen:   "registered a second Node: ip-10-0-0-10 beside ip-10-0-0-10.ec2.internal (AWSM-305)", // words:ok: a text of pkg/migration/guard
		Wanted: "the Node of the fingerprint", Checks: []string{"AWSM-305"}}
}

// Watched implements runner.Guarded: no rollout continues without a run here.
func (*script) Watched(context.Context, migration.Snapshot) migration.Step { return nil }
