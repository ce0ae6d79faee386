package procedure

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// If only the grant is missing, the refusal contains the commands that restore it. No other
// refusal contains them.
func TestFixHalfMigrated_grantDeleted_hasCommands(t *testing.T) {
	hazard := position.Result{Position: position.Unknown, Mixed: true, HandMade: true, Problems: []string{"x"}}
	for _, ungranted := range []bool{true, false} {
		hazard.Ungranted = ungranted
		_, err := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: hazard}}).states(order(migration.Options{InstallMethod: migration.InstallHelm}))
		f, ok := fault.As(err)
		if !ok || f.Class != fault.Check || strings.Contains(f.Fix, checks.GrantCommands) != ungranted || strings.Contains(f.Fix, "by hand") == ungranted {
			t.Errorf("ungranted %t: %v", ungranted, err)
		}
	}
}

// sided adds the readings of a Backend that rolls out its own edits.
func sided(s progress) progress {
	s.Reading.Snapshot = runner.State{Kind: runner.Skipped}
	if n := len(s.Record.Intents); s.Options.Snapshot {
		s.Reading.Snapshot.Kind = runner.Todo
		if n > 0 && s.Record.Intents[n-1].Step == migration.StepSnapshot {
			s.Reading.Snapshot.Kind = runner.InProgress
		}
	}
	return s
}

func TestJudge(t *testing.T) {
	record := func(steps ...journal.StepID) journal.Record {
		var r journal.Record
		for _, id := range steps {
			r.Intents = append(r.Intents, journal.Intent{Step: id})
		}
		return r
	}
	upgrade := migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}
	open := guard.CordonPlan{Open: []string{"cp"}}
	tests := []struct {
		name  string
		s     progress
		first journal.StepID // the first step of a run that would write, or empty
		state runner.StateKind
		err   string // reason of the error, or empty
	}{
		{"P0", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P0)}, Cordon: open}, migration.StepLeaseAccess, runner.Todo, ""},
		{"P0 with a snapshot", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P0)}, Options: migration.Options{Snapshot: true}}, migration.StepSnapshot, runner.Todo, ""},
		{"P1, journal gone: no second snapshot is needed to go on, but one is still safe",
			progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P1)}, Options: migration.Options{Snapshot: true}}, migration.StepSnapshot, runner.Todo, ""},
		{"P1", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P1)}}, migration.StepEnable, runner.Todo, ""},
		{"P2, journal gone", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P2)}, Options: migration.Options{Snapshot: true}, Cordon: open}, migration.StepCordon, runner.Todo, ""},
		{"P2, cordoned", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P2)}, Cordon: guard.CordonPlan{Ours: []string{"cp"}}}, migration.StepInstall, runner.Todo, ""},
		{"P3", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P3)}, Cordon: guard.CordonPlan{Ours: []string{"cp"}}}, migration.StepSwitch, runner.Todo, ""},
		{"P4, cordons still there", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P4)}, Cordon: guard.CordonPlan{Ours: []string{"cp"}}}, migration.StepUncordon, runner.Todo, ""},
		{"P4, never cordoned again", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P4)}, Cordon: open}, migration.StepDisable, runner.Todo, ""},
		{"P4, leader migration kept", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P4)}, Options: migration.Options{KeepLeaderMigration: true}}, "", "", ""},
		{"P4, owned by Terraform", progress{Snapshot: migration.Snapshot{Reading: migration.Reading{Owners: []migration.Owner{{Name: "Terraform", Mark: "field manager terraform"}}}, Result: clustertest.ResultAt(position.P4)}}, "", "", ""},
		{"P5: nothing is ever put back", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P5)}, Options: migration.Options{Snapshot: true}, Cordon: open}, "", "", ""},
		{"P5 with an upgrade", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P5)}, Options: migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}}, migration.StepUpgrade, runner.Todo, ""},
		{"enabled by us, not copied yet", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1), Record: record(migration.StepEnable)}}, migration.StepEnable, runner.InProgress, ""},
		{"half enabled by us", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultBetween(position.P1, position.P2), Record: record(migration.StepEnable)}}, migration.StepEnable, runner.InProgress, ""},
		{"half enabled, Rancher still rolls", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultBetween(position.P1, position.P2)}}, migration.StepEnable, runner.InProgress, ""},
		{"half enabled by hand", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultBetween(position.P1, position.P2)}}, "", "", "HalfMigrated"},
		{"half switched by us", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultBetween(position.P3, position.P4), Record: record(migration.StepSwitch)}, Cordon: open}, migration.StepCordon, runner.Todo, ""},
		{"half switched by hand", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultBetween(position.P3, position.P4)}}, "", "", "HalfMigrated"},
		{"a hazard is never ours", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: position.Result{Position: position.Unknown, Mixed: true, HandMade: true}, Record: record(migration.StepSwitch)}}, "", "", "HalfMigrated"},
		{"unknown at rest", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: position.Result{Position: position.Unknown}, Record: record(migration.StepSwitch)}}, "", "", "PositionUnknown"},
		{"unknown in the middle of our roll", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: position.Result{Position: position.Unknown}, Record: record(migration.StepEnable)}}, migration.StepEnable, runner.InProgress, ""},
	}
	tests = append(tests, []struct {
		name  string
		s     progress
		first journal.StepID
		state runner.StateKind
		err   string
	}{
		{"no control plane has the flag yet", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1), Record: record(migration.StepLeaseAccess, migration.StepEnable)}}, migration.StepEnable, runner.InProgress, ""},
		{"all have it, and workers roll", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P4), Record: record(migration.StepSwitch)}}, migration.StepSwitch, runner.InProgress, ""},
		{"half switched, still rolling: cordons are not set again", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultBetween(position.P3, position.P4), Record: record(migration.StepSwitch)}, Cordon: open}, migration.StepSwitch, runner.InProgress, ""},
		{"half enabled, still rolling, journal gone: no snapshot in between", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultBetween(position.P1, position.P2)}, Options: migration.Options{Snapshot: true}}, migration.StepEnable, runner.InProgress, ""},
		{"our upgrade rolls", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P5), Record: record(migration.StepSwitch, migration.StepDisable, migration.StepUpgrade)}, Options: upgrade}, migration.StepUpgrade, runner.InProgress, ""},
		{"every kubelet has it, and it still rolls", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P5), Record: record(migration.StepUpgrade)}, Options: upgrade, AtTarget: true}, migration.StepUpgrade, runner.InProgress, ""},
		{"upgraded", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P5), Record: record(migration.StepUpgrade)}, Options: upgrade, AtTarget: true}, "", "", ""},
		{"a foreign upgrade rolls", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P5), Record: record(migration.StepSwitch)}, Options: upgrade}, migration.StepUpgrade, runner.Todo, ""},
		{"our upgrade rolls, without the option", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P5), Record: record(migration.StepUpgrade)}}, "", "", ""},
		{"unknown in the middle of our upgrade", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: position.Result{Position: position.Unknown}, Record: record(migration.StepDisable, migration.StepUpgrade)}, Options: upgrade}, migration.StepUpgrade, runner.InProgress, ""},
		{"another writer causes a rollout", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1)}}, migration.StepEnable, runner.Todo, ""},
		{"it moves long after our edit", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P3), Record: record(migration.StepEnable)}, Cordon: guard.CordonPlan{Ours: []string{"cp"}}}, migration.StepSwitch, runner.Todo, ""},
	}...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ids := order(migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: tt.s.Options.KubernetesVersion})
			snap, err := sided(tt.s).states(ids)
			if f, ok := fault.As(err); (ok && f.Reason != tt.err) || (!ok && tt.err != "") {
				t.Fatalf("error %v, want reason %q", err, tt.err)
			}
			if err != nil {
				return
			}
			for _, id := range ids {
				state := snap.States[id]
				if state.Kind != runner.Todo && state.Kind != runner.InProgress {
					continue
				}
				if id != tt.first || state.Kind != tt.state {
					t.Errorf("first step is %s (%s), want %q (%s)", id, state.Kind, tt.first, tt.state)
				}
				return
			}
			if tt.first != "" {
				t.Errorf("nothing to do, want %s", tt.first)
			}
		})
	}
}

// A user brings a cluster between two positions to one, but not during a rollout or our pause.
// An owner of the configuration does it there.
func TestFixHalfMigrated(t *testing.T) {
	held := clustertest.Resting()
	held.Pending = []migration.PendingCondition{{Object: "x", Seen: "paused", OurPause: true}}
	for name, tt := range map[string]struct {
		reading  migration.Reading
		handOver bool
		result   position.Result
		want     []string
	}{
		"at rest":                    {clustertest.Resting(), false, position.Result{}, []string{"by hand or by a commit", "then run again"}},
		"at rest, with an owner":     {clustertest.Resting(), true, position.Result{}, []string{"commit the Cluster's previous configuration", "then run again"}},
		"rolled out":                 {clustertest.Rolling(), false, position.Result{}, []string{"wait until it is finished", "by hand or by a commit", " at once"}},
		"rolled out for its owner":   {clustertest.Rolling(), true, position.Result{}, []string{"wait until it is finished", "else commit"}},
		"paused by us":               {held, false, position.Result{}, []string{"by hand or by a commit", "then end the pause"}},
		"paused, with an owner":      {held, true, position.Result{}, []string{"commit the Cluster's previous configuration", "then end the pause"}},
		"nothing but a right is off": {clustertest.Rolling(), true, position.Result{Ungranted: true}, []string{"two commands"}},
	} {
		s := progress{Snapshot: migration.Snapshot{Reading: tt.reading, Result: tt.result}, Options: migration.Options{HandOver: tt.handOver}}
		f, ok := fault.As(s.halfMigrated())
		if !ok {
			t.Fatalf("%s: %v", name, f)
		}
		for _, part := range tt.want {
			if !strings.Contains(f.Fix, part) {
				t.Errorf("%s: %q, wanted %q", name, f.Fix, part)
			}
		}
	}
}

func TestStates_ownRollout_skipsPreflight(t *testing.T) {
	enabling := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable}}}
	snapshotting := journal.Record{Intents: []journal.Intent{{Step: migration.StepSnapshot, Token: "1"}}}
	for _, tt := range []struct {
		name string
		s    progress
		want runner.StateKind
	}{
		{"at rest", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P1), Record: enabling}}, runner.Always},
		{"our roll", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1), Record: enabling}}, runner.Skipped},
		{"our roll, half done", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultBetween(position.P1, position.P2), Record: enabling}}, runner.Skipped},
		{"half done, at rest: its edit may have to be written", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultBetween(position.P1, position.P2), Record: enabling}}, runner.Always},
		{"our snapshot", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P0), Record: snapshotting}, Options: migration.Options{Snapshot: true}}, runner.Skipped},
		{"our upgrade", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P5), Record: journal.Record{Intents: []journal.Intent{{Step: migration.StepUpgrade}}}}, Options: migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}}, runner.Skipped},
		{"a foreign rollout", progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1)}}, runner.Always},
	} {
		snap, err := sided(tt.s).states(order(migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: tt.s.Options.KubernetesVersion}))
		if err != nil {
			t.Fatal(err)
		}
		if got := snap.States[migration.StepPreflight].Kind; got != tt.want {
			t.Errorf("%s: preflight is %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestStates_afterSwitch_noFlag(t *testing.T) {
	for _, p := range []position.Position{position.P4, position.P5} {
		for _, method := range []migration.InstallMethod{migration.InstallHelm, migration.InstallManifest} {
			snap, err := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(p)}}).states(order(migration.Options{InstallMethod: method}))
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []journal.StepID{migration.StepLeaseAccess, migration.StepEnable, migration.StepInstall, migration.StepSwitch, migration.StepCordon} {
				if state := snap.States[id]; state.Kind != runner.Done {
					t.Errorf("at %s with %s: %s is %s, want done", p, method, id, state.Kind)
				}
			}
		}
	}
}

func TestOrder_manifest_installBeforeCordon(t *testing.T) {
	ids := order(migration.Options{InstallMethod: migration.InstallManifest})
	index := map[journal.StepID]int{}
	for i, id := range ids {
		index[id] = i
	}
	if index[migration.StepInstall] > index[migration.StepCordon] {
		t.Errorf("order %v: the install Job does not tolerate a cordon", ids)
	}
}

// Only steps that reach a position can be in progress between two. Other steps, and steps
// before an undo, are skipped.
func TestLastIntended(t *testing.T) {
	for name, tt := range map[string]struct {
		steps []journal.StepID
		want  journal.StepID
	}{
		"nothing":             {nil, ""},
		"a position":          {[]journal.StepID{migration.StepLeaseAccess, migration.StepEnable}, migration.StepEnable},
		"cordons after it":    {[]journal.StepID{migration.StepEnable, migration.StepCordon}, migration.StepEnable},
		"a snapshot alone":    {[]journal.StepID{migration.StepSnapshot}, ""},
		"an upgrade after it": {[]journal.StepID{migration.StepDisable, migration.StepUpgrade}, migration.StepDisable},
		"undone":              {[]journal.StepID{migration.StepEnable, migration.StepUndoEnable}, ""},
		"begun again":         {[]journal.StepID{migration.StepEnable, migration.StepUndoEnable, migration.StepLeaseAccess}, migration.StepLeaseAccess},
	} {
		if got := lastIntended(intended(tt.steps...)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Each position from P1 has one step that reaches it and one that undoes it.
func TestPositionOf_everyPosition_hasStepAndUndo(t *testing.T) {
	for p := position.P1; p <= position.P5; p++ {
		step := stepTo(p)
		if step == "" || positionOf(step) != p || undoneStep(undoStep(step)) != step || undonePosition(undoStep(step)) != p {
			t.Errorf("%s: %q, back by %q", p, step, undoStep(step))
		}
	}
	for _, p := range []position.Position{position.P0, position.Unknown} {
		if step := stepTo(p); step != "" {
			t.Errorf("%s is reached by %s", p, step)
		}
	}
	if undo := undoStep(migration.StepCordon); undo != "" || undoStep("") != "" {
		t.Errorf("%q takes a cordon back", undo)
	}
}

// The position alone does not decide these steps: omitted steps stay omitted, our cordons are
// removed, and finished work is not repeated.
func TestState(t *testing.T) {
	skip := guard.CordonPlan{Skip: "drains", Open: []string{"cp"}}
	for name, tt := range map[string]struct {
		at     position.Position
		cordon guard.CordonPlan
		o      migration.Options
		target bool
		id     journal.StepID
		want   runner.StateKind
	}{
		"cordons are skipped":           {position.P2, skip, migration.Options{}, false, migration.StepCordon, runner.Skipped},
		"none was, after the switch":    {position.P4, skip, migration.Options{}, false, migration.StepCordon, runner.Done},
		"so none is given back":         {position.P2, skip, migration.Options{}, false, migration.StepUncordon, runner.Skipped},
		"nor after the switch":          {position.P4, skip, migration.Options{}, false, migration.StepUncordon, runner.Done},
		"ours are, whatever is skipped": {position.P2, guard.CordonPlan{Skip: "drains", Ours: []string{"cp"}}, migration.Options{}, false, migration.StepUncordon, runner.Todo},
		"uncordon follows open cordons": {position.P2, guard.CordonPlan{Open: []string{"cp"}}, migration.Options{}, false, migration.StepUncordon, runner.Todo},
		"no open cordon":                {position.P2, guard.CordonPlan{}, migration.Options{}, false, migration.StepUncordon, runner.Done},
		"after the switch, no cordon":   {position.P4, guard.CordonPlan{Open: []string{"cp"}}, migration.Options{}, false, migration.StepUncordon, runner.Done},
		"the audit is always made":      {position.P5, guard.CordonPlan{}, migration.Options{}, false, migration.StepVerify, runner.Always},
		"the preflight, too":            {position.P4, guard.CordonPlan{}, migration.Options{}, false, migration.StepPreflight, runner.Always},
		"but not at the end":            {position.P5, guard.CordonPlan{}, migration.Options{}, false, migration.StepPreflight, runner.Done},
		"again before an upgrade":       {position.P5, guard.CordonPlan{}, migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}, false, migration.StepPreflight, runner.Always},
		"and not after it":              {position.P5, guard.CordonPlan{}, migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}, true, migration.StepPreflight, runner.Done},
		"it is kept, and off":           {position.P5, guard.CordonPlan{}, migration.Options{KeepLeaderMigration: true}, false, migration.StepDisable, runner.Done},
		"it is kept":                    {position.P4, guard.CordonPlan{}, migration.Options{KeepLeaderMigration: true}, false, migration.StepDisable, runner.Skipped},
	} {
		s := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(tt.at)}, Cordon: tt.cordon, Options: tt.o, AtTarget: tt.target})
		snap, err := s.states(order(migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: tt.o.KubernetesVersion}))
		if got := snap.States[tt.id].Kind; err != nil || got != tt.want {
			t.Errorf("%s: %s is %q, want %q, %v", name, tt.id, got, tt.want, err)
		}
	}
}

// An owner could revert to the configuration before the flag, and then needs the lease. An
// owner that made every edit does not.
func TestReasonToSkipDisable_owner(t *testing.T) {
	for name, tt := range map[string]struct {
		o    migration.Options
		want runner.StateKind
	}{
		"we wrote":                   {migration.Options{}, runner.Skipped},
		"we wrote, and they have it": {migration.Options{DisableAsked: true}, runner.Todo},
		"they made every edit":       {migration.Options{HandOver: true}, runner.Todo},
		"they did, and it is kept":   {migration.Options{HandOver: true, KeepLeaderMigration: true}, runner.Skipped},
	} {
		reading := clustertest.Resting()
		reading.Owners = []migration.Owner{{Name: "Fleet", Mark: "field manager fleetagent"}}
		s := sided(progress{Snapshot: migration.Snapshot{Reading: reading, Result: clustertest.ResultAt(position.P4)}, Options: tt.o})
		snap, err := s.states(order(migration.Options{InstallMethod: migration.InstallHelm}))
		if got := snap.States[migration.StepDisable].Kind; err != nil || got != tt.want {
			t.Errorf("%s: %q, want %q, %v", name, got, tt.want, err)
		}
	}
}

// Between positions a step counts as begun, and its position is not reached.
func TestCurrent_unreadable(t *testing.T) {
	unknown := position.Result{Position: position.Unknown}
	s := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: unknown, Record: intended(migration.StepSwitch)}})
	if now, err := s.current(); err != nil || now != (current{migration.StepSwitch, position.P3}) {
		t.Errorf("%+v, %v", now, err)
	}
	leaderless := position.Result{Position: position.P4, Mixed: true, Between: [2]position.Position{position.P4, position.P4}}
	s = sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: leaderless}})
	if now, err := s.current(); err != nil || now != (current{"", position.P4}) {
		t.Errorf("switched without a leader: %+v, %v", now, err)
	}
}

// The error contains each problem; it is nil without problems.
func TestJoinProblems(t *testing.T) {
	for _, problems := range [][]string{nil, {"cp-0 is odd"}, {"cp-0 is odd", "cp-1 is odd"}} {
		s := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: position.Result{Position: position.Unknown, HandMade: true, Problems: problems}}})
		_, err := s.states(order(migration.Options{InstallMethod: migration.InstallHelm}))
		f, ok := fault.As(err)
		if !ok || (f.Err == nil) != (len(problems) == 0) || f.Err != nil && f.Err.Error() != strings.Join(problems, "; ") {
			t.Errorf("%q: %+v", problems, f)
		}
	}
}
