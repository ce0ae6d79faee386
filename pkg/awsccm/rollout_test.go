package awsccm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var rolloutNow = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// healthyRollout is three control-plane Nodes with a ready pod each, made from
// the chart as it renders.
func healthyRollout(t *testing.T) Rollout {
	t.Helper()
	ds := kube.DaemonSet(renderedDaemonSet(t, scenarios()["rke2-migrating"]))
	ds.UID, ds.Generation, ds.Observed = "ds", 2, 2
	ds.Desired, ds.Current, ds.Updated, ds.Ready, ds.Available = 3, 3, 3, 3, 3
	r := Rollout{Now: rolloutNow, DaemonSet: &ds}
	for i := range 3 {
		node := fmt.Sprintf("cp-%d", i)
		r.Nodes = append(r.Nodes, downstream.Node{
			Name: node, Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"},
			Taints: []downstream.Taint{
				{Key: "node-role.kubernetes.io/etcd", Effect: "NoExecute"},
				{Key: corev1.TaintNodeUnschedulable, Effect: "NoSchedule"},
			},
		})
		r.Pods = append(r.Pods, downstream.Pod{
			Name: "ccm-" + node, Namespace: wellknown.System, UID: "pod-" + node, Created: rolloutNow.Add(-time.Hour),
			Node: node, Containers: ds.Containers, Phase: "Running", Ready: true,
			Statuses: []downstream.ContainerStatus{{Ready: true}},
		})
	}
	return r
}

func unready(p *downstream.Pod, phase string, status downstream.ContainerStatus) {
	p.Phase, p.Ready, p.Restarts = phase, false, status.Restarts
	p.Statuses = []downstream.ContainerStatus{status}
}

func crashed(message string, restarts int32) downstream.ContainerStatus {
	return downstream.ContainerStatus{Restarts: restarts, Waiting: &downstream.Waiting{Reason: "CrashLoopBackOff"},
		Before: &downstream.End{Code: 1, Message: message}}
}

func waitingFor(reason, message string) downstream.ContainerStatus {
	return downstream.ContainerStatus{Image: "img", Waiting: &downstream.Waiting{Reason: reason, Message: message}}
}

func TestJudgeDaemonSet(t *testing.T) {
	failedCreate := func(message string, age time.Duration) downstream.Event {
		return downstream.Event{Reason: "FailedCreate", Message: message, Latest: rolloutNow.Add(-age), UID: "ds"}
	}
	lessReady := func(r *Rollout) { r.DaemonSet.Ready = 2 }
	nothingScheduled := func(r *Rollout) {
		r.DaemonSet.Desired, r.DaemonSet.Current, r.DaemonSet.Updated, r.DaemonSet.Ready, r.DaemonSet.Available = 0, 0, 0, 0, 0
		r.Pods = nil
	}
	for _, c := range []struct {
		name   string
		spoil  func(*Rollout)
		state  RolloutState
		reason string
		seen   string
	}{
		{"all well", func(*Rollout) {}, RolloutReady, "", "3/3 ready"},
		{"no DaemonSet", func(r *Rollout) { r.DaemonSet = nil }, RolloutWaiting, "", "does not exist yet"},
		{"deleted", func(r *Rollout) { r.DaemonSet, r.Existed = nil, true }, RolloutFault, "DaemonSetGone", "is gone"},
		{"no control plane", func(r *Rollout) { r.Nodes = nil }, RolloutFault, "NoControlPlane", ""},
		{"selector of upstream's default", func(r *Rollout) {
			r.DaemonSet.NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
			nothingScheduled(r)
		}, RolloutFault, "SelectorMatchesNoNode", "matches no control-plane Node: cp-0 (node-role.kubernetes.io/control-plane=true), cp-1"},
		{"one node lacks the label", func(r *Rollout) { r.Nodes[1].Labels = nil }, RolloutFault, "SelectorMatchesNoNode", "passes by cp-1 (no label"},
		{"custom taint", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Value: "yes", Effect: "NoSchedule"})
		}, RolloutFault, "UntoleratedTaint", "cp-2 (gpu=yes:NoSchedule)"},
		{"a machine that is off", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: corev1.TaintNodeUnreachable, Effect: "NoSchedule"},
				downstream.Taint{Key: "node.cloudprovider.kubernetes.io/shutdown", Effect: "NoSchedule"})
			r.DaemonSet.Desired, r.DaemonSet.Ready, r.Pods = 2, 2, r.Pods[:2]
		}, RolloutWaiting, "", "no pod yet on cp-2"},
		{"soft taint", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Effect: "PreferNoSchedule"})
		}, RolloutReady, "", ""},
		{"nothing desired, no cause seen", nothingScheduled, RolloutWaiting, "", "0 desired, 3 control-plane Nodes; no pod yet on cp-0, cp-1, cp-2"},
		{"more desired than control planes", func(r *Rollout) { r.DaemonSet.Desired = 5 }, RolloutWaiting, "", "5 desired, 3"},
		{"not observed", func(r *Rollout) { r.DaemonSet.Generation = 3 }, RolloutWaiting, "", "has not seen"},
		{"not updated", func(r *Rollout) { r.DaemonSet.Updated = 1 }, RolloutWaiting, "", "1/3 pods are of the new version"},
		{"a pod of the old version", func(r *Rollout) {
			r.Pods[0].Containers = slices.Clone(r.Pods[0].Containers)
			r.Pods[0].Containers[0].Args = []string{"--v=2"}
		}, RolloutWaiting, "", "2/3 ready; waiting on cp-0"},
		{"as many pods, two on one node", func(r *Rollout) { r.Pods[2].Node = r.Pods[1].Node }, RolloutWaiting, "", "2/3 ready; waiting on cp-2"},
		{"a pod going", func(r *Rollout) { r.Pods[0].Deleting = true }, RolloutWaiting, "", "2/3 ready; waiting on cp-0"},
		{"admission", func(r *Rollout) {
			r.Pods = nil
			r.DaemonSet.Ready = 0
			r.Events = []downstream.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity "restricted:latest": host namespaces`, time.Minute)}
		}, RolloutFault, "PodsRefused", "violates PodSecurity"},
		{"admission in the past", func(r *Rollout) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []downstream.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity`, 2*time.Hour)}
		}, RolloutWaiting, "", "waiting on cp-2"},
		{"passing API trouble", func(r *Rollout) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []downstream.Event{failedCreate(`Internal error: etcdserver: request timed out`, time.Minute)}
		}, RolloutWaiting, "", ""},
		{"image pull back-off", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ImagePullBackOff", `Back-off pulling image "img"`))
		}, RolloutFault, "ImagePull", "Node cp-0: cannot pull img"},
		{"first failed pull", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ErrImagePull", "timeout"))
		}, RolloutWaiting, "", ""},
		{"config error", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("CreateContainerConfigError", `secret "mine" not found`))
		}, RolloutFault, "ContainerConfig", `secret "mine" not found`},
		{"missing volume", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ContainerCreating", ""))
			r.Events = []downstream.Event{{Reason: "FailedMount", Message: `MountVolume.SetUp failed for volume "cloud-config" : secret "x" not found`,
				UID: r.Pods[0].UID}}
		}, RolloutFault, "MissingFile", `secret "x" not found`},
		{"bad argument", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("Error: unknown flag: --bogus\n", 3))
		}, RolloutFault, "BadArgument", "exited 3 times, last with code 1: Error: unknown flag: --bogus"},
		{"forbidden", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed(`F1 nodes is forbidden: User "system:serviceaccount:kube-system:cloud-controller-manager" cannot list resource "nodes"`, 2))
		}, RolloutFault, "MissingRights", "cannot list"},
		{"no cluster tag", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("F0501 main.go:83] no ClusterID found.  A ClusterID is required\ngoroutine 1 [running]:", 2))
		}, RolloutFault, "ClusterTag", "no ClusterID found"},
		{"unknown crash", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("one\ntwo\n\ngoroutine 1 [running]:", 4))
		}, RolloutFault, "Crashing", ": two"},
		{"lost lease is no fault", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("E1 AccessDenied: elasticloadbalancing\nE2 leaderelection lost", 5))
		}, RolloutWaiting, "", ""},
		{"one restart is no fault", func(r *Rollout) {
			lessReady(r)
			s := crashed("boom", 1)
			s.Waiting = nil
			unready(&r.Pods[0], "Running", s)
		}, RolloutWaiting, "", ""},
		{"log of a pod that does not get ready", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Running", downstream.ContainerStatus{})
			r.Logs = map[string]string{r.Pods[0].Name: `leases.coordination.k8s.io "cloud-controller-manager" is forbidden`}
		}, RolloutFault, "MissingRights", "is forbidden"},
		{"no place", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", downstream.ContainerStatus{})
			r.Pods[0].Scheduled = downstream.Condition{Status: "False", Since: rolloutNow.Add(-3 * time.Minute), Message: "0/3 nodes are available: 1 Insufficient cpu"}
		}, RolloutFault, "NotScheduled", "Insufficient cpu"},
		{"no place yet", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", downstream.ContainerStatus{})
			r.Pods[0].Scheduled = downstream.Condition{Status: "False", Since: rolloutNow.Add(-time.Minute), Message: "didn't have free ports"}
		}, RolloutWaiting, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := healthyRollout(t)
			c.spoil(&r)
			v := JudgeDaemonSet(r)
			if v.State != c.state || !strings.Contains(v.Seen, c.seen) || v.Seen == "" {
				t.Fatalf("%s: %s", v.State, v.Seen)
			}
			if v.Counted != strings.HasPrefix(v.Seen, fmt.Sprintf("%d/%d ", v.Done, v.Total)) {
				t.Errorf("counted %t, %d of %d: %s", v.Counted, v.Done, v.Total, v.Seen)
			}
			f, ok := fault.As(v.Err)
			if ok != (c.state == RolloutFault) {
				t.Fatalf("error %v", v.Err)
			}
			if ok && (f.Reason != c.reason || f.Class != fault.Check || f.Fix == "" || f.Wanted == "" || f.Object == "") {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestRolloutToken(t *testing.T) {
	r := healthyRollout(t)
	token := JudgeDaemonSet(r).Token
	r.Pods[0], r.Pods[2] = r.Pods[2], r.Pods[0]
	if JudgeDaemonSet(r).Token != token {
		t.Error("the token depends on the order of the list")
	}
	for name, change := range map[string]func(*downstream.Pod){
		"restart":  func(p *downstream.Pod) { p.Restarts++ },
		"new pod":  func(p *downstream.Pod) { p.UID = "new" },
		"unready":  func(p *downstream.Pod) { p.Ready = false },
		"deletion": func(p *downstream.Pod) { p.Deleting = true },
	} {
		r := healthyRollout(t)
		change(&r.Pods[1])
		if JudgeDaemonSet(r).Token == token {
			t.Errorf("%s does not show", name)
		}
	}
}
