package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StopInstance switches a machine off, or on again, at AWS.
func (l *Lab) StopInstance(ctx context.Context, machine string, on bool) error {
	if on {
		return l.Lab(ctx, "stop-instance", machine, "--state", "running")
	}
	return l.Lab(ctx, "stop-instance", machine)
}

// RunRancher stops or starts Rancher.
func (l *Lab) RunRancher(ctx context.Context, on bool) error {
	if on {
		return l.Lab(ctx, "rancher", "running")
	}
	return l.Lab(ctx, "rancher", "stopped")
}

// LeftManager is the static pod of an old kube-controller-manager, left on a machine by mistake.
// It has other labels, runs the in-tree cloud controllers, and waits for no lease.
type LeftManager struct {
	lab     *Lab
	Machine string
	Pod     string // its mirror pod, as namespace/name
	file    string
}

const leftName = "old-manager"

// LeaveManager leaves such a pod on the machine of a control-plane Node, made from its current
// manifest, and waits until it runs.
func (l *Lab) LeaveManager(ctx context.Context, node string) (*LeftManager, error) {
	pods := l.Downstream.CoreV1().Pods("kube-system")
	own, err := pods.Get(ctx, KubeControllerManager+"-"+node, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	machine, err := l.machineOf(ctx, node)
	if err != nil {
		return nil, err
	}
	container := own.Spec.Containers[0]
	args := slices.DeleteFunc(slices.Clone(container.Args), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(name, "leader-elect") || slices.Contains([]string{"cloud-provider", "enable-leader-migration", "secure-port"}, name)
	})
	manifest := corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: leftName, Labels: map[string]string{"app": "old"}},
		Spec: corev1.PodSpec{HostNetwork: true, Containers: []corev1.Container{{Name: "manager", Image: container.Image, Command: container.Command,
			Args: append(args, "--cloud-provider=aws", "--leader-elect=false", "--secure-port=10357")}}}}
	raw, err := json.Marshal(manifest)
	if err != nil {
		return nil, err
	}
	m := &LeftManager{lab: l, Machine: machine, Pod: "kube-system/" + leftName + "-" + node,
		file: filepath.Join(l.Dir, "nodes", machine, "fs/var/lib/rancher/rke2/agent/pod-manifests", leftName+".yaml")}
	if err := os.MkdirAll(filepath.Dir(m.file), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(m.file, raw, 0o600); err != nil {
		return nil, err
	}
	return m, Until(ctx, "Pod "+m.Pod+" to run", func(ctx context.Context) (bool, string, error) {
		pod, err := pods.Get(ctx, leftName+"-"+node, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		running, err := m.running()
		return pod.Status.Phase == corev1.PodRunning && len(running) == 1, string(pod.Status.Phase), err
	})
}

// Remove removes the manifest, and waits until its process and its pod are gone.
func (m *LeftManager) Remove(ctx context.Context) error {
	if err := os.Remove(m.file); err != nil {
		return err
	}
	return Until(ctx, "Pod "+m.Pod+" to be gone", func(ctx context.Context) (bool, string, error) {
		running, err := m.running()
		if err != nil || len(running) > 0 {
			return false, fmt.Sprintf("%d processes", len(running)), err
		}
		there, err := exists(m.lab.Downstream.CoreV1().Pods("kube-system").Get(ctx, strings.TrimPrefix(m.Pod, "kube-system/"), metav1.GetOptions{}))
		return !there, "the pod exists", err
	})
}

func (m *LeftManager) running() ([]Process, error) {
	running, err := m.lab.Running(KubeControllerManager)
	return slices.DeleteFunc(running, func(p Process) bool { return !p.left() }), err
}

func (p Process) left() bool { return p.Last("leader-elect") == "false" }

// WithoutLeft returns a report without the overlaps of left managers, and their number. A left
// manager always causes overlaps, so they are counted apart.
func (l *Lab) WithoutLeft(o Observation) (others Observation, left int, err error) {
	starts, _, err := l.processes()
	if err != nil {
		return o, 0, err
	}
	ofLeft := map[string]bool{}
	for _, p := range starts {
		ofLeft[p.Name] = ofLeft[p.Name] || p.left()
	}
	others = o
	others.Controllers = slices.Clone(o.Controllers)
	for i, c := range others.Controllers {
		others.Controllers[i].Overlaps = slices.DeleteFunc(slices.Clone(c.Overlaps), func(v Overlap) bool { return ofLeft[v.First.Name] || ofLeft[v.Second.Name] })
		left += len(c.Overlaps) - len(others.Controllers[i].Overlaps)
	}
	return others, left, nil
}

// machineOf returns the Machine of a control-plane Node.
func (l *Lab) machineOf(ctx context.Context, node string) (string, error) {
	machines, err := l.Machines(ctx, "control-plane")
	if err != nil {
		return "", err
	}
	for _, machine := range machines {
		if name, err := l.NodeOf(ctx, machine); err == nil && name == node {
			return machine, nil
		}
	}
	return "", fmt.Errorf("none of %v is the Machine of Node %s", machines, node)
}
