package migration

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func machineNode(name, uid, machine, providerID, ip string) downstream.Node {
	return downstream.Node{Name: name, UID: uid, Labels: map[string]string{downstream.LabelMachine: machine},
		ProviderID: providerID, Addresses: []downstream.Address{{Type: "InternalIP", Address: ip}}}
}

func TestRenames(t *testing.T) {
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "old", UID: "1", Machine: "m1", ProviderID: "aws:///a/i-1"}}}
	names := map[string]string{"m1": "demo-cp-0"}
	same := machineNode("old", "1", "m1", "aws:///a/i-1", "10.0.0.1")
	tests := []struct {
		name  string
		nodes []downstream.Node
		names map[string]string
		want  int
	}{
		{"unchanged", []downstream.Node{same}, names, 0},
		{"second Node of the Machine", []downstream.Node{same, machineNode("new", "2", "m1", "", "")}, names, 1},
		{"second Node of the instance", []downstream.Node{same, machineNode("new", "2", "", "aws:///a/i-1", "")}, names, 1},
		{"second Node of the address", []downstream.Node{same, machineNode("new", "2", "", "", "10.0.0.1")}, names, 1},
		{"the old Node is gone already", []downstream.Node{machineNode("new", "2", "m1", "aws:///a/i-1", "10.0.0.1")}, names, 1},
		{"deleted and registered again", []downstream.Node{machineNode("old", "9", "m1", "aws:///a/i-1", "10.0.0.1")}, names, 1},
		{"another ProviderID", []downstream.Node{machineNode("old", "1", "m1", "rke2://old", "10.0.0.1")}, names, 1},
		{"the Machine left with its Node", nil, map[string]string{}, 0},
		{"a new machine joined", []downstream.Node{same, machineNode("joined", "3", "m3", "aws:///b/i-3", "10.0.0.3")}, names, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Renames(before, tt.nodes, tt.names)
			if len(got) != tt.want {
				t.Fatalf("%d renames, want %d: %+v", len(got), tt.want, got)
			}
			if tt.want > 0 && got[0].Old != "old" {
				t.Errorf("old name is %q: %+v", got[0].Old, got[0])
			}
		})
	}
}

// Where no Machine object exists, as in RKE, the instance tells.
func TestRenamesWithoutMachines(t *testing.T) {
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "old", UID: "1", ProviderID: "aws:///a/i-1"}}}
	for name, tt := range map[string]struct {
		node downstream.Node
		want int
	}{
		"unchanged":                    {machineNode("old", "1", "", "aws:///a/i-1", "10.0.0.1"), 0},
		"the old Node is gone already": {machineNode("new", "2", "", "aws:///a/i-1", "10.0.0.1"), 1},
		"registered again":             {machineNode("old", "9", "", "aws:///a/i-1", "10.0.0.1"), 1},
		"another machine":              {machineNode("joined", "3", "", "aws:///b/i-3", "10.0.0.3"), 0},
	} {
		if got := Renames(before, []downstream.Node{tt.node}, nil); len(got) != tt.want {
			t.Errorf("%s: %+v, want %d", name, got, tt.want)
		}
	}
}
