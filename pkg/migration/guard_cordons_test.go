package migration

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Of control planes that are nothing else, all that are schedulable are cordoned, unless
// nothing would be left to run pods on. What carries our annotation is ours wherever it is.
func TestCordonPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Reading)
		want   cordonPlan
	}{
		"nothing is cordoned":          {func(*Reading) {}, cordonPlan{Open: []string{"cp-0", "cp-1"}}},
		"one by us":                    {func(r *Reading) { cordonByUs(&r.Down.Nodes[0]) }, cordonPlan{Open: []string{"cp-1"}, Ours: []string{"cp-0"}}},
		"one by its user":              {func(r *Reading) { r.Down.Nodes[0].Unschedulable = true }, cordonPlan{Open: []string{"cp-1"}, Theirs: []string{"cp-0"}}},
		"ours, uncordoned by somebody": {func(r *Reading) { cordonByUs(&r.Down.Nodes[0]); r.Down.Nodes[0].Unschedulable = false }, cordonPlan{Open: []string{"cp-1"}, Ours: []string{"cp-0"}}},
		"a worker by us, and another left": {func(r *Reading) {
			r.Down.Nodes = append(r.Down.Nodes, readyNode("w-1", nil))
			cordonByUs(&r.Down.Nodes[2])
		}, cordonPlan{Open: []string{"cp-0", "cp-1"}, Ours: []string{"worker"}}},
		"a control plane that works, too": {func(r *Reading) { r.Members[1].Worker = true }, cordonPlan{Open: []string{"cp-0"}}},
		"the side's own reason":           {func(r *Reading) { r.CordonSkip = "drains" }, cordonPlan{Skip: "drains", Open: []string{"cp-0", "cp-1"}}},
		"all of them work, too":           {func(r *Reading) { r.Members[0].Worker, r.Members[1].Worker = true, true }, cordonPlan{Skip: "every control-plane node is a worker too"}},
		"the only worker is cordoned":     {func(r *Reading) { r.Down.Nodes[2].Unschedulable = true }, noneLeft()},
		"the only worker is not Ready":    {func(r *Reading) { r.Down.Nodes[2].Ready.Status = "Unknown" }, noneLeft()},
		"the only worker keeps pods off":  {func(r *Reading) { r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "NoSchedule"}} }, noneLeft()},
		"it sends pods away":              {func(r *Reading) { r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "NoExecute"}} }, noneLeft()},
		"it would rather have none": {func(r *Reading) {
			r.Down.Nodes[2].Taints = []downstream.Taint{{Key: "gpu", Effect: "PreferNoSchedule"}}
		}, cordonPlan{Open: []string{"cp-0", "cp-1"}}},
	} {
		r := clusterAt(position.P2).Reading
		tt.change(&r)
		if d := cmp.Diff(tt.want, planCordon(r)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func noneLeft() cordonPlan {
	return cordonPlan{Open: []string{"cp-0", "cp-1"},
		Skip: "no schedulable, Ready node without special taints would be left, neither for pods nor for Rancher's agent"}
}

// A user's cordon that a roll took away is set again on the Node that the user had
// cordoned, never on another of its name; and nothing of it is known without a fingerprint.
func TestLostCordons(t *testing.T) {
	cordoned := func(change func(*continuity.NodePrint)) []continuity.NodePrint {
		all := prints()
		all[2].Cordoned = true
		change(&all[2])
		return all
	}
	for name, tt := range map[string]struct {
		then   []continuity.NodePrint
		change func(*downstream.Node)
		lost   []string
		// elsewhere: somebody cordoned it since
		elsewhere bool
	}{
		"a roll uncordoned it":             {cordoned(func(*continuity.NodePrint) {}), func(*downstream.Node) {}, []string{"worker"}, false},
		"it is cordoned still":             {cordoned(func(*continuity.NodePrint) {}), func(n *downstream.Node) { n.Unschedulable = true }, nil, false},
		"it was not cordoned":              {prints(), func(*downstream.Node) {}, nil, false},
		"it was not, and somebody did":     {prints(), func(n *downstream.Node) { n.Unschedulable = true }, nil, true},
		"it was not, and we did":           {prints(), cordonByUs, nil, false},
		"another Node of that name":        {cordoned(func(p *continuity.NodePrint) { p.UID = "before" }), func(*downstream.Node) {}, nil, false},
		"another Node, cordoned by others": {cordoned(func(p *continuity.NodePrint) { p.UID = "before" }), func(n *downstream.Node) { n.Unschedulable = true }, nil, true},
		"nobody knows":                     {nil, func(*downstream.Node) {}, nil, false},
	} {
		seen := clusterAt(position.P3)
		if tt.then != nil {
			seen.Record = printed(t, tt.then...)
		}
		tt.change(&seen.Reading.Down.Nodes[2])
		if got := seen.LostCordons(); !slices.Equal(got, tt.lost) || len(seen.OpenCordons()) != len(tt.lost) {
			t.Errorf("%s: lost %v, want %v", name, got, tt.lost)
		}
		if got := seen.CordonedElsewhere(&seen.Reading.Down.Nodes[2]); got != tt.elsewhere {
			t.Errorf("%s: cordoned elsewhere %t", name, got)
		}
	}
}
