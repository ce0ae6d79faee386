package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// scanInterval is the interval between two scans of the processes. It bounds the delay of a
	// start; the kernel reports an end at once.
	scanInterval = 20 * time.Millisecond
	// beatsDir is the folder in which components record that they run.
	beatsDir = Place + "/beats"
)

// nameFlag marks the Component in a process's command line.
const nameFlag = "--name="

// containerID matches the ID in the path of each container's cgroup.
var containerID = regexp.MustCompile(`[0-9a-f]{64}`)

// Process is one run of a component, as seen by the kernel.
type Process struct {
	PID       int
	Name      string    // of the Component
	Container string    // ID, as in the name of its cgroup
	Seen      time.Time // when it was first seen
	Ended     time.Time // zero while it runs
	namespace string    // its PID namespace, which names its file of beats
}

// RanAt reports whether the process ran at a moment.
func (p Process) RanAt(at time.Time) bool {
	return !p.Seen.After(at) && (p.Ended.IsZero() || p.Ended.After(at))
}

// Truth records which components ran when, by the kernel alone.
type Truth struct {
	mu  sync.Mutex
	all []*Process
}

// Watch scans processes until ctx ends.
func (t *Truth) Watch(ctx context.Context) {
	tick := time.NewTicker(scanInterval)
	defer tick.Stop()
	for {
		t.scanInterval(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Processes returns all processes in the order of their start.
func (t *Truth) Processes() []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Process, 0, len(t.all))
	for _, p := range t.all {
		all = append(all, *p)
	}
	return all
}

// Of returns the process of a container; ok is false if none was seen.
func (t *Truth) Of(container string) (p Process, ok bool) {
	all := t.Processes()
	i := slices.IndexFunc(all, func(p Process) bool { return p.Container == bareID(container) })
	if i < 0 {
		return Process{}, false
	}
	return all[i], true
}

// bareID returns a container's ID without the name of its runtime.
func bareID(id string) string { return strings.TrimPrefix(id, "containerd://") }

func (t *Truth) scanInterval(ctx context.Context) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if name, is := componentOf(pid); is {
			t.take(ctx, pid, name)
		}
	}
}

// componentOf returns the Component of a process, by its command line.
func componentOf(pid int) (name string, is bool) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return "", false
	}
	words := strings.Split(string(line), "\x00")
	if words[0] != "/"+wellknown.KCM && words[0] != "/"+wellknown.CCM {
		return "", false
	}
	for _, word := range words {
		if name, is := strings.CutPrefix(word, nameFlag); is {
			return name, true
		}
	}
	return "", false
}

// take adds a process that is not known yet. A PID can be reused, a container's ID cannot.
func (t *Truth) take(ctx context.Context, pid int, name string) {
	cgroup, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return
	}
	id := containerID.FindString(string(cgroup))
	if _, known := t.Of(id); known || id == "" {
		return
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
	if err != nil {
		_ = unix.Close(fd)
		return
	}
	p := &Process{PID: pid, Name: name, Container: id, Seen: time.Now(), namespace: namespace}
	t.mu.Lock()
	t.all = append(t.all, p)
	t.mu.Unlock()
	go t.await(ctx, p, fd)
}

// await records the end of a process when the kernel reports it.
func (t *Truth) await(ctx context.Context, p *Process, fd int) {
	defer func() { _ = unix.Close(fd) }()
	for ctx.Err() == nil {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if n > 0 {
			t.mu.Lock()
			p.Ended = time.Now()
			t.mu.Unlock()
			return
		}
	}
}

// Beats returns the times that a process recorded while it ran.
func Beats(p Process) ([]time.Time, error) {
	files, err := filepath.Glob(filepath.Join(beatsDir, strings.NewReplacer("[", `\[`, "]", `\]`).Replace(p.namespace)+".*"))
	if err != nil {
		return nil, fmt.Errorf("find the beats of process %d: %w", p.PID, err)
	}
	var nearest []time.Time // a namespace's number can be reused
	for _, path := range files {
		beats, err := readBeats(path)
		if err != nil {
			return nil, err
		}
		if len(beats) > 0 && (nearest == nil || beats[0].Sub(p.Seen).Abs() < nearest[0].Sub(p.Seen).Abs()) {
			nearest = beats
		}
	}
	if nearest == nil {
		return nil, fmt.Errorf("process %d of container %s wrote nothing to %s", p.PID, p.Container, beatsDir)
	}
	return nearest, nil
}

func readBeats(path string) ([]time.Time, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the beats of a component: %w", err)
	}
	var beats []time.Time
	for line := range strings.Lines(string(raw)) {
		if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil { // the last line may be torn
			beats = append(beats, time.Unix(0, n))
		}
	}
	return beats, nil
}
