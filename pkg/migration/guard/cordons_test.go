package guard

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// All schedulable control planes that are not workers are cordoned, unless no schedulable
// node would remain. A node with awsmigrate's annotation is always in Ours.
func TestPlanCordon_nodes_listedByCordon(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.Reading)
		want   CordonPlan
	}{
		"nothing is cordoned": {func(*migration.Reading) {}, CordonPlan{Open: []string{"cp-0", "cp-1"}}},
		"one by us":           {func(r *migration.Reading) { clustertest.CordonByUs(&r.Down.Nodes[0]) }, CordonPlan{Open: []string{"cp-1"}, Ours: []string{"cp-0"}}},
		"one by its user":     {func(r *migration.Reading) { r.Down.Nodes[0].Unschedulable = true }, CordonPlan{Open: []string{"cp-1"}, Theirs: []string{"cp-0"}}},
		"ours, then uncordoned": {func(r *migration.Reading) {
			clustertest.CordonByUs(&r.Down.Nodes[0])
			r.Down.Nodes[0].Unschedulable = false
		}, CordonPlan{Open: []string{"cp-1"}, Ours: []string{"cp-0"}}},
		"a worker by us, and another left": {func(r *migration.Reading) {
			r.Down.Nodes = append(r.Down.Nodes, clustertest.ReadyNode("w-1", nil))
			clustertest.CordonByUs(&r.Down.Nodes[2])
		}, CordonPlan{Open: []string{"cp-0", "cp-1"}, Ours: []string{"worker"}}},
		"a control plane that works, too": {func(r *migration.Reading) { r.Members[1].Worker = true }, CordonPlan{Open: []string{"cp-0"}}},
		"the side's own reason":           {func(r *migration.Reading) { r.CordonSkip = "drains" }, CordonPlan{Skip: "drains", Open: []string{"cp-0", "cp-1"}}},
		"all of them work, too":           {func(r *migration.Reading) { r.Members[0].Worker, r.Members[1].Worker = true, true }, CordonPlan{Skip: "every control-plane node is a worker too"}},
		"the only worker is cordoned":     {func(r *migration.Reading) { r.Down.Nodes[2].Unschedulable = true }, noneLeft()},
		"the only worker is not Ready":    {func(r *migration.Reading) { r.Down.Nodes[2].Ready.Status = "Unknown" }, noneLeft()},
		"the only worker keeps pods off": {func(r *migration.Reading) {
			r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "NoSchedule"}}
		}, noneLeft()},
		"it sends pods away": {func(r *migration.Reading) {
			r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "NoExecute"}}
		}, noneLeft()},
		"it prefers no pods": {func(r *migration.Reading) {
			r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "PreferNoSchedule"}}
		}, CordonPlan{Open: []string{"cp-0", "cp-1"}}},
	} {
		r := clustertest.At(position.P2).Reading
		tt.change(&r)
		if d := cmp.Diff(tt.want, PlanCordon(r)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func noneLeft() CordonPlan {
	return CordonPlan{Open: []string{"cp-0", "cp-1"},
		Skip: "no schedulable, Ready node without special taints would be left, neither for pods nor for Rancher's agent"}
}

// A rollout's lost cordon is restored on the same Node, never on another Node of its name.
// Without a fingerprint no cordon counts as lost.
func TestLostCordons_fingerprint_sameNodeOnly(t *testing.T) {
	cordoned := func(change func(*continuity.NodePrint)) []continuity.NodePrint {
		all := clustertest.Prints()
		all[2].Cordoned = true
		change(&all[2])
		return all
	}
	for name, tt := range map[string]struct {
		then   []continuity.NodePrint
		change func(*downstream.Node)
		lost   []string
		// elsewhere reports whether another writer cordoned it since
		elsewhere bool
	}{
		"a roll uncordoned it":             {cordoned(func(*continuity.NodePrint) {}), func(*downstream.Node) {}, []string{"worker"}, false},
		"it is cordoned still":             {cordoned(func(*continuity.NodePrint) {}), func(n *downstream.Node) { n.Unschedulable = true }, nil, false},
		"it was not cordoned":              {clustertest.Prints(), func(*downstream.Node) {}, nil, false},
		"it was not, another writer did":   {clustertest.Prints(), func(n *downstream.Node) { n.Unschedulable = true }, nil, true},
		"it was not, and we did":           {clustertest.Prints(), clustertest.CordonByUs, nil, false},
		"another Node of that name":        {cordoned(func(p *continuity.NodePrint) { p.UID = "before" }), func(*downstream.Node) {}, nil, false},
		"another Node, cordoned by others": {cordoned(func(p *continuity.NodePrint) { p.UID = "before" }), func(n *downstream.Node) { n.Unschedulable = true }, nil, true},
		"without a fingerprint":            {nil, func(*downstream.Node) {}, nil, false},
	} {
		snap := clustertest.At(position.P3)
		if tt.then != nil {
			snap.Record = clustertest.Printed(t, tt.then...)
		}
		tt.change(&snap.Reading.Down.Nodes[2])
		if got := LostCordons(snap); !slices.Equal(got, tt.lost) || len(OpenCordons(snap)) != len(tt.lost) {
			t.Errorf("%s: lost %v, want %v", name, got, tt.lost)
		}
		if got := CordonedElsewhere(snap, &snap.Reading.Down.Nodes[2]); got != tt.elsewhere {
			t.Errorf("%s: cordoned elsewhere %t", name, got)
		}
	}
}
