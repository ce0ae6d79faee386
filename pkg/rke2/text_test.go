package rke2

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestSummariseUnrest(t *testing.T) {
	plane := func(of, status, message string) Unrest {
		return conditionPending(planeCondition, subject{"RKEControlPlane", "fleet-default/demo"}, of, Condition{Status: status, Message: message})
	}
	machine := func(name, of, status, message string) Unrest {
		return conditionPending(machineCondition, machineSubject(name), of, Condition{Status: status, Message: message})
	}
	node := func(name, seen string) Unrest { return Unrest{Object: "Node " + name, Seen: seen} }
	applied := pending(specNotApplied, subject{"RKEControlPlane", "fleet-default/demo"})
	reconciled := plane("Reconciled", "Unknown", "RKEControlPlane has not been fully reconciled yet")
	tests := []struct {
		name string
		open []Unrest
		want string
	}{
		{"Rancher's word stands for its synonyms",
			[]Unrest{applied, plane("Ready", "Unknown", "configuring etcd node(s) m1: waiting for probes: kubelet"), reconciled,
				machine("m1", "Reconciled", "Unknown", "waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1: waiting for probes: kubelet"},
		{"a machine that knows more stays",
			[]Unrest{applied, plane("Ready", "Unknown", "configuring etcd node(s) m1,m2"), reconciled,
				machine("m2", "Reconciled", "Unknown", "waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1,m2; Machine m2: Reconciled=Unknown: waiting for probes: kubelet"},
		{"a machine that failed stays",
			[]Unrest{plane("Ready", "Unknown", "configuring etcd node(s) m1: disk full"), machine("m1", "PlanApplied", "False", "disk full")},
			"Rancher: configuring etcd node(s) m1: disk full; Machine m1: PlanApplied=False: disk full"},
		{"not reconciled is no synonym when it is false",
			[]Unrest{plane("Ready", "False", "stopped"), plane("Reconciled", "False", "refused")},
			"Rancher, not Ready: stopped; RKEControlPlane fleet-default/demo: Reconciled=False: refused"},
		{"without a word of Rancher all of it stays", []Unrest{applied, reconciled},
			applied.Object + ": " + applied.Seen + "; " + reconciled.Object + ": " + reconciled.Seen},
		{"the rest is counted",
			[]Unrest{node("m1", "a"), node("m2", "b"), node("m3", "c"), node("m4", "d"), node("m5", "e")},
			"Node m1: a; Node m2: b; Node m3: c; and 2 more"},
		{"Rancher needs no object", []Unrest{pending(editNotCopied, subject{"RKEControlPlane", "fleet-default/demo"}, "a")}, "Rancher has not copied the edit yet: a"},
		{"a condition without a message explains nothing",
			[]Unrest{applied, plane("Ready", "Unknown", ""), plane("Reconciled", "Unknown", "")},
			applied.Object + ": " + applied.Seen + "; RKEControlPlane fleet-default/demo: Ready=Unknown; RKEControlPlane fleet-default/demo: Reconciled=Unknown"},
		{"a missing condition explains nothing", []Unrest{plane("Ready", "", ""), applied},
			"RKEControlPlane fleet-default/demo: condition Ready is missing; " + applied.Object + ": " + applied.Seen},
		{"a machine's condition that only looks like Rancher's", []Unrest{machine("m1", "Ready", "Unknown", "a"), applied},
			"Machine m1: Ready=Unknown: a; " + applied.Object + ": " + applied.Seen},
		{"Rancher's word comes first", []Unrest{pending(pausedByRun, subject{"RKEControlPlane", "fleet-default/demo"}, "run"), plane("Ready", "False", "stopped")},
			"Rancher, not Ready: stopped; RKEControlPlane fleet-default/demo: paused by awsmigrate (run)"},
		{"nothing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := SummariseUnrest(tt.open); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if len(tt.open) > 0 && len(telling(tt.open)) == 0 {
				t.Error("nothing is left of what is open")
			}
			if got, want := kindsOf(telling(reworded(tt.open))), kindsOf(telling(tt.open)); !slices.Equal(got, want) {
				t.Errorf("other words show other facts: %v, not %v", got, want)
			}
		})
	}
}

// reworded is the same in words that say nothing a program could read.
func reworded(open []Unrest) []Unrest {
	others := slices.Clone(open)
	for i := range others {
		others[i].Object, others[i].Seen, others[i].Wanted = fmt.Sprintf("object %d", i), fmt.Sprintf("Ready=False: sentence %d", i), ""
	}
	return others
}

func kindsOf(open []Unrest) []string {
	var kinds []string
	for _, one := range open {
		kinds = append(kinds, fmt.Sprintf("%s %s %s", one.Kind, one.Name, one.Condition))
	}
	return kinds
}

// Every kind has its sentence, with a verb for each of its details.
func TestPendingSentences(t *testing.T) {
	on := subject{"RKEControlPlane", "fleet-default/demo"}
	for _, tt := range []struct {
		open         Unrest
		seen, wanted string
	}{
		{pending(planeAbsent, on), "does not exist", "Rancher's copy of the cluster's configuration"},
		{pending(planeUnreadable, on, errors.New("no mapping")), "no mapping", "a readable copy of the configuration"},
		{pending(clusterDeleting, on), "the Cluster is being deleted", "a cluster that stays"},
		{pending(pausedByRun, on, "run"), "paused by awsmigrate (run)", "not paused"},
		{pending(pausedByOther, on, "a/b"), "paused by annotation a/b", "not paused"},
		{pending(capiPaused, on), "the CAPI Cluster is paused", "not paused"},
		{pending(specNotCopied, on), "Rancher has not copied its configuration to the RKEControlPlane yet", "the same configuration in both"},
		{pending(editNotCopied, on, "x"), "Rancher has not copied the edit yet: x", "the edit"},
		{pending(specNotObserved, on, int64(1), int64(2)), "observedGeneration 1 of 2", "the newest generation observed"},
		{pending(specNotApplied, on), "an edit is not applied everywhere yet (appliedSpec differs from spec)", "appliedSpec equal to spec"},
		{pending(snapshotUnderWay, on, "Started"), "an etcd snapshot is under way (Started)", "no snapshot under way"},
		{pending(restoreUnderWay, on, "Started"), "an etcd restore is under way (Started)", "no restore under way"},
		{pending(rotationUnderWay, on, "Rotate"), "encryption keys are being rotated (Rotate)", "no rotation under way"},
		{pending(machineDeleting, on), "is being deleted", "gone, or here to stay"},
		{pending(machineWithoutNode, on), "has no Node yet", "status.nodeRef"},
		{pending(machineNodeGone, on, "n"), "its Node n is gone: it was deleted", "its Node"},
		{pending(poolIncomplete, on, int64(1), int64(2)), "1 of 2 Machines", "its replicas"},
		{pending(kubeletNotUpgraded, on, "v1"), "runs v1", ""},
		{conditionPending(planeCondition, on, "Ready", Condition{}), "condition Ready is missing", "Ready=True"},
		{conditionPending(planeCondition, on, "Ready", Condition{Status: "False"}), "Ready=False", "Ready=True"},
		{conditionPending(planeCondition, on, "Ready", Condition{Status: "False", Message: "a: b"}), "Ready=False: a: b", "Ready=True"},
	} {
		if tt.open.Seen != tt.seen || tt.open.Wanted != tt.wanted || tt.open.Object != "RKEControlPlane fleet-default/demo" {
			t.Errorf("%s: %q, wanted %q", tt.open.Kind, tt.open.Seen, tt.open.Wanted)
		}
		if tt.open.OurPause != (tt.open.Kind == pausedByRun) {
			t.Errorf("%s: taken for the pause of a run: %t", tt.open.Kind, tt.open.OurPause)
		}
	}
}
