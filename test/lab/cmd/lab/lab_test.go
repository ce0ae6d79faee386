package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/test/lab/cluster"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// TestMain lets the test program act as the supervisor and as the processes that it starts
// itself as.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "serve", "klipper-helm", "rke", proc.ShimCommand:
			main()
		}
	}
	os.Exit(m.Run())
}

func client(t *testing.T, c *cluster.Client, kubeconfig string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Files.Kubeconfig(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	out, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("lab %q: %v\n%s", args, err, out.String())
	}
	return out.String()
}

// eventually repeats a question until the answer is yes.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-ctx.Done():
			t.Fatalf("never saw: %s", what)
		case <-tick.C:
		}
	}
}

// TestLab takes one small lab through its whole life: boot, a killed controller manager, a
// reset, a killed supervisor.
func TestLab(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "lab")
	t.Cleanup(func() {
		if err := cluster.Down(context.WithoutCancel(t.Context()), dir); err != nil {
			t.Errorf("lab down: %v", err)
		}
		if t.Failed() {
			raw, _ := os.ReadFile(filepath.Join(dir, "serve.log"))
			t.Logf("%s", raw)
		}
	})
	options := cluster.Defaults()
	options.Layout = cluster.Single
	options.APIServerDown, options.ComponentDown = time.Second, time.Second
	options.Leases = cluster.Leases{Duration: 5 * time.Second, Renew: 4 * time.Second, Retry: time.Second}
	c, err := cluster.Up(t.Context(), dir, []string{self}, options, func(seen string) { t.Log(seen) })
	if err != nil {
		t.Fatal(err)
	}
	down, viewer := client(t, c, "downstream"), client(t, c, "rancher-viewer")
	status, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(status.Machines) != 1 || len(status.LoadBalancers) != 1 || len(status.Additions) == 0 || len(status.Problems) > 0 {
		t.Fatalf("status %+v", status)
	}
	m := status.Machines[0]
	if m.Node != m.PrivateDNSName || !strings.HasPrefix(m.ProviderID, "aws:///us-east-1a/i-") || m.Node == m.Name {
		t.Errorf("machine %+v: an in-tree kubelet is called by its private DNS name, not by its host name", m)
	}
	if _, err := viewer.CoreV1().Secrets(cluster.ClusterNamespace).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the viewer reads Secrets through Rancher: %v", err)
	}
	env := run(t, "env", "--dir", dir)
	for _, want := range []string{"KUBECONFIG='" + c.Files.Kubeconfig("rancher"), "AWS_ENDPOINT_URL='http://127.", "AWS_ACCESS_KEY_ID='ASIA"} {
		if !strings.Contains(env, want) {
			t.Errorf("lab env prints no %s:\n%s", want, env)
		}
	}

	leases := down.CoordinationV1().Leases("kube-system")
	lease, err := leases.Get(t.Context(), "kube-controller-manager", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := *lease.Spec.HolderIdentity
	if host, _, _ := strings.Cut(first, "_"); !strings.HasPrefix(host, "demo-all-") || host == m.Name || host == m.Node {
		t.Errorf("the holder is %s; wanted before it the name of the object of which Rancher made machine %s, Node %s", first, m.Name, m.Node)
	}
	run(t, "kill", "kube-controller-manager@"+m.Name, "--dir", dir)
	eventually(t, "the next controller manager", func() bool {
		got, err := leases.Get(t.Context(), "kube-controller-manager", metav1.GetOptions{})
		return err == nil && *got.Spec.HolderIdentity != first
	})
	eventually(t, "its service controller", func() bool {
		report, err := observer.Observe(dir, observer.Window{}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		service := report.Controllers[0]
		return !report.Overlapping() && len(report.Blind) == 0 && len(service.Intervals) == 2 && len(service.Gaps) == 1 && service.Intervals[1].Running
	})

	name := "cloud-provider-extraction-migration"
	stray := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-system"}}
	if _, err := leases.Create(t.Context(), stray, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Scale(t.Context(), "all", 1); err != nil {
		t.Error(err)
	}
	run(t, "reset", "--dir", dir)
	if _, err := leases.Get(t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the migration lease after a reset: %v, wanted none", err)
	}
	crash(t, dir)
}

// crash kills the supervisor as a machine without memory does.
func crash(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "pids", "*.json"))
	if err != nil || len(files) < 4 {
		t.Fatalf("pid files %v, %v", files, err)
	}
	before, err := cluster.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(before.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the supervisor's end", func() bool { _, err := cluster.Open(dir); return cluster.NoLab(err) })
	if err := cluster.Down(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	killed, err := proc.Sweep(dir, time.Second)
	if err != nil || len(killed) > 0 {
		t.Errorf("after down there was still %v, %v", killed, err)
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2024, 3, 4, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{"": {}, "90s": now.Add(-90 * time.Second), "2024-03-04T09:00:00.5Z": now.Add(-time.Hour + 500*time.Millisecond)} {
		if got, err := moment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if _, err := moment("yesterday", now); err == nil {
		t.Error("yesterday was accepted")
	}
}
