package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/test/fleet"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

// office is a Rancher on a real API server with simulated clusters, and awsmigrate's kinds.
type office struct {
	*fleet.Fleet
	kube       kubernetes.Interface
	dyn        dynamic.Interface
	clock      fleet.Fast
	kubeconfig string
	migrations generated.ClusterMigrationClient
	rollouts   generated.MigrationRolloutClient
}

// times is the speed of most tests' time, relative to that of the machine.
const times = 10

// newOffice starts the API server of a Rancher whose time has a speed.
func newOffice(t testing.TB, times int) *office {
	t.Helper()
	server := apiserver.New(t, apiserver.Options{})
	config := server.Config()
	config.QPS = -1
	o := &office{kube: kubernetes.NewForConfigOrDie(config), dyn: dynamic.NewForConfigOrDie(config), clock: fleet.Fast{Start: time.Now(), Times: times}, kubeconfig: server.Kubeconfig(t)}
	installRancher(t, config)
	files, err := filepath.Glob("../../charts/awsmigrate-crd/templates/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, file := range files {
		o.define(t, file)
	}
	factory, err := awsmigrate.NewFactoryFromConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	o.migrations, o.rollouts = factory.Awsmigrate().V1alpha1().ClusterMigration(), factory.Awsmigrate().V1alpha1().MigrationRollout()
	if o.Fleet, err = fleet.New(config, o.clock); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) define(t testing.TB, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := o.dyn.Resource(definitions).Create(t.Context(), &unstructured.Unstructured{Object: crd}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// installRancher makes the kinds and settings of a Rancher, without its controllers.
func installRancher(t testing.TB, config *rest.Config) {
	t.Helper()
	r, err := rancher.New(rancher.Config{Mgmt: config, Downstream: config, Infrastructure: none{}, Version: "v2.8.5"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// none is an infrastructure without machines.
type none struct{}

func (none) Provision(context.Context, rancher.Machine) error { return nil }
func (none) Terminate(context.Context, rancher.Machine) error { return nil }

// open makes the objects of all clusters, and carries them on until the test ends.
func (o *office) open(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- o.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-over:
		over <- nil
		t.Fatal(err)
	}
}

// pod is a controller in a process of its own.
type pod struct {
	*exec.Cmd

	log  string
	peak int64 // of its memory in bytes, at its end
	ends sync.Once
}

// end stops the controller with a signal, and waits for its end.
func (p *pod) end(signal syscall.Signal) {
	p.ends.Do(func() {
		p.peak = peakOf(strconv.Itoa(p.Process.Pid))
		_ = p.Process.Signal(signal)
		_ = p.Wait()
	})
}

// kill kills the controller at a later call, and waits for its end.
func (p *pod) kill(t testing.TB) {
	t.Helper()
	p.end(syscall.SIGUSR1)
	if status, is := p.ProcessState.Sys().(syscall.WaitStatus); !is || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the controller ended with %s", p.ProcessState)
	}
}

func (o *office) start(t testing.TB, spec podSpec) *pod {
	t.Helper()
	spec.Start, spec.Times = o.clock.Start, o.clock.Times
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	p := &pod{Cmd: exec.CommandContext(t.Context(), os.Args[0]), log: log.Name()}
	p.Env = append(os.Environ(), "KUBECONFIG="+o.kubeconfig, asController+"="+string(text))
	p.Stderr, p.Stdout = log, log
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.end(syscall.SIGTERM)
		use := p.ProcessState
		t.Logf("%s: %s of CPU, %d MB at most", spec.Name, use.UserTime()+use.SystemTime(), p.peak>>20)
		if t.Failed() {
			text, _ := os.ReadFile(p.log)
			t.Logf("%s ended with %s; the end of its log:\n%s", spec.Name, p.ProcessState, text[max(0, len(text)-20000):])
		}
	})
	return p
}

// awsmigrate runs a command. It returns its output, its exit code and the peak of its memory in bytes.
func (o *office) awsmigrate(t testing.TB, args ...string) (out string, code int, peak int64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peak")
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "--kubeconfig", o.kubeconfig)...)
	cmd.Env = append(os.Environ(), asCommand+"="+file)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	code = cmd.ProcessState.ExitCode()
	t.Logf("awsmigrate %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout.String(), stderr.String())
	if text, err := os.ReadFile(file); err == nil {
		_, _ = fmt.Sscan(string(text), &peak)
	}
	return stdout.String(), code, peak
}

// must runs a command that succeeds.
func (o *office) must(t testing.TB, args ...string) string {
	t.Helper()
	out, code, _ := o.awsmigrate(t, args...)
	if code != 0 {
		t.Fatalf("awsmigrate %s: exit %d", strings.Join(args, " "), code)
	}
	return out
}

// rollout returns the rollout.
func (o *office) rollout(t testing.TB) *v1alpha1.MigrationRollout {
	t.Helper()
	r, err := o.rollouts.Get(fleet.Namespace, "eu", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// waitFor waits until the rollout fits.
func (o *office) waitFor(t testing.TB, what string, limit time.Duration, fits func(*v1alpha1.MigrationRollout) bool) {
	t.Helper()
	began := time.Now()
	for last := ""; time.Since(began) < limit; time.Sleep(100 * time.Millisecond) {
		r := o.rollout(t)
		if now := fmt.Sprintf("%s: %s; %+v", r.Status.Display.State, r.Status.Display.Message, r.Status.Counts); now != last {
			last = now
			t.Log(time.Since(o.clock.Start).Round(time.Second/10), now)
		}
		if fits(r) {
			return
		}
	}
	t.Fatalf("after %s the rollout does not show %s", limit, what)
}

func inState(s status.State) func(*v1alpha1.MigrationRollout) bool {
	return func(r *v1alpha1.MigrationRollout) bool {
		return status.StateOf(r.Status.Display.State) == s && r.Status.ObservedGeneration == r.Generation
	}
}

// waitForLog waits until the log has a text.
func (p *pod) waitForLog(t testing.TB, text string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		log, err := os.ReadFile(p.log)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(log, []byte(text)) {
			return
		}
	}
	t.Fatalf("the controller does not log %s", text)
}
