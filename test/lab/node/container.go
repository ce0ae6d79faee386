package node

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

func itoa(n int) string { return strconv.Itoa(n) }

// task returns one container of the pod as a task.
func (w *podWorker) task(ctx context.Context, container corev1.Container, v *podVolumes) *task {
	a := w.m.a
	log := filepath.Join(a.dir, "log", w.pod.Namespace+"_"+w.pod.Name+"_"+container.Name+".log")
	message := filepath.Join(w.dir, container.Name+".termination-log")
	var from int64
	t := &task{
		clock: a.c.Clock, policy: w.pod.Spec.RestartPolicy, backOff: a.c.Timing.BackOff, relist: a.c.Timing.Relist, grace: podGrace(w.pod),
		probes: a.podProbes(container, w.pod), onChange: a.changed, kubelet: &a.kubeletRuns,
		again: make(chan struct{}, 1), events: w.events(container),
	}
	t.start = func(int) (process, error) {
		from = fileSize(log)
		if err := os.WriteFile(message, nil, 0o600); err != nil {
			return nil, err
		}
		return w.startContainer(ctx, container, v, log, message)
	}
	t.tail = func() string {
		if raw, err := os.ReadFile(message); err == nil && len(raw) > 0 {
			return string(raw)
		}
		if container.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
			return logTail(log, from)
		}
		return ""
	}
	return t
}

func podGrace(pod *corev1.Pod) time.Duration {
	if pod.Spec.TerminationGracePeriodSeconds == nil {
		return 30 * time.Second
	}
	return time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
}

func (w *podWorker) startContainer(ctx context.Context, container corev1.Container, v *podVolumes, log, message string) (process, error) {
	a := w.m.a
	if len(w.pod.Spec.InitContainers) > 0 {
		return nil, &startError{"CreateContainerError", fmt.Errorf("pod %s has init containers, which the lab leaves out", w.pod.Name)}
	}
	image, err := imageProgram(container.Image, a.c)
	if err != nil {
		return nil, err
	}
	env, err := w.environment(ctx, container)
	if err != nil {
		return nil, &startError{"CreateContainerConfigError", err}
	}
	if image.pause {
		return newPause(), nil
	}
	root, err := v.mount(container)
	if err != nil {
		return nil, &startError{"CreateContainerError", err}
	}
	command, err := entrypoint(container, image)
	if err != nil {
		return nil, &startError{"RunContainerError", err}
	}
	name := a.processName(w.pod.Name + "." + container.Name)
	given := root.arguments(expandAll(append(command, container.Args...), env))
	args, added, err := a.podArguments(image, name, given, w.pod, v)
	if err != nil {
		return nil, err
	}
	added = append(added, "LAB_VOLUMES="+root.dir, "LAB_TERMINATION_LOG="+message)
	if v.kubeconfig != "" && image.kind != awsCCM {
		added = append(added, "KUBECONFIG="+v.kubeconfig)
	}
	hostname := w.pod.Name
	if w.pod.Spec.HostNetwork {
		hostname = a.c.OSHostname
	}
	return a.startProcess(proc.Spec{
		Name: name, Kind: image.kind, Node: a.c.Name, Hostname: hostname, Log: log,
		Path: image.path, Arg0: image.arg0, Args: append(image.prefix, args...), Env: append(added, env.list()...),
	})
}

// podArguments adds the lab's additions to a pod's process.
func (a *Agent) podArguments(image program, name string, given []string, pod *corev1.Pod, v *podVolumes) (args, env []string, err error) {
	l := a.local()
	l.Kubeconfig = v.kubeconfig
	if !pod.Spec.HostNetwork && a.c.PodIMDSURL != "" {
		l.IMDSURL = a.c.PodIMDSURL
	}
	if image.webhooks {
		l.WebhookIP = a.c.IP
	}
	if image.kind == awsCCM {
		config, _ := lastFlag(given, "cloud-config")
		if l.CloudConfig, err = a.cloudConfig(name, config); err != nil {
			return nil, nil, err
		}
	}
	args, env = localize(image.kind, given, l)
	return args, env, nil
}

// entrypoint checks a container's command against the only program of its image, and returns
// the arguments.
func entrypoint(container corev1.Container, image program) ([]string, error) {
	if len(container.Command) == 0 {
		return nil, nil
	}
	if base := path.Base(container.Command[0]); base != image.kind && base != image.arg0 && base != "entry" {
		return nil, fmt.Errorf("exec: %q: executable file not found in $PATH", container.Command[0])
	}
	return container.Command[1:], nil
}

// podProbes converts a container's probes into ones for the machine's address.
func (a *Agent) podProbes(container corev1.Container, pod *corev1.Pod) probes {
	convert := func(p *corev1.Probe) *probe {
		if p == nil {
			return nil
		}
		check := a.podCheck(p, container)
		return &probe{
			check: check, delay: seconds(p.InitialDelaySeconds, 0), period: seconds(p.PeriodSeconds, 10),
			timeout:      seconds(p.TimeoutSeconds, 1),
			failureLimit: int(max(p.FailureThreshold, 1)), successGoal: int(max(p.SuccessThreshold, 1)),
		}
	}
	return probes{startup: convert(container.StartupProbe), readiness: convert(container.ReadinessProbe), liveness: convert(container.LivenessProbe)}
}

func seconds(n, fallback int32) time.Duration {
	if n == 0 {
		n = fallback
	}
	return time.Duration(n) * time.Second
}

// podCheck returns the check of an httpGet probe. Other kinds of probes always pass.
func (a *Agent) podCheck(p *corev1.Probe, container corev1.Container) func(context.Context) error {
	if p.HTTPGet == nil {
		return func(context.Context) error { return nil }
	}
	port := p.HTTPGet.Port.String()
	for _, named := range container.Ports {
		if named.Name == port {
			port = itoa(int(named.ContainerPort))
		}
	}
	scheme := strings.ToLower(string(p.HTTPGet.Scheme))
	if scheme == "" {
		scheme = "http"
	}
	headers := map[string][]string{}
	for _, header := range p.HTTPGet.HTTPHeaders {
		headers[header.Name] = append(headers[header.Name], header.Value)
	}
	return httpCheck(scheme+"://"+a.c.IP+":"+port+"/"+strings.TrimPrefix(p.HTTPGet.Path, "/"), headers, nil)
}
