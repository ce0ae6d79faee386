package rke2

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// shown is a control plane as the API shows it: its Node with a kubelet's version,
// and the mirror pod with its environment.
func shown(m Machine, kubelet string, env ...string) downstream.Cluster {
	node := downstream.Node{Name: m.NodeName, Labels: map[string]string{machineLabel: m.UID}, Kubelet: kubelet}
	pod := downstream.Pod{Name: "kube-controller-manager-" + m.NodeName, Node: m.NodeName, Mirror: true, ConfigHash: "x",
		PodHash: slices.Contains(env, component.PodHash), Containers: []downstream.Container{{Args: []string{"--cloud-provider=aws"}}}}
	return downstream.Cluster{Nodes: []downstream.Node{node}, KCMPods: []downstream.Pod{pod}}
}

// Where the API may show old arguments they are not known, on the machines of which
// that is true and on no others; what the pod's status says stays.
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
		a, b := sound().Machines[0], sound().Machines[1]
		down, sane := shown(a, tt.kubelet, tt.env...), shown(b, "v1.26.13+rke2r1")
		down.Nodes, down.KCMPods = append(down.Nodes, sane.Nodes...), append(down.KCMPods, sane.KCMPods...)
		r := reading(Facts{Machines: []Machine{a, b}}, down)
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

// An upgrade never leads to such a release, of the same minor version or the next.
func TestUpgradeToNoReleaseThatFreezesArguments(t *testing.T) {
	for target, refused := range map[string]bool{
		"v1.26.7+rke2r1": true, "v1.26.0+rke2r2": true, "v1.27.1+rke2r1": true, "v1.27.4+rke2r1": true, "v1.27.3-rc2+rke2r1": true,
		"v1.26.8+rke2r1": false, "v1.26.15+rke2r1": false, "v1.27.5+rke2r1": false, "v1.27.16+rke2r2": false,
	} {
		for _, now := range []string{"v1.25.16+rke2r1", "v1.26.0+rke2r1"} {
			err := upgradeAllowed(now, target)
			if strings.HasPrefix(now, "v1.25") && strings.HasPrefix(target, "v1.27") {
				continue // skips a minor version
			}
			if (err != nil) != refused || refused && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), component.Unfixed(target))) {
				t.Errorf("%s → %s: %v", now, target, err)
			}
		}
	}
}
