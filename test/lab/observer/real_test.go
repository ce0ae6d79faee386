package observer_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// bench is an API server, an AWS and real controller managers, without nodes.
type bench struct {
	t          *testing.T
	dir        string
	binaries   string
	client     kubernetes.Interface
	kubeconfig string
	cloud      *aws.Cloud
	endpoint   string
	supervisor *proc.Supervisor
	port       int
}

// firstPort is the first of about 10,000 ports of benches. The kernel takes those of clients from 32768
// on, and one of them could be in use.
const firstPort = 20000

func newBench(t *testing.T) *bench {
	t.Helper()
	config := testplane.Start(t, "one")[0]
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: t.TempDir(), client: client, kubeconfig: testplane.Kubeconfig(t, config), port: firstPort + os.Getpid()%4000}
	if b.binaries, err = component.Dir(); err != nil {
		t.Fatal(err)
	}
	record, err := os.Create(filepath.Join(b.dir, observer.AWSFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { record.Close() })
	b.cloud = aws.New(aws.Options{ClusterID: "demo", Record: record})
	endpoint := httptest.NewServer(b.cloud.Handler())
	t.Cleanup(endpoint.Close)
	b.endpoint = endpoint.URL
	if b.supervisor, err = proc.New(b.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.supervisor.Close() })
	return b
}

// start runs a controller manager with short leases and no routes.
func (b *bench) start(name, kind, program string, args ...string) *proc.Process {
	b.t.Helper()
	network := b.cloud.Network()
	config := filepath.Join(b.dir, name+".conf")
	text := fmt.Sprintf("[Global]\nZone=us-east-1a\nVPC=%s\nSubnetID=%s\nKubernetesClusterID=demo\n", network.VpcID, network.Subnets["us-east-1a"])
	for i, service := range []string{"ec2", "elasticloadbalancing"} {
		text += fmt.Sprintf("[ServiceOverride \"%d\"]\nService=%s\nRegion=us-east-1\nURL=%s/as/%s\nSigningRegion=us-east-1\n", i, service, b.endpoint, name)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.port++
	id, secret, token := b.cloud.Credentials(aws.RoleControlPlane)
	p, err := b.supervisor.Start(proc.Spec{
		Name: name, Kind: kind, Node: name, Hostname: name, Path: filepath.Join(b.binaries, program),
		Log: filepath.Join(b.dir, name+".log"),
		Env: []string{"AWS_ACCESS_KEY_ID=" + id, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=" + token, "AWS_EC2_METADATA_DISABLED=true"},
		Args: append([]string{
			"--kubeconfig=" + b.kubeconfig, "--cloud-provider=aws", "--cloud-config=" + config, "--configure-cloud-routes=false",
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", b.port),
			"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=1s",
		}, args...),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) kcm(name string) *proc.Process {
	return b.start(name, "kube-controller-manager", "kube-controller-manager",
		"--controllers=service,cloud-node-lifecycle,route", "--cert-dir="+filepath.Join(b.dir, name))
}

func (b *bench) observe(since time.Time) observer.Report {
	b.t.Helper()
	now := time.Now()
	r, err := observer.Observe(b.dir, observer.Window{Since: since, Until: now}, now)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// until waits for a state of the service controller.
func (b *bench) until(what string, since time.Time, ok func(observer.Controller) bool) observer.Report {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		r := b.observe(since)
		if ok(r.Controllers[0]) {
			return r
		}
		select {
		case <-ctx.Done():
			var text strings.Builder
			err := r.Print(&text)
			b.t.Fatalf("never saw %s:\n%s (%v)", what, text.String(), err)
		case <-tick.C:
		}
	}
}

func runs(names ...string) func(observer.Controller) bool {
	return func(c observer.Controller) bool {
		running := map[string]bool{}
		for _, i := range c.Intervals {
			running[i.Process.Name] = i.Running
		}
		for _, name := range names {
			if !running[name] {
				return false
			}
		}
		return true
	}
}

func overlapOf(c observer.Controller, a, b string) bool {
	for _, o := range c.Overlaps {
		if o.First.Name == a && o.Second.Name == b {
			return true
		}
	}
	return false
}

// The observer must find overlaps that the leases do not show: real controller managers, one
// clean hand-over and three seeded defects.
func TestSeededDefects(t *testing.T) {
	b := newBench(t)
	since := time.Now()
	first, second := b.kcm("kcm-1"), b.kcm("kcm-2")
	leader := b.until("a leader", since, func(c observer.Controller) bool { return len(c.Intervals) == 1 }).Controllers[0].Intervals[0].Process.Name
	if leader == "kcm-2" {
		first, second = second, first
	}

	t.Run("a clean hand-over is a gap and no overlap", func(t *testing.T) {
		first.Stop(0)
		r := b.until("the other one", since, runs(second.Spec.Name))
		if r.Overlapping() || len(r.Blind) > 0 {
			t.Errorf("report %+v", r)
		}
		gaps := r.Controllers[0].Gaps
		if len(gaps) != 1 || gaps[0].Seconds < 3 || gaps[0].After == nil || gaps[0].After.Name != second.Spec.Name {
			t.Errorf("gaps %+v, wanted one of about a lease", gaps)
		}
		if len(r.Controllers[1].Intervals) != 0 {
			t.Errorf("the route controller counts as running: %+v", r.Controllers[1])
		}
	})

	t.Run("two managers", func(t *testing.T) {
		since := time.Now()
		ccm := b.start("ccm", "aws-cloud-controller-manager", "ccm-v1.28.1")
		b.until("both", since, runs(second.Spec.Name, "ccm"))
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
		}
		if _, err := b.client.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		r := b.until("both", since, func(observer.Controller) bool { return len(b.cloud.LoadBalancers()) > 0 })
		if !r.Overlapping() || !overlapOf(r.Controllers[0], second.Spec.Name, "ccm") || !overlapOf(r.Controllers[2], second.Spec.Name, "ccm") {
			t.Errorf("controllers %+v, wanted overlaps of service and cloud-node-lifecycle", r.Controllers)
		}
		if len(r.Unexplained) > 0 {
			t.Errorf("calls without a start line: %+v", r.Unexplained)
		}
		ccm.Stop(0)
	})

	third := b.kcm("kcm-3")
	t.Run("a frozen holder", func(t *testing.T) {
		since := time.Now()
		if err := second.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		r := b.until("the next holder", since, runs("kcm-3"))
		if !overlapOf(r.Controllers[0], second.Spec.Name, "kcm-3") {
			t.Errorf("overlaps %+v: a frozen process has not exited", r.Controllers[0].Overlaps)
		}
		second.Stop(0)
		ended := time.Now()
		if r := b.observe(ended); r.Overlapping() {
			t.Errorf("an overlap after the frozen one was killed: %+v", r.Controllers)
		}
	})

	t.Run("a deleted lease", func(t *testing.T) {
		since := time.Now()
		fourth := b.kcm("kcm-4")
		leases := b.client.CoordinationV1().Leases("kube-system")
		tick := time.NewTicker(700 * time.Millisecond) // out of step with the 1 s of the holder
		defer tick.Stop()
		for range 60 {
			<-tick.C
			if c := b.observe(since).Controllers[0]; overlapOf(c, "kcm-3", "kcm-4") {
				return
			}
			if !third.Running() || !fourth.Running() {
				break
			}
			_ = leases.Delete(t.Context(), "kube-controller-manager", metav1.DeleteOptions{}) // it may be gone already
		}
		c := b.observe(since).Controllers[0]
		if !overlapOf(c, "kcm-3", "kcm-4") {
			t.Errorf("history %+v, wanted an overlap of the old holder and the one that found no lease", c)
		}
	})
}
