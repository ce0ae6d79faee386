//go:build slow

package e2e

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// disturbance disturbs step disable-leader-migration once awsmigrate replaces the pods of the
// cloud controller manager. Its own end restores the cluster.
type disturbance struct {
	name   string
	act    func(context.Context, *testing.T, *duel)
	frozen bool // the leader is frozen, and runs next to its successor
	killed bool // awsmigrate is killed
	starts bool // act starts awsmigrate itself
	or     int  // another possible exit code
}

func disturbances() []disturbance {
	return []disturbance{
		{name: "the leader freezes", act: freezeLeadingCCM, frozen: true, or: 3},
		{name: "the kubelet of the leader freezes", act: leadersKubeletFreezes},
		{name: "the leader's pod is deleted with force", act: forcedDeletion},
		{name: "a machine is away", act: machineIsAway, or: 3},
		{name: "killed after each pod", act: killedAfterEachPod, killed: true},
		{name: "killed at each write", act: killedAtEachWrite, starts: true},
		{name: "the watches of awsmigrate are cut", act: watchesAreCut, starts: true},
		{name: "the API servers are away", act: serversAreAway, or: 3},
		{name: "the API servers are killed", act: serversAreKilled, or: 3},
		{name: "a foreign process takes the main lease", act: foreignLeader, or: 3},
		{name: "a foreign process holds the main lease for a while", act: foreignLeaderStays, or: 3},
		{name: "a foreign rollout", act: foreignRollout, or: 3},
	}
}

// TestDisableAdversaries disturbs disable-leader-migration at real lease timings. However the run
// ends, no two processes run the cloud controllers at once, except a leader that was frozen, for no
// longer than client-go alone allows. The same command ends the step, the DaemonSet has its strategy
// again, and undo leads back.
func TestDisableAdversaries(t *testing.T) {
	lab := boot(t)
	ctx := within(t, time.Hour)
	migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--hand-over", "early", "--until", "switch-provider")
	for _, a := range disturbances() {
		tried := false
		t.Run(a.name, func(t *testing.T) {
			tried = true
			began := time.Now()
			disturbDisable(ctx, t, lab, a)
			t.Logf("%s: %.0f s", a.name, time.Since(began).Seconds())
		})
		if tried && t.Failed() {
			return // the next one needs a defined start
		}
	}
}

func disturbDisable(ctx context.Context, t *testing.T, lab *scenario.Lab, a disturbance) {
	d := &duel{lab: lab, since: time.Now()}
	runBy(ctx, t, lab, d.since, scenario.CloudControllerManager, scenario.Service)
	seen, _, err := lab.Observe(ctx, d.since)
	must(t, err)
	d.holder = seen.Of(scenario.Service).RunBy()[0]

	if !a.starts {
		d.disable(ctx, t)
	}
	a.act(ctx, t, d)
	code, err := d.run.Wait(ctx)
	must(t, err)
	if code != 0 && code != a.or && !a.killed {
		t.Errorf("exit %d\n%s%s", code, d.run.Stdout(), d.run.Stderr())
	}
	if code != 0 {
		t.Logf("exit %d, and once more", code)
		migrate(ctx, t, lab, 0, "--no-etcd-snapshot")
	}
	d.judgeDisabled(ctx, t, a)

	undoDisable(ctx, t, lab)
}

// disable starts the step and waits until it replaces the pods itself.
func (d *duel) disable(ctx context.Context, t *testing.T) {
	t.Helper()
	var err error
	d.run, err = d.lab.Start(ctx, testWriter{t}, d.lab.Command("", "--yes", "--no-etcd-snapshot")...)
	must(t, err)
	must(t, scenario.Until(ctx, "the pods to be replaced by hand", func(ctx context.Context) (bool, string, error) {
		if err := d.run.Ended(); err != nil {
			t.Fatalf("%v\n%s%s", err, d.run.Stdout(), d.run.Stderr())
		}
		strategy, err := d.strategy(ctx)
		return strategy == "OnDelete", strategy, err
	}))
}

func (d *duel) strategy(ctx context.Context) (string, error) {
	set, err := d.lab.Downstream.AppsV1().DaemonSets("kube-system").Get(ctx, "aws-cloud-controller-manager", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(set.Spec.UpdateStrategy.Type), nil
}

// judgeDisabled checks the end of the step and the observer's report.
func (d *duel) judgeDisabled(ctx context.Context, t *testing.T, a disturbance) {
	t.Helper()
	if position, err := d.lab.Standing(ctx); err != nil || position != "P5" {
		t.Errorf("the lab is at %s, %v", position, err)
	}
	if strategy, err := d.strategy(ctx); err != nil || strategy != "RollingUpdate" {
		t.Errorf("the strategy is %s, %v", strategy, err)
	}
	runBy(ctx, t, d.lab, d.since, scenario.CloudControllerManager, scenario.Service, scenario.Lifecycle)
	seen, text, err := d.lab.Observe(ctx, d.since)
	must(t, err)
	for _, name := range []string{scenario.Service, scenario.Lifecycle} {
		for _, o := range seen.Of(name).Overlaps {
			if !a.frozen || o.First != d.holder || o.Seconds > endsWithin.Seconds() {
				t.Errorf("%s ran twice: %+v\n%s", name, o, text)
			}
		}
	}
	if len(seen.Unexplained) > 0 || len(seen.Blind) > 0 {
		t.Errorf("unexplained %s, blind %v", seen.Unexplained, seen.Blind)
	}
	for _, g := range seen.Of(scenario.Service).Gaps {
		t.Logf("%.1f s without the service controller", g.Seconds)
	}
}

// leaderPod returns the leader's pod.
func (d *duel) leaderPod(ctx context.Context, t *testing.T) corev1.Pod {
	t.Helper()
	node, err := d.lab.NodeOf(ctx, d.holder.Node)
	must(t, err)
	pods, err := d.pods(ctx)
	must(t, err)
	i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Spec.NodeName == node })
	if i < 0 {
		t.Fatalf("no pod on Node %s among %d", node, len(pods))
	}
	return pods[i]
}

func (d *duel) pods(ctx context.Context) ([]corev1.Pod, error) {
	pods, err := d.lab.Downstream.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "k8s-app=aws-cloud-controller-manager"})
	if err != nil {
		return nil, err
	}
	return pods.Items, nil
}

// freezeLeadingCCM freezes the leader until another process leads. Its kubelet may have killed it by
// then.
func freezeLeadingCCM(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.lab.Lab(ctx, "kill", d.holder.Name, "--signal", "STOP"))
	must(t, scenario.Until(ctx, "another to run the service controller", func(ctx context.Context) (bool, string, error) {
		seen, text, err := d.lab.Observe(ctx, d.since)
		return slices.ContainsFunc(seen.Of(scenario.Service).RunBy(), func(p scenario.ObservedProcess) bool { return p != d.holder }), text, err
	}))
	if err := d.lab.Lab(ctx, "kill", d.holder.Name, "--signal", "CONT"); err != nil {
		t.Logf("not thawed: %v", err)
	}
}

// leadersKubeletFreezes freezes the leader's kubelet until the others have renewed their leases.
func leadersKubeletFreezes(ctx context.Context, t *testing.T, d *duel) {
	node, err := d.lab.NodeOf(ctx, d.holder.Node)
	must(t, err)
	kubeletFreezes(ctx, t, d)
	renewedByOthers(ctx, t, d.lab, node, 2)
	kubeletThaws(ctx, t, d)
}

// forcedDeletion removes the leader's pod from the API before its process has ended.
func forcedDeletion(ctx context.Context, t *testing.T, d *duel) {
	pod := d.leaderPod(ctx, t)
	_, err := d.lab.Kubectl(ctx, "", "-n", "kube-system", "delete", "pod", pod.Name, "--force", "--grace-period=0")
	must(t, err)
}

// machineIsAway powers off a control plane that does not lead, until its Node is not Ready.
func machineIsAway(ctx context.Context, t *testing.T, d *duel) {
	running, err := d.lab.Running(scenario.CloudControllerManager)
	must(t, err)
	i := slices.IndexFunc(running, func(p scenario.Process) bool { return p.Node != d.holder.Node })
	machine := running[i].Node
	name, err := d.lab.NodeOf(ctx, machine)
	must(t, err)
	must(t, d.lab.StopInstance(ctx, machine, false))
	must(t, scenario.Until(ctx, "Node "+name+" not to be Ready", func(ctx context.Context) (bool, string, error) {
		node, err := d.lab.Downstream.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && !ready(*node), "Ready", err
	}))
	must(t, d.lab.StopInstance(ctx, machine, true))
}

// killedAfterEachPod kills awsmigrate before the first pod is replaced and after each one, and
// types the same command again.
func killedAfterEachPod(ctx context.Context, t *testing.T, d *duel) {
	for replaced := 0; ; replaced++ {
		must(t, scenario.Until(ctx, "pods to be replaced", func(ctx context.Context) (bool, string, error) {
			if d.run.Ended() != nil {
				return true, "", nil
			}
			pods, err := d.pods(ctx)
			young := len(slices.DeleteFunc(pods, func(p corev1.Pod) bool { return !p.CreationTimestamp.After(d.since) }))
			return young >= replaced, fmt.Sprint(young), err
		}))
		if d.run.Ended() != nil {
			t.Logf("it ended after %d kills", replaced)
			return
		}
		must(t, d.run.Signal(syscall.SIGKILL))
		<-d.run.Done()
		if replaced == 3 {
			return
		}
		var err error
		d.run, err = d.lab.Start(ctx, testWriter{t}, d.run.Args...)
		must(t, err)
	}
}

// serversAreKilled kills every API server of the cluster at once, which ends all watches. The
// kubelets start them again.
func serversAreKilled(ctx context.Context, t *testing.T, d *duel) {
	servers, err := d.lab.Running("kube-apiserver")
	must(t, err)
	for _, p := range servers {
		if p.Node != "" { // not Rancher's
			must(t, d.lab.Lab(ctx, "kill", p.Name))
		}
	}
}

// foreignLeader writes an unknown holder into the main lease once.
func foreignLeader(ctx context.Context, t *testing.T, d *duel) {
	must(t, writeHolder(ctx, d.lab, scenario.CCMLease, "another_process"))
}

// foreignLeaderStays renews an unknown holder until no process runs the cloud controllers.
func foreignLeaderStays(ctx context.Context, t *testing.T, d *duel) {
	must(t, scenario.Until(ctx, "the leader to end", func(ctx context.Context) (bool, string, error) {
		if err := writeHolder(ctx, d.lab, scenario.CCMLease, "another_process"); err != nil {
			return false, "", err
		}
		seen, text, err := d.lab.Observe(ctx, d.since)
		return len(seen.Of(scenario.Service).RunBy()) == 0, text, err
	}))
}

func foreignRollout(ctx context.Context, t *testing.T, d *duel) {
	_, err := d.lab.Kubectl(ctx, "", "-n", "kube-system", "rollout", "restart", "daemonset/aws-cloud-controller-manager")
	must(t, err)
}
