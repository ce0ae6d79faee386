package guard

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func machineNode(name, uid, machine, providerID, ip string) downstream.Node {
	return downstream.Node{Name: name, UID: uid, Labels: map[string]string{downstream.LabelMachine: machine},
		ProviderID: providerID, Addresses: []downstream.Address{{Type: "InternalIP", Address: ip}}}
}

func TestRenames(t *testing.T) {
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "old", UID: "1", Machine: "m1", ProviderID: "aws:///a/i-1"}}}
	machines := []continuity.MachineRef{{UID: "m1", Name: "demo-cp-0", Node: "old"}}
	same := machineNode("old", "1", "m1", "aws:///a/i-1", "10.0.0.1")
	tests := []struct {
		name     string
		nodes    []downstream.Node
		machines []continuity.MachineRef
		want     int
	}{
		{"unchanged", []downstream.Node{same}, machines, 0},
		{"second Node of the Machine", []downstream.Node{same, machineNode("new", "2", "m1", "", "")}, machines, 1},
		{"second Node of the instance", []downstream.Node{same, machineNode("new", "2", "", "aws:///a/i-1", "")}, machines, 1},
		{"second Node of the address", []downstream.Node{same, machineNode("new", "2", "", "", "10.0.0.1")}, machines, 1},
		{"the old Node is gone already", []downstream.Node{machineNode("new", "2", "m1", "aws:///a/i-1", "10.0.0.1")}, machines, 1},
		{"deleted and registered again", []downstream.Node{machineNode("old", "9", "m1", "aws:///a/i-1", "10.0.0.1")}, machines, 1},
		{"another ProviderID", []downstream.Node{machineNode("old", "1", "m1", "rke2://old", "10.0.0.1")}, machines, 1},
		{"another Machine took the name", []downstream.Node{machineNode("old", "9", "m9", "aws:///a/i-9", "10.0.0.9")}, []continuity.MachineRef{{UID: "m9", Name: "demo-cp-9", Node: "old"}}, 0},
		{"the Machine left with its Node", nil, []continuity.MachineRef{}, 0},
		{"a new machine joined", []downstream.Node{same, machineNode("joined", "3", "m3", "aws:///b/i-3", "10.0.0.3")}, machines, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := findRenames(before, tt.nodes, tt.machines)
			if len(got) != tt.want {
				t.Fatalf("%d renames, want %d: %+v", len(got), tt.want, got)
			}
			if tt.want > 0 && got[0].Old != "old" {
				t.Errorf("old name is %q: %+v", got[0].Old, got[0])
			}
		})
	}
}

// A rename names the machine, both Node names and the reason. Renames are sorted by machine.
func TestFindRenames_severalMachines_sorted(t *testing.T) {
	before := continuity.Fingerprint{Nodes: []continuity.NodePrint{{Name: "a", UID: "1", Machine: "m1"}, {Name: "b", UID: "2", Machine: "m2"}, {Name: "c", UID: "3", ProviderID: "aws:///a/i-3"}}}
	machines := []continuity.MachineRef{{UID: "m1", Name: "demo-1"}, {UID: "m2", Name: "demo-0"}}
	nodes := []downstream.Node{machineNode("a", "1", "m1", "", ""), machineNode("a-new", "9", "m1", "", ""), machineNode("b", "7", "m2", "", ""),
		machineNode("c", "3", "", "aws:///a/i-3", ""), machineNode("c-new", "8", "", "aws:///a/i-3", ""), machineNode("d", "4", "m4", "", ""), machineNode("d-new", "5", "m4", "", "")}
	want := []Rename{
		{"c", "c", "c-new", "same instance"}, {"demo-0", "b", "b", "it was deleted and registered again: UID 7, was 2"},
		{"demo-1", "a", "a-new", "same Machine"}, {"m4", "d", "d-new", "same Machine"},
	}
	if d := cmp.Diff(want, findRenames(before, nodes, machines)); d != "" {
		t.Error(d)
	}
	gone := []downstream.Node{machineNode("a", "1", "m1", "", ""), machineNode("c", "3", "", "aws:///a/i-3", "")}
	if got := findRenames(before, gone, machines); len(got) != 0 {
		t.Errorf("a Node is gone and no other joined: %+v", got)
	}
}

// A run compares with its journal and ignores earlier renames. An undo removes the names that
// renames created.
func TestRenamesOf_snapshot_newRenamesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*migration.Snapshot)
		renames []string // the new names
		renamed []string
	}{
		"nothing happened":                {func(*migration.Snapshot) {}, nil, nil},
		"a Node under a second name":      {func(s *migration.Snapshot) { addSecondNode(s, "new") }, []string{"new"}, []string{"new"}},
		"that was there before this run":  {func(s *migration.Snapshot) { addSecondNode(s, "new"); s.Reading.Stale = map[string]bool{"new": true} }, nil, nil},
		"registered again under its name": {func(s *migration.Snapshot) { s.Reading.Down.Nodes[2].UID = "other" }, []string{"worker"}, nil},
		"its machine is gone": {func(s *migration.Snapshot) {
			s.Record = clustertest.Printed(t, continuity.NodePrint{Name: "worker", UID: "before", Machine: "m"})
			s.Reading.Members[2].ID, s.Reading.Members[2].Nodes = "other", nil
		}, nil, nil},
		"its machine is there": {func(s *migration.Snapshot) {
			s.Record = clustertest.Printed(t, continuity.NodePrint{Name: "worker", UID: "before", Machine: "m"})
			s.Reading.Members[2].ID = "m"
		}, []string{"worker"}, nil},
	} {
		snap := clustertest.At(position.P4)
		snap.Record = clustertest.Printed(t, clustertest.Prints()...)
		tt.change(&snap)
		var got []string
		for _, r := range RenamesOf(snap) {
			got = append(got, r.New)
		}
		if !slices.Equal(got, tt.renames) || !slices.Equal(slices.Sorted(maps.Keys(Renamed(snap))), tt.renamed) {
			t.Errorf("%s: %v, %v", name, got, Renamed(snap))
		}
	}
}

// addSecondNode adds a second Node of the worker's instance.
func addSecondNode(s *migration.Snapshot, name string) {
	second := s.Reading.Down.Nodes[2]
	second.Name, second.UID = name, "uid-"+name
	s.Reading.Down.Nodes = append(s.Reading.Down.Nodes, second)
}

// Without Machine objects, as in RKE, the instance identifies the machine.
func TestFindRenames_noMachines_byInstance(t *testing.T) {
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
		if got := findRenames(before, []downstream.Node{tt.node}, nil); len(got) != tt.want {
			t.Errorf("%s: %+v, want %d", name, got, tt.want)
		}
	}
}

// Every rename that pauses a run also fails in the audit.
func TestFindRenames_randomClusters_auditFailsToo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of string, n int) string {
		if i := random.IntN(n + 1); i < n {
			return fmt.Sprint(of, i)
		}
		return ""
	}
	paused := 0
	for range 5000 {
		var before continuity.Fingerprint
		var nodes []downstream.Node
		machines := []continuity.MachineRef{}
		for i := range 4 {
			node := machineNode(fmt.Sprint("n", i), fmt.Sprint("u", i), pick("m", 4), "aws:///us-east-1a/i-0000000"+pick("", 4), fmt.Sprint("10.0.0.", i))
			before.Nodes = append(before.Nodes, continuity.NodePrint{Name: node.Name, UID: node.UID, Machine: node.MachineUID(), ProviderID: node.ProviderID})
			if random.IntN(3) == 0 {
				node.Name = pick("n", 6)
			}
			if random.IntN(6) == 0 {
				node.UID += "x"
			}
			if node.Name != "" && !slices.ContainsFunc(nodes, func(n downstream.Node) bool { return n.Name == node.Name }) {
				nodes = append(nodes, node)
			}
			if uid := node.MachineUID(); uid != "" && random.IntN(5) > 0 {
				machines = append(machines, continuity.MachineRef{UID: uid, Name: "demo-" + uid, Node: node.Name, Deleting: random.IntN(6) == 0})
			}
		}
		if len(findRenames(before, nodes, machines)) == 0 {
			continue
		}
		paused++
		findings := continuity.Continuity(before, downstream.Facts{Nodes: verify.Got(nodes)}, machines, cloud.Facts{})
		if !slices.ContainsFunc(findings, func(f verify.Finding) bool { return f.Status == verify.Fail }) {
			t.Fatalf("a run pauses, the audit passes:\nbefore %+v\nnow %+v\nmachines %+v", before, nodes, machines)
		}
	}
	if paused < 1000 {
		t.Errorf("only %d of 5000 clusters have a rename", paused)
	}
}
