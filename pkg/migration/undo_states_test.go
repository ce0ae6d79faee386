package migration

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// intended is a journal that announced these steps.
func intended(steps ...journal.StepID) journal.Record {
	var r journal.Record
	for _, id := range steps {
		r.Intents = append(r.Intents, journal.Intent{Step: id})
	}
	return r
}

// granted adds the grant and the lease that a migration makes.
func granted(r Reading) Reading {
	r.Down.OwnGrant = true
	r.Down.Leases.Migration.Exists = true
	return r
}

func TestJudgeUndo(t *testing.T) {
	all := []journal.StepID{StepUndoDisable, StepUndoSwitch, StepUndoInstall, StepUndoEnable, StepUndoAccess}
	forward := intended(StepLeaseAccess, StepEnable, StepInstall, StepSwitch, StepDisable)
	unknown := position.Result{Position: position.Unknown}
	for _, tt := range []struct {
		name string
		s    standing
		todo []journal.StepID // to do or in progress, in order
		now  journal.StepID   // in progress
		err  string
	}{
		{"P5", standing{Snapshot: Snapshot{Reading: resting(), Result: at(position.P5), Record: forward}}, all, "", ""},
		{"P4", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: at(position.P4), Record: forward}}, all[1:], "", ""},
		{"P4 with cordons", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: at(position.P4)}, Cordon: cordonPlan{Ours: []string{"cp"}}},
			[]journal.StepID{StepUndoSwitch, StepUncordon, StepUndoInstall, StepUndoEnable, StepUndoAccess}, "", ""},
		{"P3", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: at(position.P3)}}, all[2:], "", ""},
		{"P2", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: at(position.P2)}}, all[3:], "", ""},
		{"P1", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: at(position.P1)}}, all[4:], "", ""},
		{"P1 by a right of others", standing{Snapshot: Snapshot{Reading: resting(), Result: at(position.P1)}}, nil, "", ""},
		{"P0", standing{Snapshot: Snapshot{Reading: resting(), Result: at(position.P0), Record: forward}}, nil, "", ""},
		{"half switched by us", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: between(position.P3, position.P4), Record: intended(StepSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"half switched back", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: between(position.P3, position.P4), Record: intended(StepSwitch, StepUndoSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"half switched by hand", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: between(position.P3, position.P4)}}, nil, "", "HalfMigrated"},
		{"half disabled by us", standing{Snapshot: Snapshot{Reading: granted(resting()), Result: between(position.P4, position.P5), Record: forward}}, all, StepUndoDisable, ""},
		{"enabled, nothing rolled yet", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P1), Record: intended(StepLeaseAccess, StepEnable)}}, all[3:], StepUndoEnable, ""},
		{"switched, workers still roll", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P4), Record: intended(StepSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"switched back, workers still roll", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P3), Record: intended(StepSwitch, StepUndoSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"somebody moves it, long after the switch", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P2), Record: intended(StepSwitch)}}, all[3:], "", ""},
		{"it moves, and an undo of ours does not roll", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P3), Record: intended(StepInstall)}}, all[2:], "", ""},
		{"switched back, and its end was not seen", standing{Snapshot: Snapshot{Reading: outliving(), Result: at(position.P3), Record: leftOpen(StepSwitch, StepUndoSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"that of another step was not", standing{Snapshot: Snapshot{Reading: outliving(), Result: at(position.P2), Record: leftOpen(StepSwitch, StepUndoSwitch)}}, all[3:], "", ""},
		{"pods of the CCM are left at P2", standing{Snapshot: Snapshot{Reading: podsLeft(), Result: at(position.P2)}}, all[2:], "", ""},
		{"a hazard is nothing of ours", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: position.Result{Position: position.Unknown, Mixed: true, HandMade: true}, Record: intended(StepSwitch)}}, nil, "", "HalfMigrated"},
		{"somebody rolls it", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: at(position.P3), Record: intended(StepEnable)}}, all[2:], "", ""},
		{"nothing readable in our roll", standing{Snapshot: Snapshot{Reading: granted(rolling()), Result: unknown, Record: intended(StepSwitch)}}, all[1:], StepUndoSwitch, ""},
		{"nothing readable at rest", standing{Snapshot: Snapshot{Reading: resting(), Result: unknown, Record: intended(StepSwitch)}}, nil, "", "PositionUnknown"},
	} {
		seen, err := sided(tt.s).judgeUndo(undoOrder())
		if f, ok := fault.As(err); ok && f.Reason != tt.err || !ok && tt.err != "" {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		if err != nil {
			continue
		}
		var todo []journal.StepID
		now := journal.StepID("")
		for _, id := range undoOrder() {
			switch seen.States[id].Kind {
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

// outliving is a cluster on which a process from before a restart may still run.
func outliving() Reading {
	r := granted(resting())
	r.MayOutlive = true
	return r
}

func leftOpen(steps ...journal.StepID) journal.Record {
	r := intended(steps...)
	r.LeftOpen = true
	return r
}

func podsLeft() Reading {
	r := granted(resting())
	r.Down.CCMPods = []downstream.Pod{aCCMPod("cp-0", true)}
	return r
}

// The preflight of an undo is made while something is to be taken back; the audit always.
func TestUndoPreflightIsMadeWhereSomethingIsLeft(t *testing.T) {
	for p, want := range map[position.Position]runner.StateKind{position.P0: runner.Done, position.P1: runner.Always, position.P5: runner.Always} {
		seen, err := sided(standing{Snapshot: Snapshot{Reading: resting(), Result: at(p)}}).judgeUndo(undoOrder())
		if err != nil || seen.States[StepUndoPreflight].Kind != want || seen.States[StepVerify].Kind != runner.Always {
			t.Errorf("%s: %+v, %v", p, seen.States, err)
		}
	}
}

// A migration that was taken back is over: what moves afterwards is not its roll.
func TestNothingIsInProgressAfterAnUndo(t *testing.T) {
	s := sided(standing{Snapshot: Snapshot{Reading: rolling(), Result: at(position.P1), Record: intended(StepEnable, StepUndoEnable)}})
	seen, err := s.judge(order(InstallHelm, false))
	if err != nil || seen.States[StepEnable].Kind != runner.Todo {
		t.Errorf("%v, %v", seen.States[StepEnable], err)
	}
}

func TestWouldBeRenamed(t *testing.T) {
	node := func(name, dns string) downstream.Node {
		return downstream.Node{Name: name, Addresses: []downstream.Address{{Type: "InternalDNS", Address: dns}}}
	}
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "host-0"}}}
	nodes := []downstream.Node{node("host-0", "ip-10-0-0-1.ec2.internal"), node("ip-10-0-0-2.ec2.internal", "ip-10-0-0-2.ec2.internal"),
		node("host-3", "ip-10-0-0-3.ec2.internal"), {Name: "host-4"}, {Name: "host-5"}}
	if got := wouldBeRenamed(before, map[string]bool{"host-5": true}, nodes); !slices.Equal(got, []string{"Node host-3", "Node host-4"}) {
		t.Errorf("got %v", got)
	}
}

func TestLastUndid(t *testing.T) {
	for _, tt := range []struct {
		record journal.Record
		want   bool
	}{
		{journal.Record{}, false},
		{intended(StepEnable, StepInstall), false},
		{intended(StepEnable, StepUndoEnable), true},
		{intended(StepSwitch, StepUndoSwitch, StepUncordon), true},
		{intended(StepUndoSwitch, StepSwitch, StepUncordon), false},
		{intended(StepUndoAccess, StepLeaseAccess), false},
	} {
		if got := LastUndid(tt.record); got != tt.want {
			t.Errorf("%v: %v", tt.record.Intents, got)
		}
	}
}
