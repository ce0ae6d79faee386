package rancher

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func plane(name string) Machine {
	return Machine{NodeName: "node-of-" + name, Machine: config.Machine{Name: name, UID: "uid-" + name,
		Labels: map[string]string{config.LabelControlPlane: "true", config.LabelEtcd: "true"}}}
}

// shown returns a control plane: a Node with a kubelet version, and the mirror pod with its
// environment.
func shown(m Machine, kubelet string, env ...string) downstream.Cluster {
	node := downstream.Node{Name: m.NodeName, Labels: map[string]string{MachineLabel: m.UID}, Kubelet: kubelet}
	pod := downstream.Pod{Name: "kube-controller-manager-" + m.NodeName, Node: m.NodeName, Mirror: true, ConfigHash: "x",
		PodHash: slices.Contains(env, component.PodHash), Containers: []downstream.Container{{Args: []string{"--cloud-provider=aws"}}}}
	return downstream.Cluster{Nodes: []downstream.Node{node}, KCMPods: []downstream.Pod{pod}}
}

// Arguments are unknown on machines where the API may show outdated ones. The pod's status
// remains valid.
func TestFrozenArgumentsAreNotKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		kubelet string
		env     []string
		known   bool
	}{
		"a release that shows them":          {"v1.26.13+rke2r1", []string{"FILE_HASH"}, true},
		"by the kubelet's version":           {"v1.26.7+rke2r1", []string{"FILE_HASH"}, false},
		"by the variable":                    {"v1.26.7+rke2r1", []string{"FILE_HASH", "POD_HASH"}, false},
		"a version that cannot be read":      {"unknown", []string{"POD_HASH"}, false},
		"upgraded, the mirror pod is behind": {"v1.26.13+rke2r1", []string{"POD_HASH"}, false},
	} {
		a, b := plane("demo-0"), plane("demo-1")
		down, sane := shown(a, tt.kubelet, tt.env...), shown(b, "v1.26.13+rke2r1")
		down.Nodes, down.KCMPods = append(down.Nodes, sane.Nodes...), append(down.KCMPods, sane.KCMPods...)
		r := Facts{Machines: []Machine{a, b}}.Combine(down)
		if k := r.KCMs[0]; k.Known != tt.known || k.Pod == nil || !tt.known && (k.Why == "" || k.Provider() != "") {
			t.Errorf("%s: %+v", name, k)
		}
		if !r.KCMs[1].Known {
			t.Errorf("%s: the other one is not known: %s", name, r.KCMs[1].Why)
		}
		if at := position.Compute(r.Evidence()); (at.Position == position.Unknown) == tt.known {
			t.Errorf("%s: position %s, %s", name, at.Position, at.Summary)
		}
		if err := r.Frozen(); (err == nil) != tt.known || err != nil && fault.ClassOf(err) != fault.CouldNotLook {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKubeletOf(t *testing.T) {
	for args, want := range map[string]string{
		`["server","--cloud-provider-name","external"]`: "",
		`["server","--cloud-provider-name","aws"]`:      `its kubelet runs with provider "aws"`,
		`["server"]`: `its kubelet runs with provider ""`,
		`["server","--cloud-provider-name","aws","--kubelet-arg","cloud-provider=external"]`:              "",
		`["server","--cloud-provider-name","external","--kubelet-arg","cloud-provider=aws"]`:              `its kubelet runs with provider "aws"`,
		`["agent","--kubelet-arg","cloud-provider=aws","--kubelet-arg","cloud-provider=external"]`:        "",
		`["agent","--cloud-provider-name","external","--kubelet-arg","max-pods=1","--node-name","other"]`: "",
		`{`: "its arguments cannot be read",
	} {
		n := downstream.Node{Name: "a", Annotations: map[string]string{config.NodeArgsAnnotation: args}}
		kubelet, why := kubeletOf([]*downstream.Node{&n})
		state := migration.KubeletInTree
		switch want {
		case "":
			state = migration.KubeletExternal
		case "its arguments cannot be read":
			state = migration.KubeletUnknown
		}
		if kubelet != state || (why == "") != (want == "") || !strings.Contains(why, want) {
			t.Errorf("%s: %d, %q", args, kubelet, why)
		}
	}
	if kubelet, why := kubeletOf(nil); kubelet != migration.KubeletUnknown || why != "has no Node" {
		t.Error(kubelet, why)
	}
}

// The Node is the only one with the label of the Machine, or else the one in its nodeRef.
func TestKCMOf_nodes_node(t *testing.T) {
	m := plane("demo-0")
	m.Infrastructure = "demo-x7k2p"
	for name, tt := range map[string]struct {
		nodes []string
		want  string
	}{
		"none":                 {nil, m.NodeName},
		"the one it names":     {[]string{m.NodeName}, m.NodeName},
		"one of another name":  {[]string{"renamed"}, "renamed"},
		"two, which is not it": {[]string{"a", "b"}, m.NodeName},
	} {
		var nodes []*downstream.Node
		for _, one := range tt.nodes {
			nodes = append(nodes, &downstream.Node{Name: one})
		}
		if got := kcmOf(m, nodes, downstream.Cluster{}); got.Node != tt.want || got.Infrastructure != m.Infrastructure || !strings.Contains(got.Why, tt.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestStartedAt_pods_inUTC(t *testing.T) {
	if got := startedAt(nil) + startedAt(&downstream.Pod{}); got != "" {
		t.Errorf("a start of nothing: %q", got)
	}
	if got := startedAt(&downstream.Pod{Started: time.Date(2026, 11, 22, 11, 0, 0, 0, time.FixedZone("", 3600))}); got != "2026-11-22T10:00:00Z" {
		t.Error(got)
	}
}
