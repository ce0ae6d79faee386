package awsccm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var rolloutNow = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// healthyRollout is three control-plane Nodes with a ready pod each, made from
// the chart as it renders.
func healthyRollout(t *testing.T) Rollout {
	t.Helper()
	ds := renderedDaemonSet(t, scenarios()["rke2-migrating"])
	ds.UID, ds.Generation = "ds", 2
	ds.Status = appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 3, CurrentNumberScheduled: 3,
		UpdatedNumberScheduled: 3, NumberReady: 3, NumberAvailable: 3}
	r := Rollout{Now: rolloutNow, DaemonSet: ds}
	for i := range 3 {
		node := fmt.Sprintf("cp-%d", i)
		r.Nodes = append(r.Nodes, downstream.Node{
			Name: node, Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"},
			Taints: []downstream.Taint{
				{Key: "node-role.kubernetes.io/etcd", Effect: "NoExecute"},
				{Key: corev1.TaintNodeUnschedulable, Effect: "NoSchedule"},
			},
		})
		r.Pods = append(r.Pods, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "ccm-" + node, Namespace: wellknown.System, UID: types.UID("pod-" + node),
				CreationTimestamp: metav1.NewTime(rolloutNow.Add(-time.Hour))},
			Spec: corev1.PodSpec{NodeName: node, Containers: ds.Spec.Template.Spec.Containers},
			Status: corev1.PodStatus{
				Phase:             corev1.PodRunning,
				Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: wellknown.CCM, Ready: true}},
			},
		})
	}
	return r
}

func unready(p *corev1.Pod, phase corev1.PodPhase, status corev1.ContainerStatus) {
	p.Status.Phase = phase
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{status}
}

func crashed(message string, restarts int32) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		RestartCount:         restarts,
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: message}},
	}
}

func waitingFor(reason, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Image: "img", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
}

func TestJudgeDaemonSet(t *testing.T) {
	failedCreate := func(message string, age time.Duration) corev1.Event {
		return corev1.Event{Reason: "FailedCreate", Message: message, LastTimestamp: metav1.NewTime(rolloutNow.Add(-age)),
			InvolvedObject: corev1.ObjectReference{UID: "ds"}}
	}
	lessReady := func(r *Rollout) { r.DaemonSet.Status.NumberReady = 2 }
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
			r.DaemonSet.Spec.Template.Spec.NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
			r.DaemonSet.Status, r.Pods = appsv1.DaemonSetStatus{ObservedGeneration: 2}, nil
		}, RolloutFault, "SelectorMatchesNoNode", "matches no control-plane Node: cp-0 (node-role.kubernetes.io/control-plane=true), cp-1"},
		{"one node lacks the label", func(r *Rollout) { r.Nodes[1].Labels = nil }, RolloutFault, "SelectorMatchesNoNode", "passes by cp-1 (no label"},
		{"custom taint", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Value: "yes", Effect: "NoSchedule"})
		}, RolloutFault, "UntoleratedTaint", "cp-2 (gpu=yes:NoSchedule)"},
		{"a machine that is off", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: corev1.TaintNodeUnreachable, Effect: "NoSchedule"},
				downstream.Taint{Key: "node.cloudprovider.kubernetes.io/shutdown", Effect: "NoSchedule"})
			r.DaemonSet.Status.DesiredNumberScheduled, r.DaemonSet.Status.NumberReady, r.Pods = 2, 2, r.Pods[:2]
		}, RolloutWaiting, "", "no pod yet on cp-2"},
		{"soft taint", func(r *Rollout) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Effect: "PreferNoSchedule"})
		}, RolloutReady, "", ""},
		{"nothing desired, no cause seen", func(r *Rollout) { r.DaemonSet.Status, r.Pods = appsv1.DaemonSetStatus{ObservedGeneration: 2}, nil }, RolloutWaiting, "", "0 desired, 3 control-plane Nodes; no pod yet on cp-0, cp-1, cp-2"},
		{"more desired than control planes", func(r *Rollout) { r.DaemonSet.Status.DesiredNumberScheduled = 5 }, RolloutWaiting, "", "5 desired, 3"},
		{"not observed", func(r *Rollout) { r.DaemonSet.Generation = 3 }, RolloutWaiting, "", "has not seen"},
		{"not updated", func(r *Rollout) { r.DaemonSet.Status.UpdatedNumberScheduled = 1 }, RolloutWaiting, "", "1/3 pods are of the new version"},
		{"a pod of the old version", func(r *Rollout) {
			old := *r.Pods[0].DeepCopy()
			old.Spec.Containers[0].Args = []string{"--v=2"}
			r.Pods[0] = old
		}, RolloutWaiting, "", "2/3 ready; waiting on cp-0"},
		{"as many pods, two on one node", func(r *Rollout) { r.Pods[2].Spec.NodeName = r.Pods[1].Spec.NodeName }, RolloutWaiting, "", "2/3 ready; waiting on cp-2"},
		{"a pod going", func(r *Rollout) { r.Pods[0].DeletionTimestamp = &metav1.Time{Time: rolloutNow} }, RolloutWaiting, "", "2/3 ready; waiting on cp-0"},
		{"admission", func(r *Rollout) {
			r.Pods = nil
			r.DaemonSet.Status.NumberReady = 0
			r.Events = []corev1.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity "restricted:latest": host namespaces`, time.Minute)}
		}, RolloutFault, "PodsRefused", "violates PodSecurity"},
		{"admission in the past", func(r *Rollout) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []corev1.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity`, 2*time.Hour)}
		}, RolloutWaiting, "", "waiting on cp-2"},
		{"passing API trouble", func(r *Rollout) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []corev1.Event{failedCreate(`Internal error: etcdserver: request timed out`, time.Minute)}
		}, RolloutWaiting, "", ""},
		{"image pull back-off", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, waitingFor("ImagePullBackOff", `Back-off pulling image "img"`))
		}, RolloutFault, "ImagePull", "Node cp-0: cannot pull img"},
		{"first failed pull", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, waitingFor("ErrImagePull", "timeout"))
		}, RolloutWaiting, "", ""},
		{"config error", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, waitingFor("CreateContainerConfigError", `secret "mine" not found`))
		}, RolloutFault, "ContainerConfig", `secret "mine" not found`},
		{"missing volume", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, waitingFor("ContainerCreating", ""))
			r.Events = []corev1.Event{{Reason: "FailedMount", Message: `MountVolume.SetUp failed for volume "cloud-config" : secret "x" not found`,
				InvolvedObject: corev1.ObjectReference{UID: r.Pods[0].UID}}}
		}, RolloutFault, "MissingFile", `secret "x" not found`},
		{"bad argument", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, crashed("Error: unknown flag: --bogus\n", 3))
		}, RolloutFault, "BadArgument", "exited 3 times, last with code 1: Error: unknown flag: --bogus"},
		{"forbidden", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, crashed(`F1 nodes is forbidden: User "system:serviceaccount:kube-system:cloud-controller-manager" cannot list resource "nodes"`, 2))
		}, RolloutFault, "MissingRights", "cannot list"},
		{"no cluster tag", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, crashed("F0501 main.go:83] no ClusterID found.  A ClusterID is required\ngoroutine 1 [running]:", 2))
		}, RolloutFault, "ClusterTag", "no ClusterID found"},
		{"unknown crash", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, crashed("one\ntwo\n\ngoroutine 1 [running]:", 4))
		}, RolloutFault, "Crashing", ": two"},
		{"lost lease is no fault", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, crashed("E1 AccessDenied: elasticloadbalancing\nE2 leaderelection lost", 5))
		}, RolloutWaiting, "", ""},
		{"one restart is no fault", func(r *Rollout) {
			lessReady(r)
			s := crashed("boom", 1)
			s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
			unready(&r.Pods[0], corev1.PodRunning, s)
		}, RolloutWaiting, "", ""},
		{"log of a pod that does not get ready", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodRunning, corev1.ContainerStatus{})
			r.Logs = map[string]string{r.Pods[0].Name: `leases.coordination.k8s.io "cloud-controller-manager" is forbidden`}
		}, RolloutFault, "MissingRights", "is forbidden"},
		{"no place", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, corev1.ContainerStatus{})
			r.Pods[0].Status.Conditions = append(r.Pods[0].Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				LastTransitionTime: metav1.NewTime(rolloutNow.Add(-3 * time.Minute)), Message: "0/3 nodes are available: 1 Insufficient cpu"})
		}, RolloutFault, "NotScheduled", "Insufficient cpu"},
		{"no place yet", func(r *Rollout) {
			lessReady(r)
			unready(&r.Pods[0], corev1.PodPending, corev1.ContainerStatus{})
			r.Pods[0].Status.Conditions = append(r.Pods[0].Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				LastTransitionTime: metav1.NewTime(rolloutNow.Add(-time.Minute)), Message: "didn't have free ports"})
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
	for name, change := range map[string]func(*corev1.Pod){
		"restart":  func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount++ },
		"new pod":  func(p *corev1.Pod) { p.UID = "new" },
		"unready":  func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse },
		"deletion": func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: rolloutNow} },
	} {
		r := healthyRollout(t)
		change(&r.Pods[1])
		if JudgeDaemonSet(r).Token == token {
			t.Errorf("%s does not show", name)
		}
	}
}
