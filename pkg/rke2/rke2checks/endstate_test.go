package rke2checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func TestChooseEndState(t *testing.T) {
	named := rancherfixture.Node("a", `["server","--cloud-provider-name","aws","--node-name","a"]`)
	plain := rancherfixture.Node("b", `["server","--cloud-provider-name","aws"]`)
	other := rancherfixture.Node("c", `["agent","--node-name","not-c"]`)
	hostnamed := rancherfixture.Node("e", `["server","--cloud-provider-name","aws"]`)
	hostnamed.Labels["kubernetes.io/hostname"] = "e.internal"
	namedHostnamed := rancherfixture.Node("f", `["server","--node-name","f"]`)
	namedHostnamed.Labels["kubernetes.io/hostname"] = "f.internal"
	upper := rancherfixture.Node("g", `["agent"]`)
	upper.Labels["kubernetes.io/hostname"] = "G"
	tests := []struct {
		name   string
		wanted EndState
		nodes  []downstream.Node
		want   EndState
		reason string
	}{
		{"every node was named", EndAuto, []downstream.Node{named}, EndExternal, ""},
		{"no node was named, though label and name are equal", EndAuto, []downstream.Node{plain}, EndOverrides, ""},
		{"one node was not named", EndAuto, []downstream.Node{named, plain}, EndOverrides, ""},
		{"named otherwise", EndAuto, []downstream.Node{other}, EndOverrides, ""},
		{"unreadable arguments prove nothing", EndAuto, []downstream.Node{rancherfixture.Node("d", "{")}, EndOverrides, ""},
		{"no node at all proves nothing", EndAuto, nil, EndOverrides, ""},
		{"external with proof", EndExternal, []downstream.Node{named}, EndExternal, ""},
		{"external without proof", EndExternal, []downstream.Node{named, plain}, "", "NamesNotProven"},
		{"RKE2 overrides with another name", EndAuto, []downstream.Node{named, hostnamed}, "", "NamesNotProven"},
		{"RKE2 overrides with another name, overrides asked for", EndOverrides, []downstream.Node{hostnamed}, "", "NamesNotProven"},
		{"RKE2 overrides with another name, external asked for", EndExternal, []downstream.Node{hostnamed}, "", "NamesNotProven"},
		{"named, whatever the label says", EndAuto, []downstream.Node{namedHostnamed}, EndExternal, ""},
		{"named, but overrides would take the label's", EndOverrides, []downstream.Node{namedHostnamed}, "", "NamesNotProven"},
		{"a label in upper case is the same name", EndAuto, []downstream.Node{upper}, EndOverrides, ""},
		{"overrides when asked", EndOverrides, []downstream.Node{named}, EndOverrides, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := chooseEndState(tt.wanted, tt.nodes)
			if f, ok := fault.As(err); (ok && f.Reason != tt.reason) || (!ok && tt.reason != "") {
				t.Fatalf("error %v, want reason %q", err, tt.reason)
			}
			if got.State != tt.want {
				t.Errorf("chose %q, want %q", got.State, tt.want)
			}
		})
	}
}

// A switched cluster keeps its end state, regardless of the option.
func TestEndStateOf_switched_kept(t *testing.T) {
	for name, tt := range map[string]struct {
		provider string
		switched bool
		want     EndState
	}{
		"external":            {"external", true, EndExternal},
		"overrides":           {"aws", true, EndOverrides},
		"not switched at all": {"external", false, EndOverrides},
	} {
		f := rancherfixture.Posted()
		f.Cluster.Spec.Global, f.Cluster.Spec.Pools = map[string]any{config.KeyProvider: tt.provider}, nil
		got, err := EndStateOf(f, tt.switched, EndOverrides, []downstream.Node{rancherfixture.Node("cp", `["server","--node-name","cp"]`)})
		if err != nil || got.State != tt.want || (got.Why == "the cluster runs it") != tt.switched {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestChooseEndState_nodes_named(t *testing.T) {
	named := func(name string) downstream.Node {
		return rancherfixture.Node(name, `["server","--node-name","`+name+`"]`)
	}
	plain := func(name string) downstream.Node { return rancherfixture.Node(name, `["server"]`) }
	for want, nodes := range map[string][]downstream.Node{
		"no node has an explicit node-name":                          {plain("a"), plain("b")},
		"Node b is without an explicit node-name":                    {named("a"), plain("b")},
		"Nodes b, c are without an explicit node-name":               {named("a"), plain("c"), plain("b")},
		"Nodes b, c, d are without an explicit node-name":            {named("a"), plain("c"), plain("b"), plain("d")},
		"Nodes b, c, d and 1 more are without an explicit node-name": {named("a"), plain("c"), plain("b"), plain("d"), plain("e")},
	} {
		if got, err := chooseEndState(EndAuto, nodes); err != nil || got.Why != want {
			t.Errorf("%q, %v, want %q", got.Why, err, want)
		}
	}
}
