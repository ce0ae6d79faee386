package rke

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// fixture is a cluster of four machines that only record calls: no process runs, kubelets do
// not relabel their Nodes, and every component is healthy at once.
type fixture struct {
	t      *testing.T
	file   string
	kube   *fake.Clientset
	engine *Engine

	mu      sync.Mutex
	events  []string
	hosts   map[string]*fakeHost
	off     map[string]bool
	stopAt  string // the event at which rke is killed
	kill    context.CancelFunc
	watched func(event string)
}

func newFixture(t *testing.T, provider string) *fixture {
	t.Helper()
	f := &fixture{t: t, file: filepath.Join(t.TempDir(), "cluster.yml"), kube: fake.NewClientset(), hosts: map[string]*fakeHost{}, off: map[string]bool{}}
	for i, name := range []string{"cp-0", "cp-1", "worker-0", "worker-1"} {
		address, internal := fmt.Sprintf("127.2.1.%d", 10+i), fmt.Sprintf("10.0.0.%d", 4+i)
		f.hosts[address] = &fakeHost{f: f, name: name, containers: map[string]docker.Container{}}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: address}}}
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: internal}}
		if err := f.kube.Tracker().Add(node); err != nil {
			t.Fatal(err)
		}
	}
	f.kube.PrependReactor("update", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		n := a.(clienttesting.UpdateAction).GetObject().(*corev1.Node)
		old, err := f.kube.Tracker().Get(a.GetResource(), "", n.Name)
		if err == nil && old.(*corev1.Node).Spec.Unschedulable != n.Spec.Unschedulable {
			f.note(map[bool]string{true: "cordon ", false: "uncordon "}[n.Spec.Unschedulable] + n.Name)
		}
		return false, nil, nil
	})
	f.engine = &Engine{
		Release: "v1.5.10", ClusterFile: f.file, Retry: time.Millisecond, Clock: clock.RealClock{}, Log: &Log{Out: io.Discard, Now: time.Now},
		Kube:   func() (kubernetes.Interface, error) { return f.kube, nil },
		Bundle: func() (map[string]Certificate, error) { return map[string]Certificate{certCA: {Name: certCA}}, nil },
		Dial: func(n Node) (docker.Host, error) {
			return f.hosts[n.Address], nil
		},
	}
	if err := f.up(sample(t, "v1.26.9-rancher1-1", provider)); err != nil {
		t.Fatal(err)
	}
	f.events = nil
	return f
}

// up runs `rke up` once.
func (f *fixture) up(c Config) error {
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	f.kill = cancel
	if err := f.engine.Init(c); err != nil {
		return err
	}
	return f.engine.Up(ctx)
}

func (f *fixture) note(event string) {
	f.mu.Lock()
	f.events = append(f.events, event)
	watched, kill := f.watched, event == f.stopAt
	f.mu.Unlock()
	if watched != nil {
		watched(event)
	}
	if kill {
		f.kill()
	}
}

// saw returns the events that contain one of the words.
func (f *fixture) saw(words ...string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, event := range f.events {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(event, w) }) {
			out = append(out, event)
		}
	}
	return out
}

func (f *fixture) state() *FullState {
	f.t.Helper()
	s, err := readState(f.file)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func (f *fixture) node(name string, change func(*corev1.Node)) {
	f.t.Helper()
	n, err := f.kube.CoreV1().Nodes().Get(f.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	change(n)
	if err := f.kube.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), n, ""); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) noCordons() {
	f.t.Helper()
	nodes, err := f.kube.CoreV1().Nodes().List(f.t.Context(), metav1.ListOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, n := range nodes.Items {
		if n.Spec.Unschedulable {
			f.t.Errorf("%s stays cordoned", n.Name)
		}
	}
}

// fakeHost is one of the machines.
type fakeHost struct {
	f    *fixture
	name string

	mu         sync.Mutex
	containers map[string]docker.Container
}

func (h *fakeHost) do(ctx context.Context, event string, change func() error) error {
	if err := ctx.Err(); err != nil {
		return err // a killed rke sends no request
	}
	if h.f.off[h.name] {
		return docker.ErrUnreachable
	}
	h.mu.Lock()
	err := change()
	h.mu.Unlock()
	if err == nil && event != "" {
		h.f.note(h.name + ": " + event)
	}
	return err
}

func (h *fakeHost) Ping(ctx context.Context) error { return h.do(ctx, "", func() error { return nil }) }

func (h *fakeHost) Inspect(ctx context.Context, name string) (docker.Container, error) {
	var out docker.Container
	return out, h.do(ctx, "", func() error {
		var ok bool
		if out, ok = h.containers[name]; !ok {
			return docker.ErrNotFound
		}
		return nil
	})
}

func (h *fakeHost) Create(ctx context.Context, name string, spec docker.Spec) error {
	return h.do(ctx, "create "+name, func() error {
		h.containers[name] = docker.Container{Spec: spec}
		return nil
	})
}

func (h *fakeHost) running(ctx context.Context, what, name string, running bool) error {
	return h.do(ctx, what+" "+name, func() error {
		c, ok := h.containers[name]
		if !ok {
			return docker.ErrNotFound
		}
		c.Running = running
		h.containers[name] = c
		return nil
	})
}

func (h *fakeHost) Start(ctx context.Context, name string) error {
	return h.running(ctx, "start", name, true)
}
func (h *fakeHost) Stop(ctx context.Context, name string) error {
	return h.running(ctx, "stop", name, false)
}

func (h *fakeHost) Rename(ctx context.Context, name, to string) error {
	return h.do(ctx, "rename "+name, func() error {
		if _, taken := h.containers[to]; taken {
			return os.ErrExist
		}
		h.containers[to] = h.containers[name]
		delete(h.containers, name)
		return nil
	})
}

func (h *fakeHost) Remove(ctx context.Context, name string) error {
	return h.do(ctx, "remove "+name, func() error {
		delete(h.containers, name)
		return nil
	})
}

func (h *fakeHost) WriteFile(ctx context.Context, path string, _ []byte) error {
	return h.do(ctx, "write "+path, func() error { return nil })
}

func (h *fakeHost) Healthy(ctx context.Context, _ string) error {
	return h.do(ctx, "", func() error { return nil })
}
