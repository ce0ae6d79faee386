package migration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func nodeThat(name, providerID, ready, reason string, taints ...string) downstream.Node {
	node := downstream.Node{Name: name, ProviderID: providerID,
		Ready: downstream.Condition{Status: ready, Reason: reason, Since: time.Date(2026, 11, 22, 19, 26, 49, 0, time.UTC)}}
	for _, key := range taints {
		node.Taints = append(node.Taints, downstream.Taint{Key: key, Effect: "NoSchedule"})
	}
	return node
}

func TestHeldUpBy_nodes_errorAndFix(t *testing.T) {
	const a, b = "aws:///us-east-1a/i-0000000000000000a", "aws:///us-east-1b/i-0000000000000000b"
	well := nodeThat("well", a, "True", "KubeletReady")
	silent := nodeThat("silent", a, "Unknown", "NodeStatusUnknown")
	offA := nodeThat("off-a", a, "Unknown", "NodeStatusUnknown", downstream.TaintShutdown)
	offB := nodeThat("off-b", b, "Unknown", "NodeStatusUnknown", downstream.TaintShutdown)
	for _, tt := range []struct {
		name   string
		nodes  []downstream.Node
		object string
		says   []string
		not    string
	}{
		{"all well", []downstream.Node{well}, "", nil, ""},
		{"a kubelet that says nothing", []downstream.Node{well, silent}, "Node silent",
			[]string{"its kubelet says nothing since 19:26:49Z", "bring the machine back, or its kubelet: silent"}, "start-instances"},
		{"a kubelet that says no", []downstream.Node{nodeThat("no", a, "False", "KubeletNotReady")}, "Node no",
			[]string{"is not Ready: KubeletNotReady since 19:26:49Z"}, "start-instances"},
		{"an instance that is off", []downstream.Node{well, offA}, "Node off-a",
			[]string{"its instance is shut down", "aws ec2 start-instances --instance-ids i-0000000000000000a --region us-east-1"}, "19:26"},
		{"two", []downstream.Node{offA, offB}, "Node off-a",
			[]string{"Node off-b is not Ready", "--instance-ids i-0000000000000000a i-0000000000000000b --region us-east-1"}, ""},
		{"one off, one silent: no command for half of it", []downstream.Node{offA, silent}, "Node off-a", []string{"bring the machine back, or its kubelet: off-a, silent"}, "start-instances"},
		{"off, instance unknown", []downstream.Node{nodeThat("x", "", "Unknown", "", downstream.TaintShutdown)}, "Node x", []string{"bring the machine back"}, "start-instances"},
		{"off, its Node still Ready", []downstream.Node{nodeThat("x", a, "True", "", downstream.TaintShutdown)}, "Node x", []string{"its instance is shut down"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := migration.Reading{Down: downstream.Cluster{Nodes: tt.nodes}}.HeldUpBy()
			if tt.object == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			f, _ := fault.As(err)
			if f == nil || f.Class != fault.Check || f.Object != tt.object {
				t.Fatalf("%#v", err)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("does not say %q: %v", part, err)
				}
			}
			if tt.not != "" && strings.Contains(err.Error(), tt.not) {
				t.Errorf("says %q: %v", tt.not, err)
			}
		})
	}
}

// Nodes come first among the waits of a rollout. A rollout that was stopped does not list
// them.
func TestWaitForNodes_otherWaits_nodesFirst(t *testing.T) {
	reading := migration.Reading{Down: downstream.Cluster{Nodes: []downstream.Node{nodeThat("silent", "", "Unknown", "")}}}
	roll := &migration.RolloutJudgement{WaitingFor: "all"}
	roll.Wait("Rancher: waiting for plan to be applied")
	roll.WaitForNodes(reading)
	v := roll.Verdict()
	if v.Kind != runner.Waiting || !strings.HasPrefix(v.Seen, "Node silent is not Ready") || !strings.HasSuffix(v.Seen, "; Rancher: waiting for plan to be applied") || v.Err == nil {
		t.Errorf("%+v", v)
	}
	roll.Stop(migration.Met())
	if v := roll.Verdict(); v.Err != nil {
		t.Errorf("%+v", v)
	}
}

// A condition that a person must fix precedes Nodes that may become Ready without action.
func TestHeldUpBy_fixableCondition_first(t *testing.T) {
	silent := nodeThat("silent", "", "Unknown", "")
	fixed := migration.PendingCondition{Object: "Machine m", Seen: "has lost its Node", Wanted: "its Node", Fix: "put it back"}
	for name, tt := range map[string]struct {
		pending []migration.PendingCondition
		nodes   []downstream.Node
		stale   map[string]bool
		reason  string
	}{
		"nothing":                          {nil, nil, nil, ""},
		"ends without action":              {clustertest.Rolling().Pending, nil, nil, ""},
		"a person repairs it":              {[]migration.PendingCondition{clustertest.Rolling().Pending[0], fixed}, nil, nil, "NodeDeleted"},
		"that, and a Node is not Ready":    {[]migration.PendingCondition{fixed}, []downstream.Node{silent}, nil, "NodeDeleted"},
		"a Node is not Ready":              {clustertest.Rolling().Pending, []downstream.Node{silent}, nil, "NodeNotReady"},
		"one that a rename left behind":    {nil, []downstream.Node{silent}, map[string]bool{"silent": true}, ""},
		"left behind, its instance is off": {nil, []downstream.Node{nodeThat("silent", "", "Unknown", "", downstream.TaintShutdown)}, map[string]bool{"silent": true}, "NodeNotReady"},
	} {
		err := migration.Reading{Pending: tt.pending, Stale: tt.stale, Down: downstream.Cluster{Nodes: tt.nodes}}.HeldUpBy()
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
	}
}
