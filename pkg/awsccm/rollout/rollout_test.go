package rollout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var rolloutNow = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// healthyRollout returns three control-plane Nodes with a ready pod each, from the rendered
// chart.
func healthyRollout(t *testing.T) Observation {
	t.Helper()
	ds := kube.DaemonSet(rendered(t))
	ds.UID, ds.Generation, ds.Observed = "ds", 2, 2
	ds.Desired, ds.Current, ds.Updated, ds.Ready, ds.Available = 3, 3, 3, 3, 3
	r := Observation{Now: rolloutNow, DaemonSet: &ds}
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

// rendered returns the chart's golden DaemonSet.
func rendered(t *testing.T) *appsv1.DaemonSet {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "ccmchart", "testdata", "golden", "rke2-migrating.objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := ccmchart.ParseManifest(string(text))
	if err != nil {
		t.Fatal(err)
	}
	ds, err := ccmchart.DaemonSetOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	return ds
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

func TestJudge(t *testing.T) {
	failedCreate := func(message string, age time.Duration) downstream.Event {
		return downstream.Event{Reason: "FailedCreate", Message: message, Latest: rolloutNow.Add(-age), UID: "ds"}
	}
	lessReady := func(r *Observation) { r.DaemonSet.Ready = 2 }
	nothingScheduled := func(r *Observation) {
		r.DaemonSet.Desired, r.DaemonSet.Current, r.DaemonSet.Updated, r.DaemonSet.Ready, r.DaemonSet.Available = 0, 0, 0, 0, 0
		r.Pods = nil
	}
	for _, c := range []struct {
		name   string
		spoil  func(*Observation)
		state  State
		reason string
		seen   string
	}{
		{"all well", func(*Observation) {}, Ready, "", "3/3 ready"},
		{"no DaemonSet", func(r *Observation) { r.DaemonSet = nil }, Waiting, "", "does not exist yet"},
		{"deleted", func(r *Observation) { r.DaemonSet, r.Existed = nil, true }, Fault, "DaemonSetGone", "was deleted"},
		{"no control plane", func(r *Observation) { r.Nodes = nil }, Fault, "NoControlPlane", ""},
		{"selector of upstream's default", func(r *Observation) {
			r.DaemonSet.NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
			nothingScheduled(r)
		}, Fault, "SelectorMatchesNoNode", "matches no control-plane Node: cp-0 (node-role.kubernetes.io/control-plane=true), cp-1"},
		{"one node lacks the label", func(r *Observation) { r.Nodes[1].Labels = nil }, Fault, "SelectorMatchesNoNode", "passes by cp-1 (no label"},
		{"custom taint", func(r *Observation) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Value: "yes", Effect: "NoSchedule"})
		}, Fault, "UntoleratedTaint", "cp-2 (gpu=yes:NoSchedule)"},
		{"a machine that is off", func(r *Observation) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: corev1.TaintNodeUnreachable, Effect: "NoSchedule"},
				downstream.Taint{Key: "node.cloudprovider.kubernetes.io/shutdown", Effect: "NoSchedule"})
			r.DaemonSet.Desired, r.DaemonSet.Ready, r.Pods = 2, 2, r.Pods[:2]
		}, Waiting, "", "no pod yet on cp-2"},
		{"soft taint", func(r *Observation) {
			r.Nodes[2].Taints = append(r.Nodes[2].Taints, downstream.Taint{Key: "gpu", Effect: "PreferNoSchedule"})
		}, Ready, "", ""},
		{"nothing desired, no cause seen", nothingScheduled, Waiting, "", "0 desired, 3 control-plane Nodes; no pod yet on cp-0, cp-1, cp-2"},
		{"more desired than control planes", func(r *Observation) { r.DaemonSet.Desired = 5 }, Waiting, "", "5 desired, 3"},
		{"not observed", func(r *Observation) { r.DaemonSet.Generation = 3 }, Waiting, "", "has not seen"},
		{"not updated", func(r *Observation) { r.DaemonSet.Updated = 1 }, Waiting, "", "1/3 pods are of the new version"},
		{"a new pod that is not ready yet", func(r *Observation) {
			r.DaemonSet.Updated, r.DaemonSet.Ready, r.Pods[0].Ready, r.Pods[1].Containers = 2, 2, false, slices.Clone(r.Pods[1].Containers)
			r.Pods[1].Containers[0].Args = []string{"--v=2"}
		}, Waiting, "", "2/3 pods are of the new version, 1 of them ready"},
		{"a pod of the old version", func(r *Observation) {
			r.Pods[0].Containers = slices.Clone(r.Pods[0].Containers)
			r.Pods[0].Containers[0].Args = []string{"--v=2"}
		}, Waiting, "", "2/3 ready; waiting on cp-0"},
		{"as many pods, two on one node", func(r *Observation) { r.Pods[2].Node = r.Pods[1].Node }, Waiting, "", "2/3 ready; waiting on cp-2"},
		{"a pod going", func(r *Observation) { r.Pods[0].Deleting = true }, Waiting, "", "2/3 ready; waiting on cp-0; a deleted pod has not ended on cp-0"},
		{"pods of the old version that do not end", func(r *Observation) {
			r.DaemonSet.Updated, r.DaemonSet.Ready = 0, 1
			r.Pods[0].Deleting, r.Pods[1].Deleting = true, true
		}, Waiting, "", "0/3 pods are of the new version; a deleted pod has not ended on cp-0, cp-1"},
		{"admission", func(r *Observation) {
			r.Pods = nil
			r.DaemonSet.Ready = 0
			r.Events = []downstream.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity "restricted:latest": host namespaces`, time.Minute)}
		}, Fault, "PodsRefused", "violates PodSecurity"},
		{"admission in the past", func(r *Observation) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []downstream.Event{failedCreate(`pods "ccm-" is forbidden: violates PodSecurity`, 2*time.Hour)}
		}, Waiting, "", "waiting on cp-2"},
		{"passing API trouble", func(r *Observation) {
			r.Pods = r.Pods[:2]
			lessReady(r)
			r.Events = []downstream.Event{failedCreate(`Internal error: etcdserver: request timed out`, time.Minute)}
		}, Waiting, "", ""},
		{"image pull back-off", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ImagePullBackOff", `Back-off pulling image "img"`))
		}, Fault, "ImagePull", "Node cp-0: cannot pull img"},
		{"image pull back-off, with its cause in an event", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ImagePullBackOff", `Back-off pulling image "img"`))
			for _, message := range []string{`Failed to pull image "img": rpc error: code = Unknown desc = lookup registry: i/o timeout`, "Error: ErrImagePull", "Error: ImagePullBackOff"} {
				r.Events = append(r.Events, downstream.Event{Reason: "Failed", Message: message, UID: r.Pods[0].UID})
			}
		}, Fault, "ImagePull", "Node cp-0: cannot pull img: rpc error: code = Unknown desc = lookup registry: i/o timeout"},
		{"first failed pull", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ErrImagePull", "timeout"))
		}, Waiting, "", ""},
		{"config error", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("CreateContainerConfigError", `secret "mine" not found`))
		}, Fault, "ContainerConfig", `secret "mine" not found`},
		{"missing volume", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ContainerCreating", ""))
			r.Events = []downstream.Event{{Reason: "FailedMount", Message: `MountVolume.SetUp failed for volume "cloud-config" : secret "x" not found`,
				UID: r.Pods[0].UID}}
		}, Fault, "MissingFile", `secret "x" not found`},
		{"missing key", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ContainerCreating", ""))
			r.Events = []downstream.Event{{Reason: "FailedMount", Message: `MountVolume.SetUp failed for volume "more" : references non-existent secret key: x`,
				UID: r.Pods[0].UID}}
		}, Fault, "MissingFile", "references non-existent secret key: x"},
		{"missing Secret of the old version", func(r *Observation) {
			lessReady(r)
			r.DaemonSet.Observed = r.DaemonSet.Generation - 1
			unready(&r.Pods[0], "Pending", waitingFor("CreateContainerConfigError", `secret "mine" not found`))
		}, Waiting, "", "has not seen the new version"},
		{"another pod's missing volume", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", waitingFor("ContainerCreating", ""))
			r.Events = []downstream.Event{{Reason: "FailedMount", Message: `MountVolume.SetUp failed for volume "more" : secret "x" not found`, UID: "other"}}
		}, Waiting, "", "waiting on cp-0"},
		{"bad argument", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("Error: unknown flag: --bogus\n", 3))
		}, Fault, "BadArgument", "exited 3 times, last with code 1: Error: unknown flag: --bogus"},
		{"forbidden", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed(`F1 nodes is forbidden: User "system:serviceaccount:kube-system:cloud-controller-manager" cannot list resource "nodes"`, 2))
		}, Fault, "MissingRights", "cannot list"},
		{"no cluster tag", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("F0501 main.go:83] no ClusterID found.  A ClusterID is required\ngoroutine 1 [running]:", 2))
		}, Fault, "ClusterTag", "no ClusterID found"},
		{"unknown crash", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("one\ntwo\n\ngoroutine 1 [running]:", 4))
		}, Fault, "Crashing", ": two"},
		{"lost lease is no fault", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", crashed("E1 AccessDenied: elasticloadbalancing\nE2 leaderelection lost", 5))
		}, Waiting, "", ""},
		{"one restart is no fault", func(r *Observation) {
			lessReady(r)
			s := crashed("boom", 1)
			s.Waiting = nil
			unready(&r.Pods[0], "Running", s)
		}, Waiting, "", ""},
		{"log of a pod that does not get ready", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Running", downstream.ContainerStatus{})
			r.Logs = map[string]string{r.Pods[0].Name: `leases.coordination.k8s.io "cloud-controller-manager" is forbidden`}
		}, Fault, "MissingRights", "is forbidden"},
		{"no place", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", downstream.ContainerStatus{})
			r.Pods[0].Scheduled = downstream.Condition{Status: "False", Since: rolloutNow.Add(-3 * time.Minute), Message: "0/3 nodes are available: 1 Insufficient cpu"}
		}, Fault, "NotScheduled", "Insufficient cpu"},
		{"no place yet", func(r *Observation) {
			lessReady(r)
			unready(&r.Pods[0], "Pending", downstream.ContainerStatus{})
			r.Pods[0].Scheduled = downstream.Condition{Status: "False", Since: rolloutNow.Add(-time.Minute), Message: "didn't have free ports"}
		}, Waiting, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := healthyRollout(t)
			c.spoil(&r)
			v := Judge(r)
			if v.State != c.state || !strings.Contains(v.Seen, c.seen) || v.Seen == "" {
				t.Fatalf("%s: %s", v.State, v.Seen)
			}
			if counts := regexp.MustCompile(`^[0-9]+/[0-9]+ `).MatchString(v.Seen); v.Counted != counts {
				t.Errorf("counted %t, %d of %d: %s", v.Counted, v.Done, v.Total, v.Seen)
			}
			f, ok := fault.As(v.Err)
			if ok != (c.state == Fault) {
				t.Fatalf("error %v", v.Err)
			}
			if ok && (f.Reason != c.reason || f.Class != fault.Check || f.Fix == "" || f.Wanted == "" || f.Object == "") {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestPodToken(t *testing.T) {
	r := healthyRollout(t)
	token := Judge(r).Token
	r.Pods[0], r.Pods[2] = r.Pods[2], r.Pods[0]
	if Judge(r).Token != token {
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
		if Judge(r).Token == token {
			t.Errorf("%s does not show", name)
		}
	}
}
