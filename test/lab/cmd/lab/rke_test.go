package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/cluster"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// rkeLab is a booted cluster of rke.
type rkeLab struct {
	*cluster.Client
	t    *testing.T
	dir  string
	kube kubernetes.Interface
}

func bootRKE(t *testing.T, change func(*cluster.Options)) rkeLab {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "lab")
	t.Cleanup(func() {
		if err := cluster.Down(context.WithoutCancel(t.Context()), dir); err != nil {
			t.Errorf("lab down: %v", err)
		}
		for _, file := range []string{"serve.log", "logs/rke.log"} {
			if raw, err := os.ReadFile(filepath.Join(dir, file)); err == nil && t.Failed() {
				t.Logf("%s:\n%s", file, raw[max(0, len(raw)-4000):])
			}
		}
	})
	options := cluster.DefaultsRKE()
	options.ControlPlanes, options.Workers = 2, 1
	options.APIServerDown, options.ComponentDown, options.RKERetry = 3*time.Second, time.Second, time.Second
	options.Leases = cluster.Leases{Duration: 6 * time.Second, Renew: 4 * time.Second, Retry: time.Second}
	change(&options)
	c, err := cluster.Up(t.Context(), dir, []string{self}, options, func(seen string) { t.Log(seen) })
	if err != nil {
		t.Fatal(err)
	}
	return rkeLab{Client: c, t: t, dir: dir, kube: client(t, c, "downstream")}
}

func (l rkeLab) rke(args ...string) *exec.Cmd {
	cmd := exec.Command(l.Files.RKE(), args...)
	cmd.Dir = l.dir
	return cmd
}

// up runs `rke up` and returns its output and exit code.
func (l rkeLab) up() (string, int) {
	l.t.Helper()
	out, err := l.rke("up", "--config", "cluster.yml").Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

func (l rkeLab) edit(old, now string) {
	l.t.Helper()
	text, err := os.ReadFile(l.Files.ClusterFile())
	if err != nil {
		l.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		l.t.Fatalf("cluster.yml holds no %q:\n%s", old, text)
	}
	if err := os.WriteFile(l.Files.ClusterFile(), bytes.Replace(text, []byte(old), []byte(now), 1), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// processes returns the records since a moment.
func (l rkeLab) processes(since time.Time) []proc.Record {
	l.t.Helper()
	raw, err := os.ReadFile(filepath.Join(l.dir, proc.RecordFile))
	if err != nil {
		l.t.Fatal(err)
	}
	all, err := proc.ReadRecords(bytes.NewReader(raw))
	if err != nil {
		l.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r proc.Record) bool { return r.Time.Before(since) })
}

func (l rkeLab) nodes() map[string]corev1.Node {
	l.t.Helper()
	var list *corev1.NodeList
	// rke restarts the API server last, and may end before it answers again.
	eventually(l.t, "the list of Nodes", func() (answered bool) {
		var err error
		list, err = l.kube.CoreV1().Nodes().List(l.t.Context(), metav1.ListOptions{})
		return err == nil
	})
	out := map[string]corev1.Node{}
	for _, n := range list.Items {
		out[n.Name] = n
	}
	return out
}

// provider returns the applied provider by the state in the cluster.
func (l rkeLab) provider() string {
	l.t.Helper()
	secret, err := l.kube.CoreV1().Secrets("kube-system").Get(l.t.Context(), rke.StateName, metav1.GetOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	var state rke.FullState
	if err := json.Unmarshal(secret.Data[rke.StateName], &state); err != nil {
		l.t.Fatal(err)
	}
	return state.Current.Config.CloudProvider.Name
}

func (l rkeLab) grant() {
	l.t.Helper()
	name := "migration"
	meta := metav1.ObjectMeta{Name: name, Namespace: "kube-system"}
	_, err := l.kube.RbacV1().Roles(meta.Namespace).Create(l.t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}},
	}}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	_, err = l.kube.RbacV1().RoleBindings(meta.Namespace).Create(l.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "system:kube-controller-manager"}},
	}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
}

// TestRKELab takes a cluster of rke through its whole life: boot, one flag, a killed rke, the
// external provider, an unreachable host, a reset.
func TestRKELab(t *testing.T) {
	l := bootRKE(t, func(*cluster.Options) {})
	before := l.nodes()
	if len(before) != 3 {
		t.Fatalf("%d Nodes, wanted 3", len(before))
	}
	for name, n := range before {
		if !strings.HasPrefix(n.Spec.ProviderID, "aws:///us-east-1") || !strings.HasSuffix(name, ".ec2.internal") || n.Status.NodeInfo.KubeletVersion != "v1.26.9" {
			t.Errorf("Node %s: %s, kubelet %s", name, n.Spec.ProviderID, n.Status.NodeInfo.KubeletVersion)
		}
		if _, control := n.Labels["node-role.kubernetes.io/controlplane"]; control != (len(n.Spec.Taints) == 2) {
			t.Errorf("Node %s has labels %v and taints %v", name, n.Labels, n.Spec.Taints)
		}
	}
	if pods, err := l.kube.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{}); err != nil || len(pods.Items) > 0 {
		t.Errorf("pods %v, %v: rke's components are none", pods, err)
	}
	original, err := os.ReadFile(l.Files.ClusterFile())
	if err != nil {
		t.Fatal(err)
	}

	l.grant()
	oneFlag(l)
	killed(l)
	if out, code := l.up(); code != 0 || !strings.Contains(out, "Finished building Kubernetes cluster successfully") {
		t.Fatalf("rke up, run again after a kill: exit %d\n%s", code, out)
	}
	external(l, before)

	run(t, "stop-instance", "demo-workers-0", "--dir", l.dir)
	if out, code := l.up(); code != 1 || !strings.Contains(out, "Failed to set up SSH tunneling for host") || !strings.Contains(out, "cannot proceed with upgrade of worker") {
		t.Errorf("rke up with a worker off: exit %d\n%s", code, out)
	}
	run(t, "reset", "--dir", l.dir)
	if now, err := os.ReadFile(l.Files.ClusterFile()); err != nil || !bytes.Equal(now, original) {
		t.Errorf("cluster.yml after a reset (%v):\n%s", err, now)
	}
	if p := l.provider(); p != "aws" {
		t.Errorf("the provider after a reset is %s", p)
	}
	for name, n := range l.nodes() {
		if n.UID != before[name].UID || n.Labels[corev1.LabelHostname] != before[name].Labels[corev1.LabelHostname] || n.Spec.Unschedulable {
			t.Errorf("Node %s after a reset: %s, labels %v", name, n.UID, n.Labels)
		}
	}
}

// oneFlag restarts only controller managers, one after another, and makes the migration lease
// appear.
func oneFlag(l rkeLab) {
	t := l.t
	began := time.Now()
	l.edit("    extra_args:\n      node-monitor-period", "    extra_args:\n      enable-leader-migration: \"true\"\n      node-monitor-period")
	if out, code := l.up(); code != 0 {
		t.Fatalf("rke up: exit %d\n%s", code, out)
	}
	var events []string
	for _, r := range l.processes(began) {
		if r.Kind == "kube-controller-manager" || r.Event == proc.Start {
			events = append(events, r.Event+" "+r.Kind+" "+r.Node)
		}
	}
	want := []string{
		"exit kube-controller-manager demo-cp-0", "start kube-controller-manager demo-cp-0",
		"exit kube-controller-manager demo-cp-1", "start kube-controller-manager demo-cp-1",
	}
	if !slices.Equal(events, want) {
		t.Errorf("processes %q, wanted %q", events, want)
	}
	eventually(t, "the migration lease", func() bool {
		lease, err := l.kube.CoordinationV1().Leases("kube-system").Get(t.Context(), "cloud-provider-extraction-migration", metav1.GetOptions{})
		return err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != ""
	})
}

// killed ends rke while the first API server is away. The API server returns without rke, and
// nothing else happens.
func killed(l rkeLab) {
	t := l.t
	l.edit("      enable-leader-migration: \"true\"\n", "")
	l.edit("  name: aws\n", "  name: external-aws\n  useInstanceMetadataHostname: true\n")
	began := time.Now()
	cmd := l.rke("up", "--config", l.Files.ClusterFile())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	saw := func(event string) func() bool {
		return func() bool {
			return slices.ContainsFunc(l.processes(began), func(r proc.Record) bool { return r.Event+" "+r.Kind+" "+r.Node == event })
		}
	}
	eventually(t, "the first API server's end", saw("exit kube-apiserver demo-cp-0"))
	host := filepath.Join(l.dir, "nodes", "demo-cp-0", "containers.json")
	eventually(t, "its successor", func() bool {
		raw, err := os.ReadFile(host)
		var containers map[string]json.RawMessage
		if err != nil || json.Unmarshal(raw, &containers) != nil {
			return false // it is being written
		}
		for _, container := range containers { // rke makes a container, and then starts it
			if bytes.Contains(container, []byte("--cloud-provider=external")) && bytes.Contains(container, []byte(`"started": true`)) {
				return true
			}
		}
		return false
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	eventually(t, "the API server's return", saw("start kube-apiserver demo-cp-0"))
	if saw("exit kube-apiserver demo-cp-1")() {
		t.Error("a killed rke went on to the next control plane")
	}
	if p := l.provider(); p != "aws" {
		t.Errorf("the state says %s after a killed run", p)
	}
}

// external checks the whole cluster after the switch.
func external(l rkeLab, before map[string]corev1.Node) {
	t := l.t
	if p := l.provider(); p != "external-aws" {
		t.Errorf("the state says %s", p)
	}
	after := l.nodes()
	for name, n := range before {
		now, ok := after[name]
		if !ok || now.UID != n.UID || now.Spec.ProviderID != n.Spec.ProviderID {
			t.Errorf("Node %s became %+v", name, now.ObjectMeta)
			continue
		}
		if now.Labels[corev1.LabelHostname] != name {
			t.Errorf("Node %s has the host name %s; rke-tools v0.1.96 names it by the metadata service", name, now.Labels[corev1.LabelHostname])
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d Nodes, before %d", len(after), len(before))
	}
	last := map[string][]string{}
	for _, r := range l.processes(time.Time{}) {
		if r.Event == proc.Start && r.Kind == "kube-controller-manager" {
			last[r.Node] = r.Args
		}
	}
	for node, args := range last {
		if !slices.Contains(args, "--cloud-provider=external") || slices.Contains(args, "--enable-leader-migration=true") {
			t.Errorf("the controller manager of %s runs with %q", node, args)
		}
	}
	report, err := observer.Observe(l.dir, observer.Window{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if service := report.Controllers[0]; report.Overlapping() || len(report.Blind) > 0 || len(service.Intervals) == 0 {
		t.Errorf("the observer reports %+v", report)
	}
}

// An rke-tools that names no kubelet gives it the operating system's host name.
func TestRKEToolsTooOldRenamesNodes(t *testing.T) {
	l := bootRKE(t, func(o *cluster.Options) {
		o.Layout, o.ControlPlanes, o.Workers = cluster.Single, 1, 0
		o.Version = "v1.26.8-rancher1-1"
		o.APIServerDown, o.RKERetry = time.Second, 500*time.Millisecond
	})
	l.edit("  name: aws\n", "  name: external-aws\n  useInstanceMetadataHostname: true\n")
	l.up()
	eventually(t, "the second Node", func() bool { return len(l.nodes()) == 2 })
	for name := range l.nodes() {
		if first, _, dotted := strings.Cut(name, "."); !dotted && !strings.HasPrefix(first, "ip-10-") {
			t.Errorf("Node %s", name)
		}
	}
}
