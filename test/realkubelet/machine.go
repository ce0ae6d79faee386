package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/record/watch"
)

// logsVariable names a folder that keeps the logs.
const logsVariable = "AWSMIGRATE_REAL_KUBELET_LOGS"

// Machine is a Node with a real kubelet, and its cluster.
type Machine struct {
	Server *apiserver.Server
	Client kubernetes.Interface
	Truth  *Truth
	Shown  *Shown

	kubelet    *program
	containerd *containerd
}

// New starts the machine and waits until its Node is Ready. The process must be isolated.
func New(tb testing.TB) *Machine {
	tb.Helper()
	logs := os.Getenv(logsVariable)
	if logs == "" {
		logs = tb.TempDir()
	}
	m := &Machine{Server: apiserver.New(tb, apiserver.Options{}), Truth: &Truth{}, Shown: &Shown{}}
	if err := m.boot(tb, logs); err != nil {
		tb.Fatalf("starting a Node with a real kubelet: %v; %s=FOLDER keeps its logs", err, logsVariable)
	}
	return m
}

func (m *Machine) boot(tb testing.TB, logs string) (err error) {
	ctx := tb.Context()
	if err := errors.Join(os.MkdirAll(beatsDir, 0o777), os.MkdirAll(logs, 0o755)); err != nil {
		return fmt.Errorf("make the machine's folders: %w", err)
	}
	if m.Client, err = kubernetes.NewForConfig(m.Server.Config()); err != nil {
		return fmt.Errorf("make a client of %s: %w", m.Server.Config().Host, err)
	}
	image, err := buildImage(ctx, tb.TempDir())
	if err != nil {
		return err
	}
	if m.containerd, err = newContainerd(image, logs); err != nil {
		return err
	}
	tb.Cleanup(m.containerd.stop)
	if err := m.containerd.up(ctx); err != nil {
		return err
	}
	kubeconfig := m.Server.Kubeconfig(tb)
	if m.kubelet, err = newKubelet(kubeconfig, logs); err != nil {
		return err
	}
	tb.Cleanup(m.kubelet.stop)
	controllers, err := startNodeLifecycle(kubeconfig, logs)
	if err != nil {
		return err
	}
	tb.Cleanup(controllers.stop)
	go m.Truth.Watch(ctx)
	m.record(tb)
	if err := m.kubelet.start(); err != nil {
		return err
	}
	return m.NodeReady(ctx)
}

// record starts the product's recorder on the API.
func (m *Machine) record(tb testing.TB) {
	recorder := watch.Recorder{Config: m.Server.Config(), Clock: clock.RealClock{}, Sink: m.Shown, Timeout: 5 * time.Second}
	go func() {
		if err := recorder.Run(tb.Context()); err != nil && tb.Context().Err() == nil {
			tb.Errorf("recording: %v", err)
		}
	}()
}

// startNodeLifecycle starts the controller that marks the Node of a silent kubelet, and its pods,
// as not Ready.
func startNodeLifecycle(kubeconfig, logs string) (*program, error) {
	path, err := binary("kube-controller-manager")
	if err != nil {
		return nil, err
	}
	p := &program{path: path, log: filepath.Join(logs, "nodelifecycle.log"), args: []string{
		"--kubeconfig=" + kubeconfig, "--controllers=nodelifecycle", "--leader-elect=false", "--secure-port=0",
	}}
	return p, p.start()
}

// nodeReady reports whether the Node is Ready and accepts pods.
func (m *Machine) nodeReady(ctx context.Context) (bool, error) {
	node, err := m.Client.CoreV1().Nodes().Get(ctx, NodeName, metav1.GetOptions{})
	if err != nil {
		return false, fmt.Errorf("read Node %s: %w", NodeName, err)
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0, fmt.Errorf("is %s: %s; taints %v", c.Status, c.Message, node.Spec.Taints)
		}
	}
	return false, errors.New("it has no condition yet")
}

// Renewal returns the kubelet's last renewal of its Node's lease, by the kubelet's clock.
func (m *Machine) Renewal(ctx context.Context) (time.Time, error) {
	lease, err := m.Client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, NodeName, metav1.GetOptions{})
	if err != nil {
		return time.Time{}, fmt.Errorf("read the lease of Node %s: %w", NodeName, err)
	}
	if lease.Spec.RenewTime == nil {
		return time.Time{}, nil
	}
	return lease.Spec.RenewTime.Time, nil
}
