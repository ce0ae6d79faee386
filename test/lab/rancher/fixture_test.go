package rancher

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// fakeMachines is an Infrastructure whose machines are agents that apply a plan at once, and
// Nodes on the downstream API server.
type fakeMachines struct {
	t          testing.TB
	mgmt, down kubernetes.Interface
	mu         sync.Mutex
	stop       map[string]context.CancelFunc
	terminated []string
	templates  map[string]map[string]any // of the machines' pools, by machine
	hold       map[string]bool           // agents that do nothing for now, by machine
	broken     map[string]bool           // agents that fail to apply, by machine
	applied    []string                  // machine and plan, in order
	sick       map[string]string         // machine to the probe that fails
}

func (f *fakeMachines) Provision(_ context.Context, m Machine) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop[m.Name] != nil {
		return nil
	}
	if f.templates == nil {
		f.templates = map[string]map[string]any{}
	}
	f.templates[m.Name] = m.Template
	ctx, cancel := context.WithCancel(f.t.Context())
	f.stop[m.Name] = cancel
	n := len(f.stop)
	go f.agent(ctx, m, n)
	return nil
}

func (f *fakeMachines) Terminate(_ context.Context, m Machine) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop[m.Name] != nil {
		f.stop[m.Name]()
	}
	f.terminated = append(f.terminated, m.Name)
	return nil
}

func (f *fakeMachines) agent(ctx context.Context, m Machine, n int) {
	_ = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		s, err := f.mgmt.CoreV1().Secrets(m.Namespace).Get(ctx, planSecretName(m.Name), metav1.GetOptions{})
		if err != nil || len(s.Data["plan"]) == 0 {
			return false, nil //nolint:nilerr // no plan exists yet
		}
		f.mu.Lock()
		hold, broken, sick := f.hold[m.Name], f.broken[m.Name], f.sick[m.Name]
		f.mu.Unlock()
		if hold {
			return false, nil
		}
		f.apply(ctx, m, n, s, broken, sick)
		return false, nil
	})
}

func (f *fakeMachines) apply(ctx context.Context, m Machine, n int, s *corev1.Secret, broken bool, sick string) {
	plan, sum := s.Data["plan"], checksum(s.Data["plan"])
	if broken {
		if string(s.Data["failed-checksum"]) != sum {
			s.Data["failed-checksum"], s.Data["failure-count"] = []byte(sum), []byte("1")
			_, _ = f.mgmt.CoreV1().Secrets(m.Namespace).Update(ctx, s, metav1.UpdateOptions{})
		}
		return
	}
	var p nodePlan
	if json.Unmarshal(plan, &p) != nil {
		return
	}
	statuses := map[string]map[string]any{}
	for name := range p.Probes {
		statuses[name] = map[string]any{"healthy": name != sick}
	}
	b, _ := json.Marshal(statuses)
	if string(s.Data["applied-checksum"]) == sum && string(s.Data["probe-statuses"]) == string(b) {
		return
	}
	first := string(s.Data["applied-checksum"]) != sum
	s.Data["appliedPlan"], s.Data["applied-checksum"], s.Data["probe-statuses"] = plan, []byte(sum), b
	delete(s.Data, "failed-checksum")
	s.Data["failure-count"] = []byte("0")
	f.node(ctx, m, n)
	if _, err := f.mgmt.CoreV1().Secrets(m.Namespace).Update(ctx, s, metav1.UpdateOptions{}); err == nil && first {
		f.mu.Lock()
		f.applied = append(f.applied, m.Name+" "+p.Instructions[len(p.Instructions)-1].Name)
		f.mu.Unlock()
	}
}

func (f *fakeMachines) node(ctx context.Context, m Machine, n int) {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node-" + m.Name, Labels: map[string]string{labelMachineUID: m.UID}},
		Spec:       corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///us-east-1a/i-%017d", n)},
	}
	made, err := f.down.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if err != nil {
		return
	}
	made.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	made.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.0.%d", n)}}
	made.Status.NodeInfo.KubeletVersion = "v1.26.15+rke2r1"
	_, _ = f.down.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{})
}

func (f *fakeMachines) set(which map[string]bool, machine string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	which[machine] = on
}

func (f *fakeMachines) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.applied...)
}

// fixture is a running stand-in on two real API servers.
type fixture struct {
	*Rancher
	t        testing.TB
	machines *fakeMachines
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	configs := testplane.Start(t, "mgmt", "downstream")
	mgmt, down := kubernetes.NewForConfigOrDie(configs[0]), kubernetes.NewForConfigOrDie(configs[1])
	f := &fakeMachines{t: t, mgmt: mgmt, down: down, stop: map[string]context.CancelFunc{}, hold: map[string]bool{}, broken: map[string]bool{}, sick: map[string]string{}}
	r, err := New(Config{
		Mgmt: configs[0], Downstream: configs[1], Infrastructure: f, Version: "v2.8.5", Token: testplane.Token,
		ProxyAddress: free4(t), WebhookAddress: free4(t), Poll: 100 * time.Millisecond, CopyDelay: 300 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return &fixture{Rancher: r, t: t, machines: f}
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

func free4(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// agentPod acts as scheduler, controllers and kubelet for the agent.
func (f *fixture) agentPod() {
	f.t.Helper()
	f.await("the agent's namespace", func(ctx context.Context) (string, bool) {
		_, err := f.down.CoreV1().ServiceAccounts(agentNamespace).Get(ctx, "cattle", metav1.GetOptions{})
		return fmt.Sprint(err), err == nil
	})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: agentName, Labels: map[string]string{"app": agentName}},
		Spec: corev1.PodSpec{ServiceAccountName: "cattle", NodeName: "node-any", Containers: []corev1.Container{{Name: "c", Image: agentImage}},
			AutomountServiceAccountToken: new(bool)},
	}
	made, err := f.down.CoreV1().Pods(agentNamespace).Create(f.t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	made.Status.Phase = corev1.PodRunning
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if _, err := f.down.CoreV1().Pods(agentNamespace).UpdateStatus(f.t.Context(), made, metav1.UpdateOptions{}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) create(text string) {
	f.t.Helper()
	o := &object{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		f.t.Fatal(err)
	}
	f.await("the Cluster to be created", func(ctx context.Context) (string, bool) {
		_, err := f.dyn.Resource(gvrCluster).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{})
		return fmt.Sprint(err), err == nil || apierrors.IsAlreadyExists(err)
	})
}

func (f *fixture) patch(json string) *object {
	f.t.Helper()
	o, err := f.dyn.Resource(gvrCluster).Namespace("fleet-default").Patch(f.t.Context(), "demo", types.MergePatchType, []byte(json), metav1.PatchOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	return o
}

// await polls until look succeeds, and fails with its last state.
func (f *fixture) await(what string, look func(context.Context) (string, bool)) {
	f.t.Helper()
	last := ""
	err := wait.PollUntilContextTimeout(f.t.Context(), 50*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		seen, ok := look(ctx)
		if ctx.Err() == nil {
			last = seen
		}
		return ok, nil
	})
	if err != nil {
		f.t.Fatalf("waiting for %s: %v; last seen: %s", what, err, last)
	}
}

func (f *fixture) controlPlane(ctx context.Context) *object {
	o, err := f.get(ctx, gvrControlPlane, "fleet-default", "demo")
	if err != nil || o == nil {
		return &object{Object: map[string]any{}}
	}
	return o
}

// isSettled reports whether a change is applied everywhere.
func isSettled(cp *object) (string, bool) {
	spec, _ := json.Marshal(cp.Object["spec"])
	applied, _ := json.Marshal(mapAt(cp, "status")["appliedSpec"])
	ready := conditionOf(cp, "Ready")
	seen := fmt.Sprintf("Ready %s %s, generation %d observed %d", ready.Status, ready.Message, cp.GetGeneration(), integer(cp, "status", "observedGeneration"))
	return seen, string(spec) == string(applied) && ready.Status == "True" && isTrue(cp, "Reconciled") &&
		integer(cp, "status", "observedGeneration") == cp.GetGeneration()
}

func (f *fixture) awaitSettled() {
	f.t.Helper()
	f.await("the cluster to settle", func(ctx context.Context) (string, bool) {
		c, err := f.get(ctx, gvrCluster, "fleet-default", "demo")
		if err != nil || c == nil {
			return fmt.Sprint(err), false
		}
		cp := f.controlPlane(ctx)
		if !equality.Semantic.DeepEqual(cp.Object["spec"], any(controlPlaneSpecOf(c, str(c, "status", "clusterName")))) {
			return "the copy is not there yet", false
		}
		return isSettled(cp)
	})
}

func (f *fixture) awaitWaiting(text string) {
	f.t.Helper()
	f.await("the planner to wait with "+text, func(ctx context.Context) (string, bool) {
		c := conditionOf(f.controlPlane(ctx), "Ready")
		return c.Status + " " + c.Message, c.Status == "Unknown" && c.Reason == "Waiting" && strings.Contains(c.Message, text)
	})
}

func (f *fixture) machineNames(role string) []string {
	f.t.Helper()
	l, err := f.list(f.t.Context(), gvrMachine, "fleet-default", role+"=true")
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for i := range l {
		out = append(out, l[i].GetName())
	}
	return out
}

// config returns the configuration in a machine's plan.
func (f *fixture) config(machine string) map[string]any {
	f.t.Helper()
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), planSecretName(machine), metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := readPlan(s)
	if err != nil || p == nil {
		f.t.Fatalf("plan of %s: %v", machine, err)
	}
	return configIn(f.t, p.Plan)
}

func configIn(t testing.TB, p nodePlan) map[string]any {
	t.Helper()
	for _, file := range p.Files {
		if file.Path == configPath {
			b, err := base64.StdEncoding.DecodeString(file.Content)
			out := map[string]any{}
			if err == nil {
				err = json.Unmarshal(b, &out)
			}
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	t.Fatal("the plan has no configuration file")
	return nil
}
