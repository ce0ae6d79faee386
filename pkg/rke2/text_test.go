package rke2

import "testing"

func TestSummariseUnrest(t *testing.T) {
	plane := func(seen string) Unrest { return Unrest{Object: "RKEControlPlane fleet-default/demo", Seen: seen} }
	machine := func(name, seen string) Unrest { return Unrest{Object: "Machine " + name, Seen: seen} }
	applied := plane("an edit is not applied everywhere yet (appliedSpec differs from spec)")
	reconciled := plane("Reconciled=Unknown: RKEControlPlane has not been fully reconciled yet")
	tests := []struct {
		name string
		open []Unrest
		want string
	}{
		{"Rancher's word stands for its synonyms",
			[]Unrest{applied, plane("Ready=Unknown: configuring etcd node(s) m1: waiting for probes: kubelet"), reconciled,
				machine("m1", "Reconciled=Unknown: waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1: waiting for probes: kubelet"},
		{"a machine that knows more stays",
			[]Unrest{applied, plane("Ready=Unknown: configuring etcd node(s) m1,m2"), reconciled,
				machine("m2", "Reconciled=Unknown: waiting for probes: kubelet")},
			"Rancher: configuring etcd node(s) m1,m2; Machine m2: Reconciled=Unknown: waiting for probes: kubelet"},
		{"a machine that failed stays",
			[]Unrest{plane("Ready=Unknown: configuring etcd node(s) m1: disk full"), machine("m1", "PlanApplied=False: disk full")},
			"Rancher: configuring etcd node(s) m1: disk full; Machine m1: PlanApplied=False: disk full"},
		{"not reconciled is no synonym when it is false",
			[]Unrest{plane("Ready=False: stopped"), plane("Reconciled=False: refused")},
			"Rancher, not Ready: stopped; RKEControlPlane fleet-default/demo: Reconciled=False: refused"},
		{"without a word of Rancher all of it stays", []Unrest{applied, reconciled},
			applied.Object + ": " + applied.Seen + "; " + reconciled.Object + ": " + reconciled.Seen},
		{"the rest is counted",
			[]Unrest{machine("m1", "a"), machine("m2", "b"), machine("m3", "c"), machine("m4", "d"), machine("m5", "e")},
			"Machine m1: a; Machine m2: b; Machine m3: c; and 2 more"},
		{"Rancher needs no object", []Unrest{plane("Rancher has not copied the edit yet: a")}, "Rancher has not copied the edit yet: a"},
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
		})
	}
}

func TestCountLines(t *testing.T) {
	for diff, want := range map[string][2]int{
		"    - feature-gates=X\n  + - enable-leader-migration\n":    {1, 0}, // a list item is no removal
		"  - cloud-provider-name: aws\n  + a: b\n  + c: d\n    e\n": {2, 1},
		"+ 1\n- 0\n": {1, 1},
		"":           {0, 0},
	} {
		if added, removed := countLines(diff); added != want[0] || removed != want[1] {
			t.Errorf("%q: +%d −%d, want +%d −%d", diff, added, removed, want[0], want[1])
		}
	}
}
