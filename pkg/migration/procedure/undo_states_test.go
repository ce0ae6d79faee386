package procedure

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// intended returns a journal that announced these steps.
func intended(steps ...journal.StepID) journal.Record {
	var r journal.Record
	for _, id := range steps {
		r.Intents = append(r.Intents, journal.Intent{Step: id})
	}
	return r
}

// granted adds grant and lease of a migration.
func granted(r migration.Reading) migration.Reading {
	r.Down.OwnGrant = true
	r.Down.Leases.Migration.Exists = true
	return r
}

func TestUndoStates(t *testing.T) {
	all := []journal.StepID{migration.StepUndoDisable, migration.StepUndoSwitch, migration.StepUndoInstall, migration.StepUndoEnable, migration.StepUndoAccess}
	forward := intended(migration.StepLeaseAccess, migration.StepEnable, migration.StepInstall, migration.StepSwitch, migration.StepDisable)
	unknown := position.Result{Position: position.Unknown}
	for _, tt := range []struct {
		name string
		s    progress
		todo []journal.StepID // Todo or InProgress, in order
		now  journal.StepID   // the step in progress
		err  string
	}{
		{"P5", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P5), Record: forward}}, all, "", ""},
		{"P4", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultAt(position.P4), Record: forward}}, all[1:], "", ""},
		{"P4 with cordons", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultAt(position.P4)}, Cordon: guard.CordonPlan{Ours: []string{"cp"}}},
			[]journal.StepID{migration.StepUndoSwitch, migration.StepUncordon, migration.StepUndoInstall, migration.StepUndoEnable, migration.StepUndoAccess}, "", ""},
		{"P3", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultAt(position.P3)}}, all[2:], "", ""},
		{"P2", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultAt(position.P2)}}, all[3:], "", ""},
		{"P1", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultAt(position.P1)}}, all[4:], "", ""},
		{"P1 by a right of others", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P1)}}, nil, "", ""},
		{"P0", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P0), Record: forward}}, nil, "", ""},
		{"half switched by us", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultBetween(position.P3, position.P4), Record: intended(migration.StepSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"half switched back", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultBetween(position.P3, position.P4), Record: intended(migration.StepSwitch, migration.StepUndoSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"half switched by hand", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultBetween(position.P3, position.P4)}}, nil, "", "HalfMigrated"},
		{"half disabled by us", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Resting()), Result: clustertest.ResultBetween(position.P4, position.P5), Record: forward}}, all, migration.StepUndoDisable, ""},
		{"enabled, nothing rolled yet", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P1), Record: intended(migration.StepLeaseAccess, migration.StepEnable)}}, all[3:], migration.StepUndoEnable, ""},
		{"switched, workers still roll", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P4), Record: intended(migration.StepSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"switched back, workers still roll", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P3), Record: intended(migration.StepSwitch, migration.StepUndoSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"a foreign rollout, long after the switch", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P2), Record: intended(migration.StepSwitch)}}, all[3:], "", ""},
		{"a rollout, and our undo does not roll", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P3), Record: intended(migration.StepInstall)}}, all[2:], "", ""},
		{"switched back, and its end was not seen", progress{Snapshot: migration.Snapshot{Reading: outliving(), Result: clustertest.ResultAt(position.P3), Record: leftOpen(migration.StepSwitch, migration.StepUndoSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"that of another step was not", progress{Snapshot: migration.Snapshot{Reading: outliving(), Result: clustertest.ResultAt(position.P2), Record: leftOpen(migration.StepSwitch, migration.StepUndoSwitch)}}, all[3:], "", ""},
		{"pods of the CCM are left at P2", progress{Snapshot: migration.Snapshot{Reading: podsLeft(), Result: clustertest.ResultAt(position.P2)}}, all[2:], "", ""},
		{"a hazard is not ours", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: position.Result{Position: position.Unknown, Mixed: true, HandMade: true}, Record: intended(migration.StepSwitch)}}, nil, "", "HalfMigrated"},
		{"a foreign rollout", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: clustertest.ResultAt(position.P3), Record: intended(migration.StepEnable)}}, all[2:], "", ""},
		{"nothing readable in our roll", progress{Snapshot: migration.Snapshot{Reading: granted(clustertest.Rolling()), Result: unknown, Record: intended(migration.StepSwitch)}}, all[1:], migration.StepUndoSwitch, ""},
		{"nothing readable at rest", progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: unknown, Record: intended(migration.StepSwitch)}}, nil, "", "PositionUnknown"},
	} {
		snap, err := sided(tt.s).undoStates(undoOrder())
		if f, ok := fault.As(err); ok && f.Reason != tt.err || !ok && tt.err != "" {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		if err != nil {
			continue
		}
		var todo []journal.StepID
		now := journal.StepID("")
		for _, id := range undoOrder() {
			switch snap.States[id].Kind {
			case runner.InProgress:
				now = id
				todo = append(todo, id)
			case runner.Todo:
				todo = append(todo, id)
			case runner.Done, runner.Skipped, runner.Always:
			}
		}
		if !slices.Equal(todo, tt.todo) || now != tt.now {
			t.Errorf("%s: to do %v with %q in progress; want %v, %q", tt.name, todo, now, tt.todo, tt.now)
		}
	}
}

// outliving returns a cluster on which a process from before a restart may still run.
func outliving() migration.Reading {
	r := granted(clustertest.Resting())
	r.MayOutlive = true
	return r
}

func leftOpen(steps ...journal.StepID) journal.Record {
	r := intended(steps...)
	r.LeftOpen = true
	return r
}

func podsLeft() migration.Reading {
	r := granted(clustertest.Resting())
	r.Down.CCMPods = []downstream.Pod{clustertest.CCMPod("cp-0", true)}
	return r
}

// The preflight of an undo runs while something is left to undo; the audit always runs.
func TestUndoState_preflight(t *testing.T) {
	for p, want := range map[position.Position]runner.StateKind{position.P0: runner.Done, position.P1: runner.Always, position.P5: runner.Always} {
		snap, err := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(p)}}).undoStates(undoOrder())
		if err != nil || snap.States[migration.StepUndoPreflight].Kind != want || snap.States[migration.StepVerify].Kind != runner.Always {
			t.Errorf("%s: %+v, %v", p, snap.States, err)
		}
	}
}

// After an undo, later rollouts are not the migration's.
func TestInProgress_afterUndo_empty(t *testing.T) {
	s := sided(progress{Snapshot: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P1), Record: intended(migration.StepEnable, migration.StepUndoEnable)}})
	snap, err := s.states(order(migration.Options{InstallMethod: migration.InstallHelm}))
	if err != nil || snap.States[migration.StepEnable].Kind != runner.Todo {
		t.Errorf("%v, %v", snap.States[migration.StepEnable], err)
	}
}

func TestNodesToRename(t *testing.T) {
	node := func(name, dns string) downstream.Node {
		return downstream.Node{Name: name, Addresses: []downstream.Address{{Type: "InternalDNS", Address: dns}}}
	}
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "host-0"}}}
	nodes := []downstream.Node{node("host-0", "ip-10-0-0-1.ec2.internal"), node("ip-10-0-0-2.ec2.internal", "ip-10-0-0-2.ec2.internal"),
		node("host-3", "ip-10-0-0-3.ec2.internal"), {Name: "host-4"}, {Name: "host-5"}}
	if got := nodesToRename(before, map[string]bool{"host-5": true}, nodes); !slices.Equal(got, []string{"Node host-3", "Node host-4"}) {
		t.Errorf("got %v", got)
	}
}

func TestLastUndid(t *testing.T) {
	for _, tt := range []struct {
		record journal.Record
		want   bool
	}{
		{journal.Record{}, false},
		{intended(migration.StepEnable, migration.StepInstall), false},
		{intended(migration.StepEnable, migration.StepUndoEnable), true},
		{intended(migration.StepSwitch, migration.StepUndoSwitch, migration.StepUncordon), true},
		{intended(migration.StepUndoSwitch, migration.StepSwitch, migration.StepUncordon), false},
		{intended(migration.StepUndoAccess, migration.StepLeaseAccess), false},
	} {
		if got := LastUndid(tt.record); got != tt.want {
			t.Errorf("%v: %v", tt.record.Intents, got)
		}
	}
}
