package rancher

import (
	"fmt"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

func TestRankPending_ofRancher_oneLine(t *testing.T) {
	plane := func(of, status, message string) migration.PendingCondition {
		return conditionPending(planeCondition, subject{"RKEControlPlane", "fleet-default/demo"}, of, Condition{Status: status, Message: message})
	}
	machine := func(name, of, status, message string) migration.PendingCondition {
		return conditionPending(machineCondition, machineSubject(name), of, Condition{Status: status, Message: message})
	}
	node := func(name, seen string) migration.PendingCondition {
		return migration.PendingCondition{Object: "Node " + name, Seen: seen}
	}
	applied := pending(specNotApplied, subject{"RKEControlPlane", "fleet-default/demo"})
	reconciled := plane("Reconciled", "Unknown", "RKEControlPlane has not been fully reconciled yet")
	tests := []struct {
		name string
		open []migration.PendingCondition
		want string
	}{
		{"Rancher's message replaces its synonyms",
			[]migration.PendingCondition{applied, plane("Ready", "Unknown", "configuring etcd node(s) m1: waiting for probes: kubelet"), reconciled,
				machine("m1", "Reconciled", "Unknown", "waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1: waiting for probes: kubelet"},
		{"Rancher's word is the first",
			[]migration.PendingCondition{plane("Ready", "Unknown", "configuring etcd node(s) m1: waiting for probes: kubelet"), applied, reconciled},
			"Rancher: configuring etcd node(s) m1: waiting for probes: kubelet"},
		{"a machine that knows more stays",
			[]migration.PendingCondition{applied, plane("Ready", "Unknown", "configuring etcd node(s) m1,m2"), reconciled,
				machine("m2", "Reconciled", "Unknown", "waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1,m2; Machine m2: Reconciled=Unknown: waiting for probes: kubelet"},
		{"a machine that failed stays",
			[]migration.PendingCondition{plane("Ready", "Unknown", "configuring etcd node(s) m1: disk full"), machine("m1", "PlanApplied", "False", "disk full")},
			"Rancher: configuring etcd node(s) m1: disk full; Machine m1: PlanApplied=False: disk full"},
		{"not reconciled is no synonym when it is false",
			[]migration.PendingCondition{plane("Ready", "False", "stopped"), plane("Reconciled", "False", "refused")},
			"Rancher, not Ready: stopped; RKEControlPlane fleet-default/demo: Reconciled=False: refused"},
		{"without a word of Rancher all of it stays", []migration.PendingCondition{applied, reconciled},
			applied.Object + ": " + applied.Seen + "; " + reconciled.Object + ": " + reconciled.Seen},
		{"the rest is counted",
			[]migration.PendingCondition{node("m1", "a"), node("m2", "b"), node("m3", "c"), node("m4", "d"), node("m5", "e")},
			"Node m1: a; Node m2: b; Node m3: c; and 2 more"},
		{"Rancher needs no object", []migration.PendingCondition{pending(editNotCopied, subject{"RKEControlPlane", "fleet-default/demo"}, "a")}, "Rancher has not copied the edit yet: a"},
		{"a condition without a message explains nothing",
			[]migration.PendingCondition{applied, plane("Ready", "Unknown", ""), plane("Reconciled", "Unknown", "")},
			applied.Object + ": " + applied.Seen + "; RKEControlPlane fleet-default/demo: Ready=Unknown; RKEControlPlane fleet-default/demo: Reconciled=Unknown"},
		{"a missing condition explains nothing", []migration.PendingCondition{plane("Ready", "", ""), applied},
			"RKEControlPlane fleet-default/demo: condition Ready is missing; " + applied.Object + ": " + applied.Seen},
		{"a machine's condition that only looks like Rancher's", []migration.PendingCondition{machine("m1", "Ready", "Unknown", "a"), applied},
			"Machine m1: Ready=Unknown: a; " + applied.Object + ": " + applied.Seen},
		{"Rancher's word comes first", []migration.PendingCondition{pending(pausedByRun, subject{"RKEControlPlane", "fleet-default/demo"}, "run"), plane("Ready", "False", "stopped")},
			"Rancher, not Ready: stopped; RKEControlPlane fleet-default/demo: paused by awsmigrate (run)"},
		{"a Beacon is the cause", []migration.PendingCondition{plane("Ready", "Unknown", "waiting"), pending(beaconHeld, subject{"Beacon", "fleet-default/demo"}, "x"), applied},
			`Rancher: waiting; Beacon fleet-default/demo: held by "x": Rancher's planner waits until that operation ends`},
		{"nothing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := migration.SummarizePending(rankPending(tt.open)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if len(tt.open) > 0 && len(migration.PendingLines(rankPending(tt.open))) == 0 {
				t.Error("no line although a condition is pending")
			}
			if got, want := kindsOf(rankPending(reworded(tt.open))), kindsOf(rankPending(tt.open)); !slices.Equal(got, want) {
				t.Errorf("other texts changed the result: %v, not %v", got, want)
			}
		})
	}
}

// reworded returns the conditions with other texts in Seen and Wanted.
func reworded(open []migration.PendingCondition) []migration.PendingCondition {
	others := slices.Clone(open)
	for i := range others {
		others[i].Object, others[i].Seen, others[i].Wanted = fmt.Sprintf("object %d", i), fmt.Sprintf("Ready=False: sentence %d", i), ""
	}
	return others
}

func kindsOf(open []migration.PendingCondition) []string {
	var kinds []string
	for _, one := range open {
		kinds = append(kinds, fmt.Sprintf("%s %s %s %t %t", one.Kind, one.Name, one.Condition, one.Leads, one.Repeats))
	}
	return kinds
}
