package realkubelet

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// StopKubelet ends the kubelet as a service manager does. Containers keep running.
func (m *Machine) StopKubelet() { m.kubelet.stop() }

// StartKubelet starts the kubelet again.
func (m *Machine) StartKubelet() error { return m.kubelet.start() }

// SignalKubelet sends a signal to the kubelet.
func (m *Machine) SignalKubelet(s syscall.Signal) { m.kubelet.signal(s) }

// SignalContainerd sends a signal to containerd.
func (m *Machine) SignalContainerd(s syscall.Signal) { m.containerd.signal(s) }

// NodeReady waits until the Node is Ready and accepts pods.
func (m *Machine) NodeReady(ctx context.Context) error {
	return Until(ctx, "Node "+NodeName+" to be Ready", func() (bool, error) { return m.nodeReady(ctx) })
}

// NodeNotReady waits until the Node was shown as not Ready after since, and returns the time.
func (m *Machine) NodeNotReady(ctx context.Context, since time.Time) (at time.Time, err error) {
	err = Until(ctx, "Node "+NodeName+" not to be Ready", func() (bool, error) {
		for _, e := range m.Shown.Node() {
			if e.At.After(since) && e.Node.Ready != "True" {
				at = e.At
				return true, nil
			}
		}
		return false, nil
	})
	return at, err
}

// NodeShown returns the states of the Node's condition Ready since a moment.
func (m *Machine) NodeShown(since time.Time) string {
	var states []string
	before := ""
	for _, e := range m.Shown.Node() {
		switch {
		case !e.At.After(since):
			before = e.Node.Ready
		case len(states) == 0 || states[len(states)-1] != e.Node.Ready:
			states = append(states, e.Node.Ready)
		}
	}
	if len(states) == 0 {
		return before
	}
	return strings.Join(states, ", ")
}

// RemoveContainer removes an ended container and restarts containerd, so that the CRI plugin
// rebuilds its list from the remaining ones.
func (m *Machine) RemoveContainer(ctx context.Context, p Process) error {
	if err := m.containerd.remove(ctx, p.Container); err != nil {
		return err
	}
	m.containerd.stop()
	return m.containerd.up(ctx)
}

// ForgetContainers restarts containerd from nothing while processes keep running.
func (m *Machine) ForgetContainers(ctx context.Context) error {
	m.containerd.stop()
	if err := unmountBelow(containerdState); err != nil {
		return err
	}
	for _, dir := range []string{containerdRoot, containerdState} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("take away what containerd keeps: %w", err)
		}
	}
	return m.containerd.up(ctx)
}

// unmountBelow detaches all mounts below a folder, the last one first.
func unmountBelow(dir string) error {
	raw, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return fmt.Errorf("list mounts: %w", err)
	}
	var paths []string
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && strings.HasPrefix(fields[1], dir+"/") {
			paths = append([]string{fields[1]}, paths...)
		}
	}
	for _, path := range paths {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", path, err)
		}
	}
	return nil
}
