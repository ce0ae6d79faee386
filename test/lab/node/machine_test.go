package node

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// machine is one all-role machine on real components: its own etcd, a management cluster with
// only a machine-plan Secret, and a fake AWS.
type machine struct {
	*Agent
	t    *testing.T
	aws  *fakeAWS
	mgmt kubernetes.Interface
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == proc.ShimCommand {
		fmt.Fprintln(os.Stderr, proc.RunShim(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	binaries, err := component.Dir()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sup, err := proc.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	ip := fmt.Sprintf("127.252.%d.%d", os.Getpid()%250+2, os.Getpid()/250%250+2)
	startEtcd(t, sup, binaries, dir, ip)
	mgmt := testplane.Start(t, "mgmt")[0]

	instance := Instance{ID: "i-0123456789abcdef0", Zone: "us-east-1a", PrivateIP: "10.0.1.10", PrivateDNSName: "ip-10-0-1-10.ec2.internal"}
	m := &machine{t: t, aws: newFakeAWS(t, instance)}
	ca, err := pki.NewCA("lab")
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := pki.ServiceAccountKey()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "agent.log"))
	if err != nil {
		t.Fatal(err)
	}
	m.Agent, err = New(Config{
		Facts: Facts{
			Name: "demo-cp-0", MachineUID: "uid-1", InstanceID: instance.ID, IP: ip, PrivateIP: instance.PrivateIP, Zone: instance.Zone,
			OSHostname: "demo-cp-0", HostnameFQDN: "demo-cp-0.local", PrivateDNSName: instance.PrivateDNSName, IMDSURL: m.aws.URL,
			Roles: Roles{ControlPlane: true, Etcd: true, Worker: true},
		},
		Dir: dir, Supervisor: sup, Binaries: binaries, Mgmt: mgmt, CA: ca, ServiceAccountKey: key,
		EtcdServers: "http://" + ip + ":2379", BalancedAddress: ip + ":6443", AWSEndpoint: m.aws.endpoint, Log: log,
		Timing: Timing{APIServerDown: time.Second, ComponentDown: 500 * time.Millisecond, Heartbeat: time.Second, BackOff: time.Second,
			Leases: LeaseTiming{Duration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: time.Second}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.mgmt, err = kubernetes.NewForConfig(mgmt); err != nil {
		t.Fatal(err)
	}
	m.run(sup, dir)
	return m
}

func startEtcd(t *testing.T, sup *proc.Supervisor, binaries, dir, ip string) {
	t.Helper()
	etcd := component.Etcd{Binaries: binaries, Name: "etcd", DataDir: filepath.Join(dir, "etcd"), Log: filepath.Join(dir, "etcd.log"),
		Address: ip, ClientPort: 2379, PeerPort: 2380}
	if _, err := sup.Start(etcd.Spec()); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) run(sup *proc.Supervisor, dir string) {
	ctx, cancel := context.WithCancel(m.t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	m.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			m.t.Errorf("the agent: %v", err)
		}
		if err := sup.Close(); err != nil {
			m.t.Errorf("the supervisor: %v", err)
		}
		if m.t.Failed() {
			m.dump(dir)
		}
	})
}

func (m *machine) dump(dir string) {
	logs, _ := filepath.Glob(filepath.Join(dir, "nodes", "*", "log", "*.log")) // the pattern is well-formed
	for _, log := range append(logs, filepath.Join(dir, "agent.log")) {
		raw, err := os.ReadFile(log)
		if err != nil {
			m.t.Log(err)
			continue
		}
		m.t.Logf("==> %s\n%s", log, raw[max(0, len(raw)-6000):])
	}
}

// plan writes a plan with that RKE2 configuration and addons.
func (m *machine) plan(rke2 map[string]any, addons string) {
	m.t.Helper()
	raw, err := json.Marshal(rke2)
	if err != nil {
		m.t.Fatal(err)
	}
	b64 := base64.StdEncoding.EncodeToString
	local := func(port, path string) planProbe {
		return planProbe{FailureThreshold: 2, SuccessThreshold: 1, HTTPGet: planHTTPGet{URL: "https://127.0.0.1:" + port + path, Insecure: true,
			ClientCert: tlsFile("client-kube-apiserver.crt"), ClientKey: tlsFile("client-kube-apiserver.key")}}
	}
	p, err := json.Marshal(plan{
		Files: []planFile{
			{Path: "/etc/rancher/rke2/config.yaml.d/50-rancher.yaml", Content: b64(raw)},
			{Path: addonsFile, Content: b64([]byte(addons)), Dynamic: true},
		},
		Instructions: []planInstruction{{Name: "install", Env: []string{"RESTART_STAMP=" + planChecksum(raw)}}},
		Probes: map[string]planProbe{
			KubeAPIServer: local("6443", "/readyz"), KubeControllerManager: local("10257", "/healthz"),
			KubeScheduler: local("10259", "/healthz"), Kubelet: {HTTPGet: planHTTPGet{URL: "http://127.0.0.1:10248/healthz"}},
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.post(p)
}

func (m *machine) post(plan []byte) {
	m.t.Helper()
	ctx, secrets := m.t.Context(), m.mgmt.CoreV1().Secrets("fleet-default")
	for {
		old, err := secrets.Get(ctx, "demo-cp-0-machine-plan", metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			_, err = m.mgmt.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "fleet-default"}}, metav1.CreateOptions{})
			if err == nil {
				_, err = secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "demo-cp-0-machine-plan"}, Type: "rke.cattle.io/machine-plan",
					Data: map[string][]byte{keyPlan: plan}}, metav1.CreateOptions{})
			}
		case err == nil:
			old.Data[keyPlan] = plan
			_, err = secrets.Update(ctx, old, metav1.UpdateOptions{})
		}
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			m.t.Fatal(err)
		}
	}
}

// hangTimeout ends a test that hangs. The speed of a machine is no property of the lab.
const hangTimeout = 5 * time.Minute

// eventually polls until check returns nil.
func (m *machine) eventually(what string, check func(ctx context.Context) error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), hangTimeout)
	defer cancel()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	var last error
	for {
		if err := check(ctx); err == nil {
			return
		} else if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			m.t.Fatalf("%s, not within %s: %v", what, hangTimeout, last)
		case <-ticker.C:
		}
	}
}

func (m *machine) node(ctx context.Context, name string) (*corev1.Node, error) {
	return m.admin.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
}

func (m *machine) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	return m.admin.CoreV1().Pods("kube-system").Get(ctx, name, metav1.GetOptions{})
}

func podReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func freeAddress(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
