package rke

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const sampleVersion = "v1.26.9-rancher1-1"

func configWithFlag(t *testing.T) Config {
	c := sample(t, sampleVersion, "{name: aws}")
	c.Services.KubeController.ExtraArgs = map[string]string{"enable-leader-migration": "true"}
	return c
}

func TestOneFlagRestartsOneComponentOneAfterAnother(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	f.node("worker-1", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	if err := f.up(configWithFlag(t)); err != nil {
		t.Fatal(err)
	}
	recreated := func(host string) []string {
		return []string{
			"cordon " + host, host + ": remove old-kube-controller-manager", host + ": stop kube-controller-manager",
			host + ": rename kube-controller-manager", host + ": create kube-controller-manager",
			host + ": start kube-controller-manager", host + ": remove old-kube-controller-manager", "uncordon " + host,
		}
	}
	// The user's cordon of a worker that needs nothing goes too.
	want := slices.Concat(recreated("cp-0"), recreated("cp-1"), []string{"uncordon worker-1"})
	if diff := cmp.Diff(want, f.saw("cordon", "remove", "stop", "rename", "create", "start")); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	secret, err := f.kube.CoreV1().Secrets("kube-system").Get(t.Context(), StateName, metav1.GetOptions{})
	if err != nil || !strings.Contains(string(secret.Data[StateName]), `"enable-leader-migration":"true"`) {
		t.Errorf("the Secret lacks the applied configuration: %v", err)
	}
}

func TestStateIsCurrentBeforeWorkersAreTouched(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	current := map[string]string{}
	var mu sync.Mutex // hosts are worked on at the same time
	f.watched = func(event string) {
		if strings.HasSuffix(event, ": stop kubelet") || strings.HasSuffix(event, ": write /etc/kubernetes/cloud-config") {
			mu.Lock()
			defer mu.Unlock()
			s := f.state()
			current[event] = s.Desired.Config.CloudProvider.Name + " " + s.Current.Config.CloudProvider.Name
		}
	}
	if err := f.up(sample(t, sampleVersion, "{name: external-aws}")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for host, name := range map[string]string{"cp-0": "aws", "cp-1": "aws", "worker-0": "external-aws", "worker-1": "external-aws"} {
		want[host+": stop kubelet"] = "external-aws " + name
		want[host+": write /etc/kubernetes/cloud-config"] = "external-aws aws"
	}
	if diff := cmp.Diff(want, current); diff != "" {
		t.Errorf("desired and current provider (-want +got):\n%s", diff)
	}
	files, rest := f.saw("write"), f.saw("stop")
	if len(files) != 4 || slices.Index(f.events, files[3]) > slices.Index(f.events, rest[0]) {
		t.Errorf("a component stopped before every node had the cloud config: %v", f.events)
	}
}

// A killed run leaves its changes, and the next one continues. As in rke, the next run does not
// repair every possible state.
func TestKilledAndRunAgain(t *testing.T) {
	const (
		done    = "done"
		stale   = "runs as it was"    // until a third run
		stopped = "made, and stopped" // for good
	)
	for at, want := range map[string]struct {
		state string
		old   bool // the old container is left
	}{
		"cordon cp-0":                          {done, false},
		"cp-0: stop kube-controller-manager":   {stale, false},
		"cp-0: rename kube-controller-manager": {done, true},
		"cp-0: create kube-controller-manager": {stopped, true},
		"cp-0: start kube-controller-manager":  {done, true},
		"uncordon cp-0":                        {done, false},
		"cp-1: rename kube-controller-manager": {done, false},
	} {
		t.Run(at, func(t *testing.T) {
			f := newFixture(t, "{name: aws}")
			f.stopAt = at
			if err := f.up(configWithFlag(t)); !errors.Is(err, context.Canceled) {
				t.Fatalf("the killed run ended with %v", err)
			}
			if after := f.saw(": "); len(after) > 4 && strings.Contains(at, ": ") && after[len(after)-1] != at {
				t.Errorf("after %q it still did %q", at, after[len(after)-1])
			}
			if f.state().Current.Config.Services.KubeController.ExtraArgs != nil {
				t.Error("half of the control plane was recorded as current")
			}
			f.stopAt = ""
			if err := f.up(configWithFlag(t)); err != nil {
				t.Fatal(err)
			}
			host := f.hosts["127.2.1.10"]
			look := func() string {
				c := host.containers[controller]
				switch flagged := slices.Contains(c.Spec.Entrypoint, "--enable-leader-migration=true"); {
				case !c.Running:
					return stopped
				case !flagged:
					return stale
				}
				return done
			}
			if got := look(); got != want.state {
				t.Errorf("after the second run the container is %q, wanted %q", got, want.state)
			}
			if _, left := host.containers["old-"+controller]; left != want.old {
				t.Errorf("the old container is left: %t, wanted %t", left, want.old)
			}
			if err := f.up(configWithFlag(t)); err != nil {
				t.Fatal(err)
			}
			if got := look(); want.state == stale && got != done {
				t.Errorf("after the third run the container is %q", got)
			}
			f.noCordons()
		})
	}
}

func TestUnreachableHosts(t *testing.T) {
	external := "{name: external-aws}"
	for _, test := range []struct {
		off, err string
		touched  bool // the control plane
	}{
		{"worker-1", "cannot proceed with upgrade of worker since 1 host(s) cannot be reached", true},
		{"cp-1", "cannot proceed with upgrade of controlplane since 1 host(s) cannot be reached", false},
	} {
		f := newFixture(t, "{name: aws}")
		f.off[test.off] = true
		err := f.up(sample(t, sampleVersion, external))
		if err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s off: %v, wanted %q", test.off, err, test.err)
		}
		if touched := len(f.saw("cp-0: stop")) > 0; touched != test.touched {
			t.Errorf("%s off: control plane touched is %t", test.off, touched)
		}
	}
	f := newFixture(t, "{name: aws}")
	f.off["worker-1"] = true
	c := configWithFlag(t)
	c.UpgradeStrategy = &UpgradeStrategy{MaxUnavailableWorker: "2"}
	if err := f.up(c); err == nil || !strings.Contains(err.Error(), "Provisioning incomplete, host(s) [127.2.1.13] skipped") {
		t.Errorf("an unreachable worker within the limit: %v", err)
	}
	if n := len(f.state().Current.Config.Nodes); n != 3 {
		t.Errorf("the state has %d nodes; the unreachable one is missing there", n)
	}
}

func TestNotReadyHostsComeFirst(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	f.node("cp-1", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse })
	if err := f.up(configWithFlag(t)); err == nil || !strings.Contains(err.Error(), "host 127.2.1.11 not ready") {
		t.Errorf("a control plane that never gets Ready: %v", err)
	}
	if got := f.saw("stop"); len(got) != 1 || got[0] != "cp-1: stop kube-controller-manager" {
		t.Errorf("stopped %v; wanted the host that is not ready, and no other", got)
	}
}

// After the change back no Node has the label that rke looks for. Every control plane counts as
// not ready, and rke works on all of them at once.
func TestGoingBackTakesAllControlPlanesAtOnce(t *testing.T) {
	f := newFixture(t, "{name: external-aws, useInstanceMetadataHostname: true}")
	for _, name := range []string{"cp-0", "cp-1", "worker-0", "worker-1"} {
		f.node(name, func(n *corev1.Node) { n.Labels[corev1.LabelHostname] = name + ".ec2.internal" })
	}
	if err := f.up(sample(t, sampleVersion, "{name: external-aws, useInstanceMetadataHostname: true}")); err != nil {
		t.Fatalf("with external-aws rke finds Nodes by address: %v", err)
	}
	f.events = nil
	err := f.up(configWithFlag(t))
	if err == nil || !strings.Contains(err.Error(), "Error getting node") {
		t.Errorf("kubelets that do not relabel: %v", err)
	}
	if got := f.saw("stop kube-apiserver"); len(got) != 2 || len(f.saw("cordon")) > 0 {
		t.Errorf("stopped %v; wanted both API servers, uncordoned", got)
	}
}

func TestOlderRkeKeepsAConfigMap(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	f.engine.Release = "v1.5.9"
	if err := f.kube.CoreV1().Secrets("kube-system").Delete(t.Context(), StateName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := f.up(configWithFlag(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.kube.CoreV1().ConfigMaps("kube-system").Get(t.Context(), StateName, metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	f.engine.Release = "v1.5.10"
	if err := f.up(configWithFlag(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.kube.CoreV1().ConfigMaps("kube-system").Get(t.Context(), StateName, metav1.GetOptions{}); err == nil {
		t.Error("the newer rke left the ConfigMap")
	}
}

func TestWithoutStateNothingIsDone(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	f.engine.Bundle = nil
	f.engine.ClusterFile = t.TempDir() + "/cluster.yml"
	if err := f.up(configWithFlag(t)); err == nil || len(f.events) > 0 {
		t.Errorf("%v, done %v", err, f.events)
	}
}

func TestLabelsAndTaints(t *testing.T) {
	f := newFixture(t, "{name: aws}")
	n, err := f.kube.CoreV1().Nodes().Get(t.Context(), "cp-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var taints []string
	for _, taint := range n.Spec.Taints {
		taints = append(taints, taint.ToString())
	}
	if diff := cmp.Diff([]string{etcdTaint, controlTaint}, taints); diff != "" {
		t.Errorf("taints (-want +got):\n%s", diff)
	}
	if n.Labels["node-role.kubernetes.io/controlplane"] != "true" || n.Labels["node-role.kubernetes.io/worker"] != "" ||
		n.Annotations[internalIP] != "10.0.0.4" || n.Annotations[externalIP] != "127.2.1.10" {
		t.Errorf("labels %v, annotations %v", n.Labels, n.Annotations)
	}
}
