package rancher

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const demo = `
apiVersion: provisioning.cattle.io/v1
kind: Cluster
metadata: {name: demo, namespace: fleet-default}
spec:
  kubernetesVersion: v1.26.15+rke2r1
  rkeConfig:
    machineGlobalConfig: {cni: cilium}
    machineSelectorConfig:
    - config: {cloud-provider-name: aws}
    - disable-cloud-controller: true
      machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
    machinePools:
    - {name: cp, quantity: 2, controlPlaneRole: true, etcdRole: true}
    - {name: worker, quantity: 1, workerRole: true}
`

// The subtests depend on each other: a cluster comes up, is changed, scaled and deleted.
func TestCluster(t *testing.T) {
	f := newFixture(t)
	f.create(demo)
	f.awaitWaiting("waiting for cluster agent to connect")
	f.agentPod()
	f.awaitSettled()
	var cp, workers []string
	f.run("provisioned", func(f *fixture) { cp, workers = f.provisioned() })
	f.run("the copy comes late and the old conditions stay meanwhile", (*fixture).late)
	f.run("tiers one at a time, workers last", func(f *fixture) { f.tiers(cp, workers) })
	f.run("a manifest restarts nothing", func(f *fixture) { f.manifest(cp) })
	f.run("snapshot", func(f *fixture) { f.snapshot(cp) })
	f.run("pause", func(f *fixture) { f.pause(cp) })
	f.run("failing machine", func(f *fixture) { f.failing(workers[0]) })
	f.run("probes", func(f *fixture) { f.probes(cp) })
	f.run("drain uncordons what others cordoned", func(f *fixture) { f.drains(workers[0]) })
	f.run("a release that is not in the metadata", func(f *fixture) { f.unknownRelease(cp[0]) })
	f.run("proxy", (*fixture).proxied)
	f.run("tokens", (*fixture).tokensEnd)
	f.run("a cluster of the older kind", (*fixture).mirrored)
	f.run("the way is cut, then silent", (*fixture).ways)
	f.run("webhook", (*fixture).webhooked)
	f.run("custom machine", (*fixture).custom)
	f.run("machine health check", func(f *fixture) { f.health(workers[0]) })
	f.run("templates of pools", (*fixture).templates)
	f.run("scale down", func(f *fixture) { f.scaleDown(cp) })
	f.run("deletion", (*fixture).deletion)
}

func (f *fixture) run(name string, test func(*fixture)) {
	f.t.(*testing.T).Run(name, func(t *testing.T) {
		g := *f
		g.t = t
		test(&g)
	})
	if f.t.Failed() {
		f.t.FailNow()
	}
}

func (f *fixture) provisioned() (cp, workers []string) {
	cp, workers = f.machineNames(labelControlPlane), f.machineNames(labelWorker)
	if len(cp) != 2 || len(workers) != 1 {
		f.t.Fatalf("control planes %v, workers %v", cp, workers)
	}
	slices.Sort(cp)
	if got := f.config(cp[0]); got["cloud-provider-name"] != "aws" || got["disable-cloud-controller"] != nil || got["cni"] != "cilium" {
		f.t.Errorf("configuration of a control plane: %v", got)
	}
	want := []any{"cert-dir=/var/lib/rancher/rke2/server/tls/kube-controller-manager", "secure-port=10257"}
	if d := cmp.Diff(want, f.config(cp[0])["kube-controller-manager-arg"]); d != "" {
		f.t.Errorf("kube-controller-manager-arg (-want +got):\n%s", d)
	}
	if got := f.config(workers[0]); got["cni"] != nil || got["server"] == nil || got["node-taint"] != nil {
		f.t.Errorf("configuration of a worker: %v", got)
	}
	f.await("every Machine to be complete", func(ctx context.Context) (string, bool) {
		l, err := f.list(ctx, gvrMachine, "fleet-default", "")
		ok := err == nil
		for i := range l {
			for _, c := range []string{"Ready", "InfrastructureReady", "Reconciled", "PlanApplied", "NodeHealthy"} {
				ok = ok && isTrue(&l[i], c)
			}
			ok = ok && str(&l[i], "status", "nodeRef", "name") == "node-"+l[i].GetName() && strings.HasPrefix(str(&l[i], "spec", "providerID"), "aws:///")
		}
		return fmt.Sprint(l), ok
	})
	f.await("the Cluster's own status", func(ctx context.Context) (string, bool) {
		c, err := f.get(ctx, gvrCluster, "fleet-default", "demo")
		if err != nil {
			return err.Error(), false
		}
		return fmt.Sprint(c.Object["status"]), isTrue(c, "Ready") && isTrue(c, "Updated") && isTrue(c, "Provisioned") && boolean(c, "status", "ready") &&
			strings.HasPrefix(str(c, "status", "clusterName"), "c-m-") && integer(c, "status", "observedGeneration") == c.GetGeneration()
	})
	return cp, workers
}

func (f *fixture) late() {
	f.SetCopyDelay(2 * time.Second)
	defer f.SetCopyDelay(300 * time.Millisecond)
	before := f.controlPlane(f.t.Context())
	start := time.Now()
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"profile":"cis-1.23"}}}}`)
	f.await("the copy", func(ctx context.Context) (string, bool) {
		cp := f.controlPlane(ctx)
		if cp.GetGeneration() == before.GetGeneration() {
			if c, err := f.get(ctx, gvrCluster, "fleet-default", "demo"); err == nil && !isTrue(c, "Updated") {
				f.t.Error("the Cluster is no longer Updated before the copy")
			}
			return "old generation", false
		}
		return "", true
	})
	if d := time.Since(start); d < 1500*time.Millisecond {
		f.t.Errorf("the copy came after %s, wanted about 2s", d)
	}
	f.awaitSettled()
}

func (f *fixture) tiers(cp, workers []string) {
	f.machines.set(f.machines.hold, cp[1], true)
	n := len(f.machines.seen())
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kubelet-arg":["v=3"]}}}}`)
	f.awaitWaiting("configuring etcd node(s) " + cp[1] + ": waiting for plan to be applied")
	if got := f.machines.seen()[n:]; !slices.Equal(got, []string{cp[0] + " install"}) {
		f.t.Fatalf("applied while the second etcd machine is held: %v", got)
	}
	if f.config(workers[0])["kubelet-arg"] != nil {
		f.t.Error("the worker has the new configuration already")
	}
	if isTrue(f.controlPlane(f.t.Context()), "Reconciled") {
		f.t.Error("Reconciled is True while a machine waits")
	}
	f.machines.set(f.machines.hold, cp[1], false)
	f.awaitSettled()
	if got := f.machines.seen()[n:]; !slices.Equal(got, []string{cp[0] + " install", cp[1] + " install", workers[0] + " install"}) {
		f.t.Errorf("order of application: %v", got)
	}
}

func (f *fixture) stamp(machine string) string {
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), planSecretName(machine), metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := readPlan(s)
	if err != nil {
		f.t.Fatal(err)
	}
	return stampOf(p.Applied)
}

func (f *fixture) manifest(cp []string) {
	before, n := f.stamp(cp[0]), len(f.machines.seen())
	f.patch(`{"spec":{"rkeConfig":{"additionalManifest":"apiVersion: v1\nkind: ConfigMap\n"}}}`)
	f.await("two more plans", func(context.Context) (string, bool) {
		got := f.machines.seen()[n:]
		return fmt.Sprint(got), len(got) == 2
	})
	f.awaitSettled()
	if f.stamp(cp[0]) != before {
		f.t.Error("a manifest alone changed the restart stamp")
	}
}

func (f *fixture) snapshot(cp []string) {
	before, n := f.stamp(cp[0]), len(f.machines.seen())
	f.patch(`{"spec":{"rkeConfig":{"etcdSnapshotCreate":{"generation":1}}}}`)
	f.await("the snapshot", func(ctx context.Context) (string, bool) {
		o := f.controlPlane(ctx)
		return fmt.Sprint(o.Object["status"]), str(o, "status", "etcdSnapshotCreatePhase") == phaseFinished && integer(o, "status", "etcdSnapshotCreate", "generation") == 1
	})
	f.awaitSettled()
	got := f.machines.seen()[n:]
	want := []string{cp[0] + " create", cp[0] + " install", cp[1] + " create", cp[1] + " install"}
	if slices.Sort(got); !slices.Equal(got, want) {
		f.t.Errorf("applied %v, wanted %v", got, want)
	}
	if f.stamp(cp[0]) != before {
		f.t.Error("the snapshot changed the restart stamp")
	}
	l, err := f.list(f.t.Context(), gvrSnapshot, "fleet-default", "")
	if err != nil || len(l) != 2 {
		f.t.Errorf("%d snapshots, %v", len(l), err)
	}
}

func (f *fixture) annotate(key string, value any) {
	f.t.Helper()
	err := f.mutate(f.t.Context(), gvrControlPlane, "fleet-default", "demo", func(o *object) error {
		a := o.GetAnnotations()
		if a == nil {
			a = map[string]string{}
		}
		if v, ok := value.(string); ok {
			a[key] = v
		} else {
			delete(a, key)
		}
		o.SetAnnotations(a)
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) pause(cp []string) {
	f.annotate(annotationPaused, "true")
	f.awaitWaiting("CAPI cluster or RKEControlPlane is paused")
	n := len(f.machines.seen())
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kubelet-arg":["v=4"]}}}}`)
	f.await("the copy of a paused cluster", func(ctx context.Context) (string, bool) {
		o := f.controlPlane(ctx)
		return fmt.Sprint(o.Object["spec"]), fmt.Sprint(mapAt(o, "spec", "machineGlobalConfig")["kubelet-arg"]) == "[v=4]" &&
			integer(o, "status", "observedGeneration") == o.GetGeneration()
	})
	if got := f.machines.seen()[n:]; len(got) != 0 || fmt.Sprint(f.config(cp[0])["kubelet-arg"]) != "[v=3]" {
		f.t.Errorf("a paused planner delivered: %v", got)
	}
	if f.controlPlane(f.t.Context()).GetAnnotations()[annotationPaused] != "true" {
		f.t.Error("the copy lost the foreign annotation")
	}
	f.annotate(annotationPaused, nil)
	f.awaitSettled()
}

func (f *fixture) failing(worker string) {
	f.machines.set(f.machines.broken, worker, true)
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kubelet-arg":["v=5"]}}}}`)
	f.await("PlanApplied False", func(ctx context.Context) (string, bool) {
		m, err := f.get(ctx, gvrMachine, "fleet-default", worker)
		if err != nil || m == nil {
			return fmt.Sprint(err), false
		}
		c := conditionOf(m, "PlanApplied")
		return fmt.Sprint(c), c.Status == "False" && c.Reason == "Error" && strings.HasPrefix(c.Message, "error applying plan -- check")
	})
	f.awaitWaiting("failure while applying plan")
	f.machines.set(f.machines.broken, worker, false)
	f.awaitSettled()
}

func (f *fixture) probes(cp []string) {
	f.machines.mu.Lock()
	f.machines.sick[cp[0]] = "kube-controller-manager"
	f.machines.mu.Unlock()
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kube-controller-manager-arg":["no-such-flag"]}}}}`)
	f.await("the bad argument on the first control plane, waiting for its probe", func(ctx context.Context) (string, bool) {
		args, ready := fmt.Sprint(f.config(cp[0])["kube-controller-manager-arg"]), conditionOf(f.controlPlane(ctx), "Ready")
		return args + " " + ready.Message, strings.Contains(args, "no-such-flag") && strings.Contains(ready.Message, cp[0]+": waiting for probes: kube-controller-manager")
	})
	if got := f.config(cp[1])["kube-controller-manager-arg"]; fmt.Sprint(got) == fmt.Sprint(f.config(cp[0])["kube-controller-manager-arg"]) {
		f.t.Errorf("the second control plane got the bad argument too: %v", got)
	}
	// A plan whose probes never passed may be overwritten.
	f.machines.mu.Lock()
	delete(f.machines.sick, cp[0])
	f.machines.mu.Unlock()
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kube-controller-manager-arg":null}}}}`)
	f.awaitSettled()
}

func (f *fixture) drains(worker string) {
	node := "node-" + worker
	_, err := f.down.CoreV1().Nodes().Patch(f.t.Context(), node, types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.patch(`{"spec":{"rkeConfig":{"upgradeStrategy":{"workerDrainOptions":{"enabled":true,"gracePeriod":-1}},"machineGlobalConfig":{"kubelet-arg":["v=6"]}}}}`)
	f.awaitSettled()
	n, err := f.down.CoreV1().Nodes().Get(f.t.Context(), node, metav1.GetOptions{})
	if err != nil || n.Spec.Unschedulable {
		f.t.Errorf("after the drain unschedulable is %t, %v", n.Spec.Unschedulable, err)
	}
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), planSecretName(worker), metav1.GetOptions{})
	if err != nil || s.Annotations[annotationDrain]+s.Annotations[annotationUncordon]+s.Annotations[annotationDrainDone] != "" {
		f.t.Errorf("annotations left: %v, %v", s.Annotations, err)
	}
}

// unknownRelease uses a Rancher without metadata of the cluster's release: it rolls out the
// arguments of all releases that it has.
func (f *fixture) unknownRelease(cp string) {
	set := func(version string) {
		f.t.Helper()
		err := f.mutate(f.t.Context(), gvrSetting, "", "server-version", func(o *object) error { o.Object["value"] = version; return nil })
		if err != nil {
			f.t.Fatal(err)
		}
	}
	for i, version := range []string{"v2.9.3", "v2.12.3"} {
		set(version)
		f.patch(fmt.Sprintf(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kube-scheduler-arg":["v=%d"],"no-such-key":"x"}}}}`, i+4))
		f.awaitSettled()
		config := f.config(cp)
		if args := fmt.Sprint(config["kube-scheduler-arg"]); !strings.Contains(args, fmt.Sprintf("v=%d", i+4)) || config["no-such-key"] != nil {
			f.t.Errorf("under Rancher %s: kube-scheduler-arg %s, no-such-key %v", version, args, config["no-such-key"])
		}
	}
	set("v2.8.5")
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"kube-scheduler-arg":null,"no-such-key":null}}}}`)
	f.awaitSettled()
}

func (f *fixture) proxied() {
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), "demo-kubeconfig", metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(s.Data["value"])
	if err != nil {
		f.t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	w, err := client.CoreV1().Nodes().Watch(f.t.Context(), metav1.ListOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	defer w.Stop()
	if e := <-w.ResultChan(); e.Type != "ADDED" {
		f.t.Errorf("first event through the proxy: %v", e.Type)
	}
	local := *config
	local.Host = strings.Replace(config.Host, config.Host[strings.LastIndex(config.Host, "/")+1:], "local", 1)
	if _, err := kubernetes.NewForConfigOrDie(&local).CoreV1().Secrets("fleet-default").Get(f.t.Context(), "demo-kubeconfig", metav1.GetOptions{}); err != nil {
		f.t.Errorf("local: %v", err)
	}
	status := func(host, token string) int {
		c := *config
		c.Host, c.BearerToken = host, token
		code := 0
		kubernetes.NewForConfigOrDie(&c).Discovery().RESTClient().Get().AbsPath("/api/v1/nodes").Do(f.t.Context()).StatusCode(&code)
		return code
	}
	if got := status(config.Host[:strings.LastIndex(config.Host, "/")]+"/c-m-unknown0", config.BearerToken); got != 404 {
		f.t.Errorf("unknown cluster: %d, wanted 404", got)
	}
	if got := status(config.Host, "unknown"); got != 401 {
		f.t.Errorf("unknown token: %d, wanted 401", got)
	}
	if err := f.down.CoreV1().Pods(agentNamespace).Delete(f.t.Context(), agentName, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
		f.t.Fatal(err)
	}
	f.await("503 without agent", func(context.Context) (string, bool) {
		got := status(config.Host, config.BearerToken)
		return fmt.Sprint(got), got == 503
	})
	f.await("the watch to be cut", func(context.Context) (string, bool) {
		select {
		case _, ok := <-w.ResultChan():
			return "an event", !ok
		default:
			return "open", false
		}
	})
	f.agentPod()
	f.await("200 with agent", func(context.Context) (string, bool) {
		got := status(config.Host, config.BearerToken)
		return fmt.Sprint(got), got == 200
	})
	f.awaitSettled()
}

func (f *fixture) webhooked() {
	patch := `{"spec":{"defaultPodSecurityAdmissionConfigurationTemplateName":"rancher-privileged","rkeConfig":{"machineGlobalConfig":{"kube-apiserver-arg":["a=1","b=2","c=3","d=4","e=5","bare"]}}}}`
	dry, err := f.dyn.Resource(gvrCluster).Namespace("fleet-default").Patch(f.t.Context(), "demo", types.MergePatchType, []byte(patch), metav1.PatchOptions{DryRun: []string{"All"}})
	if err != nil {
		f.t.Fatal(err)
	}
	if got := mapAt(dry, "spec", "rkeConfig", "machineGlobalConfig")[apiServerArg]; fmt.Sprint(got) != "[a=1 b=2 c=3 d=4 e=5 bare]" {
		f.t.Errorf("a dry run changed the arguments to %v", got)
	}
	args := func(o *object) []string {
		return stringList(mapAt(o, "spec", "rkeConfig", "machineGlobalConfig")[apiServerArg])
	}
	o := f.patch(patch)
	orders := map[string]bool{}
	for i := range 8 {
		sorted := args(o)
		orders[fmt.Sprint(sorted)] = true
		slices.Sort(sorted)
		if want := []string{"a=1", admissionFile + "=" + psactPath, "b=2", "c=3", "d=4", "e=5"}; !slices.Equal(sorted, want) {
			f.t.Fatalf("arguments %v, wanted %v", sorted, want)
		}
		o = f.patch(fmt.Sprintf(`{"metadata":{"annotations":{"touched":"%d"}}}`, i))
	}
	if len(orders) < 2 {
		f.t.Error("the order never changed in eight updates")
	}
	f.awaitSettled()
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), psactSecretName("demo"), metav1.GetOptions{})
	if err != nil || !strings.Contains(string(s.Data[psactSecretKey]), "enforce: privileged") {
		f.t.Errorf("Secret of the template: %v, %v", s, err)
	}
	_, err = f.dyn.Resource(gvrCluster).Namespace("fleet-default").Patch(f.t.Context(), "demo", types.MergePatchType, []byte(`{"spec":{"rkeConfig":null}}`), metav1.PatchOptions{})
	if err == nil || !strings.Contains(err.Error(), "non-null to null") {
		f.t.Errorf("taking rkeConfig away: %v", err)
	}
}

func (f *fixture) scaleDown(cp []string) {
	o, err := f.get(f.t.Context(), gvrCluster, "fleet-default", "demo")
	if err != nil {
		f.t.Fatal(err)
	}
	pools, err := plain(mapAt(o, "spec", "rkeConfig")["machinePools"])
	if err != nil {
		f.t.Fatal(err)
	}
	pools.([]any)[0].(map[string]any)["quantity"] = int64(1)
	b, err := json.Marshal(map[string]any{"spec": map[string]any{"rkeConfig": map[string]any{"machinePools": pools}}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.patch(string(b))
	f.await("one control plane", func(context.Context) (string, bool) {
		left := f.machineNames(labelControlPlane)
		return fmt.Sprint(left), len(left) == 1
	})
	left := f.machineNames(labelControlPlane)[0]
	gone := cp[0]
	if left == gone {
		gone = cp[1]
	}
	if _, err := f.down.CoreV1().Nodes().Get(f.t.Context(), "node-"+gone, metav1.GetOptions{}); err == nil {
		f.t.Error("the Node of the deleted Machine is still there")
	}
	f.awaitSettled()
	if s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), planSecretName(left), metav1.GetOptions{}); err != nil || s.Labels[labelInitNode] != "true" {
		f.t.Errorf("the machine that is left is not the init node: %v", err)
	}
}

func (f *fixture) deletion() {
	if err := f.remove(f.t.Context(), gvrCluster, "fleet-default", "demo"); err != nil {
		f.t.Fatal(err)
	}
	f.await("the Cluster to go", func(ctx context.Context) (string, bool) {
		o, err := f.get(ctx, gvrCluster, "fleet-default", "demo")
		return fmt.Sprint(o, err), err == nil && o == nil
	})
	if l, err := f.list(f.t.Context(), gvrMachine, "", ""); err != nil || len(l) != 0 {
		f.t.Errorf("Machines left: %d, %v", len(l), err)
	}
}

func (f *fixture) custom() {
	m, err := f.RegisterCustom(f.t.Context(), Machine{Namespace: "fleet-default", Cluster: "demo", Worker: true, NodeName: "by-hand"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.await("a plan with the node's name", func(ctx context.Context) (string, bool) {
		s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(ctx, planSecretName(m.Name), metav1.GetOptions{})
		if err != nil {
			return err.Error(), false
		}
		p, err := readPlan(s)
		return fmt.Sprint(p, err), err == nil && p != nil && configIn(f.t, p.Plan)["node-name"] == "by-hand" && s.Labels[labelNodeName] == "by-hand"
	})
	f.awaitWaiting("waiting for agent to check in and apply initial plan")
	if err := f.remove(f.t.Context(), gvrMachine, "fleet-default", m.Name); err != nil {
		f.t.Fatal(err)
	}
	f.awaitSettled()
	f.machines.mu.Lock()
	defer f.machines.mu.Unlock()
	if f.machines.stop[m.Name] != nil || slices.Contains(f.machines.terminated, m.Name) {
		f.t.Error("the infrastructure was asked about a custom machine")
	}
}

// health checks that a Node which is Unknown for longer than its pool allows loses its Machine,
// which is replaced.
func (f *fixture) health(worker string) {
	o, err := f.get(f.t.Context(), gvrCluster, "fleet-default", "demo")
	if err != nil {
		f.t.Fatal(err)
	}
	pools, err := plain(mapAt(o, "spec", "rkeConfig")["machinePools"])
	if err != nil {
		f.t.Fatal(err)
	}
	pools.([]any)[1].(map[string]any)["unhealthyNodeTimeout"] = "1s"
	b, err := json.Marshal(map[string]any{"spec": map[string]any{"rkeConfig": map[string]any{"machinePools": pools}}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.patch(string(b))
	patch := `{"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`
	if _, err := f.down.CoreV1().Nodes().Patch(f.t.Context(), "node-"+worker, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
		f.t.Fatal(err)
	}
	f.awaitWaiting("non-ready worker machine(s) " + worker)
	f.await("another worker", func(context.Context) (string, bool) {
		now := f.machineNames(labelWorker)
		return fmt.Sprint(now), len(now) == 1 && now[0] != worker
	})
	f.awaitSettled()
	if _, err := f.down.CoreV1().Nodes().Get(f.t.Context(), "node-"+worker, metav1.GetOptions{}); err == nil {
		f.t.Error("the Node of the lost Machine is still there")
	}
}
