package node

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// staticPods runs a machine's static pods: each is a real process, except etcd, kube-proxy and
// RKE2's own cloud controller manager, for which only the pod exists.
type staticPods struct {
	a   *Agent
	ctx context.Context // of the machine's power: containers outlive the kubelet

	mu   sync.Mutex
	pods map[string]*staticPod // RKE2's, by component
	left map[string]*staticPod // of files in ManifestDir, by the pod's name
}

type staticPod struct {
	manifest *corev1.Pod
	seen     time.Time
	task     *task
	stop     func() // returns when the process is gone
}

func newStaticPods(ctx context.Context, a *Agent) *staticPods {
	return &staticPods{a: a, ctx: ctx, pods: map[string]*staticPod{}, left: map[string]*staticPod{}}
}

// apply changes the running components to those of r. Unchanged ones keep running, and are probed
// again by the kubelet, which is another one. Components wait for the machine's API server, as under RKE2.
func (s *staticPods) apply(ctx context.Context, r Rendering) error {
	wanted := map[string]*corev1.Pod{}
	for _, pod := range r.Static {
		wanted[pod.Component] = manifest(pod, r.Version, s.a.fs)
	}
	known := s.list()
	s.removeOthers(wanted)
	s.replace(Etcd, wanted[Etcd])
	s.replace(KubeAPIServer, wanted[KubeAPIServer])
	if wanted[KubeAPIServer] != nil && !s.waitReady(ctx, KubeAPIServer) {
		return ctx.Err()
	}
	for _, component := range []string{KubeControllerManager, KubeScheduler, CloudControllerManager, kubeProxy} {
		s.replace(component, wanted[component])
	}
	for _, pod := range s.list() {
		if slices.Contains(known, pod) {
			pod.task.probeAgain()
		}
	}
	return nil
}

func (s *staticPods) removeOthers(wanted map[string]*corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for component, old := range s.pods {
		if wanted[component] == nil {
			s.a.logf("%s: no longer configured, stopping", component)
			old.stop()
			delete(s.pods, component)
		}
	}
}

// replace applies a component's new manifest if it changed: the old process stops, and the new
// one starts after the configured downtime.
func (s *staticPods) replace(component string, pod *corev1.Pod) {
	if pod == nil || s.ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.pods[component]
	if old != nil && sameManifest(old.manifest, pod) {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	started := &staticPod{manifest: pod, seen: s.a.c.Clock.Now(), task: s.task(component, pod)}
	started.stop = func() { cancel(); <-done }
	inPlace := old != nil && old.manifest.UID == pod.UID
	if inPlace {
		started.seen = old.seen // the kubelet takes it for the previous pod
	}
	s.pods[component] = started
	go func() {
		defer close(done)
		if old != nil {
			s.a.logf("%s: manifest changed (%s → %s), stopping", component, old.manifest.UID, pod.UID)
			s.end(old)
			started.task.delay = s.a.down(component)
		}
		if inPlace {
			started.task.follow(old.task.snapshot())
		}
		s.a.logf("%s: starting, manifest %s", component, pod.UID)
		started.task.run(ctx)
	}()
}

// task runs a static pod's component. Its termination message is empty: RKE2 sets no
// terminationMessagePolicy (rancher/rke2:pkg/staticpod/staticpod.go), so only the log has a
// crashed component's last output.
func (s *staticPods) task(component string, pod *corev1.Pod) *task {
	t := &task{
		clock: s.a.c.Clock, policy: corev1.RestartPolicyAlways, backOff: s.a.c.Timing.BackOff, relist: s.a.c.Timing.Relist, grace: s.a.c.Timing.Grace,
		onChange: s.a.changed, tail: func() string { return "" }, kubelet: &s.a.kubeletRuns, again: make(chan struct{}, 1),
	}
	if component == Etcd || component == CloudControllerManager || component == kubeProxy {
		t.start = func(int) (process, error) { return newPause(), nil }
		t.probes.startup = &probe{check: func(context.Context) error { return nil }, period: time.Second, timeout: time.Second, failureLimit: 1}
		return t
	}
	log := filepath.Join(s.a.dir, "log", component+".log")
	t.start = func(int) (process, error) {
		return s.a.startComponent(component, imageVersion(pod.Spec.Containers[0].Image), pod.Spec.Containers[0].Args, log)
	}
	t.probes = s.a.staticProbes(component)
	return t
}

func (a *Agent) startComponent(component, version string, given []string, log string) (process, error) {
	name := a.processName(component)
	l := a.local()
	if err := refusedProvider(component, version, given); err != nil {
		return nil, &startError{"Error", err}
	}
	if component == KubeControllerManager {
		config, _ := lastFlag(given, "cloud-config")
		provider, _ := lastFlag(given, "cloud-provider")
		if provider == "aws" {
			file, err := a.cloudConfig(name, a.machinePath(config))
			if err != nil {
				return nil, err
			}
			l.CloudConfig = file
		}
	}
	args, env := localize(component, given, l)
	return a.startProcess(proc.Spec{
		Name: name, Kind: component, Node: a.c.Name, Hostname: a.c.OSHostname, Log: log,
		Path: filepath.Join(a.c.Binaries, component), Arg0: component, Args: args, Env: append(env, versionVariable+"="+version),
	})
}

// cloudConfig writes the merged cloud config for one process start. given may be empty. A named
// file that is missing stays missing, as the component would find it.
func (a *Agent) cloudConfig(process, given string) (string, error) {
	content := ""
	if given != "" {
		raw, err := os.ReadFile(given)
		if err != nil {
			return given, nil //nolint:nilerr // the component reports it
		}
		content = string(raw)
	}
	file := filepath.Join(a.dir, "cloud-config", process)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("writing the cloud config of %s: %w", process, err)
	}
	merged := withEndpoint(content, a.c.Region(), a.c.AWSEndpoint(process))
	if err := os.WriteFile(file, []byte(merged), 0o600); err != nil {
		return "", fmt.Errorf("writing the cloud config of %s: %w", process, err)
	}
	return file, nil
}

func (s *staticPods) waitReady(ctx context.Context, component string) bool {
	for {
		if pod := s.get(component); pod != nil && pod.task.snapshot().Ready {
			return true
		}
		if !wait(ctx, s.a.c.Clock, 200*time.Millisecond) {
			return false
		}
	}
}

// get returns a component of RKE2, or the left pod of that name.
func (s *staticPods) get(component string) *staticPod {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pod := s.pods[component]; pod != nil {
		return pod
	}
	return s.left[component]
}

func (s *staticPods) list() []*staticPod {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*staticPod, 0, len(s.pods))
	for _, component := range []string{Etcd, KubeAPIServer, KubeControllerManager, KubeScheduler, CloudControllerManager, kubeProxy} {
		if pod := s.pods[component]; pod != nil {
			out = append(out, pod)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.left)) {
		out = append(out, s.left[name])
	}
	return out
}

// stopAll returns when every process is gone.
func (s *staticPods) stopAll() {
	for _, pod := range s.list() {
		pod.stop()
	}
}
