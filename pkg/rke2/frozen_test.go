package rke2

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// shown is a control plane as the API shows it: its Node with a kubelet's version,
// and the mirror pod with its environment.
func shown(m Machine, kubelet string, env ...string) migration.Downstream {
	node := downstream.Node{Name: m.NodeName, Labels: map[string]string{machineLabel: m.UID}, Kubelet: kubelet}
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "kube-controller-manager-" + m.NodeName, Annotations: map[string]string{
		"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": "x"}},
		Spec: corev1.PodSpec{NodeName: m.NodeName, Containers: []corev1.Container{{Args: []string{"--cloud-provider=aws"}}}}}
	for _, name := range env {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: name})
	}
	return migration.Downstream{Nodes: []downstream.Node{node}, KCMPods: []corev1.Pod{pod}}
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
