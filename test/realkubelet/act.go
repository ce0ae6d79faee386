package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Apply writes the manifest of a static pod, which starts or changes it.
func (m *Machine) Apply(c Component) error { return c.writeManifest() }

// Create creates a pod on the Node, as for a DaemonSet.
func (m *Machine) Create(ctx context.Context, c Component) error {
	pod := c.Pod()
	pod.Spec.NodeName = NodeName
	if _, err := m.Client.CoreV1().Pods(wellknown.System).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pod %s: %w", c.Name, err)
	}
	return nil
}

// Delete deletes a pod; with force its object disappears at once.
func (m *Machine) Delete(ctx context.Context, name string, force bool) error {
	options := metav1.DeleteOptions{}
	if force {
		options.GracePeriodSeconds = ptr.To[int64](0)
	}
	if err := m.Client.CoreV1().Pods(wellknown.System).Delete(ctx, name, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete pod %s: %w", name, err)
	}
	return nil
}

// Next waits until a component runs in a container that is not one of the given ones.
func (m *Machine) Next(ctx context.Context, c Component, before ...string) (Process, error) {
	var found Process
	err := Until(ctx, "a container of "+c.Name+" to run", func() (bool, error) {
		all := m.Story(c).Processes
		i := slices.IndexFunc(all, func(p Process) bool { return p.Ended.IsZero() && !slices.Contains(before, p.Container) })
		if i >= 0 {
			found = all[i]
		}
		return i >= 0, nil
	})
	return found, err
}

// Ready waits until a pod is shown Ready with this container.
func (m *Machine) Ready(ctx context.Context, c Component, container string) error {
	return Until(ctx, c.Name+" to be Ready with container "+container, func() (bool, error) {
		_, shown := m.Story(c).ReadyIn(container)
		return shown, nil
	})
}

// NewPod waits until a pod other than the first is shown.
func (m *Machine) NewPod(ctx context.Context, c Component) error {
	return Until(ctx, "the pod of "+c.Name+" to be replaced", func() (bool, error) {
		entries := m.Story(c).Entries
		return entries[0].Pod.UID != entries[len(entries)-1].Pod.UID, nil
	})
}

// Replaced waits until a pod other than the first is shown Ready with this container.
func (m *Machine) Replaced(ctx context.Context, c Component, container string) error {
	return Until(ctx, "the pod of "+c.Name+" to be replaced by one with container "+container, func() (bool, error) {
		_, shown := m.Story(c).ReplacedIn(container)
		return shown, nil
	})
}

// Ended waits for the end of a container's process.
func (m *Machine) Ended(ctx context.Context, container string) (Process, error) {
	var found Process
	err := Until(ctx, "the process of container "+container+" to end", func() (bool, error) {
		found, _ = m.Truth.Of(container)
		return !found.Ended.IsZero(), nil
	})
	return found, err
}

// Story returns the entries of a component's pods so far, and its processes.
func (m *Machine) Story(c Component) Story {
	return Story{
		Entries:   slices.Concat(m.Shown.Pod(c.Static()), m.Shown.Pod(c.Name)), // only one of them exists
		Processes: slices.DeleteFunc(m.Truth.Processes(), func(p Process) bool { return p.Name != c.Name }),
	}
}

// Clear removes a component, and waits until its processes and its pods are gone.
func (m *Machine) Clear(ctx context.Context, c Component) error {
	if err := os.Remove(c.manifest()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove static pod %s: %w", c.Name, err)
	}
	if err := m.Delete(ctx, c.Name, false); err != nil {
		return err
	}
	return Until(ctx, c.Name+" to be gone", func() (bool, error) {
		story := m.Story(c)
		runs := slices.ContainsFunc(story.Processes, func(p Process) bool { return p.Ended.IsZero() })
		return !runs && len(story.Entries) > 0 && story.Entries[len(story.Entries)-1].Pod.Gone, nil
	})
}

// Shim returns the process of containerd that holds a container.
func Shim(p Process) (int, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), "stat"))
	if err != nil {
		return 0, fmt.Errorf("find the parent of process %d: %w", p.PID, err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // after the name, which may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0, fmt.Errorf("find the parent of process %d: its stat is %q", p.PID, raw)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0, fmt.Errorf("find the parent of process %d: %w", p.PID, err)
	}
	return parent, nil
}

// Kill sends a signal to a process of the machine.
func Kill(pid int, signal syscall.Signal) error {
	if pid < 2 { // 0 and below are groups; 1 is this program
		return fmt.Errorf("send %s to process %d: it is none of the machine's components", signal, pid)
	}
	if err := syscall.Kill(pid, signal); err != nil {
		return fmt.Errorf("send %s to process %d: %w", signal, pid, err)
	}
	return nil
}
