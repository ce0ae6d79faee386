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
	// glance is how often processes are listed. It bounds how late a start is seen; an end
	// is told by the kernel at once.
	glance = 20 * time.Millisecond
	// beatsDir is where components write down that they run.
	beatsDir = Place + "/beats"
)

// nameFlag tells by a process's command line which Component it is.
const nameFlag = "--name="

// containerID is in the path of each cgroup of a container.
var containerID = regexp.MustCompile(`[0-9a-f]{64}`)

// Process is one run of a component, as the kernel has it.
type Process struct {
	PID       int
	Name      string    // of the Component
	Container string    // ID, as in the name of its cgroup
	Seen      time.Time // when it was first seen
	Ended     time.Time // zero: it runs
	namespace string    // its PID namespace, which names its file of beats
}

// RanAt says whether it ran at a moment.
func (p Process) RanAt(at time.Time) bool {
	return !p.Seen.After(at) && (p.Ended.IsZero() || p.Ended.After(at))
}

// Truth is which components ran when, by the kernel alone.
type Truth struct {
	mu  sync.Mutex
	all []*Process
}

// Watch lists processes until ctx ends.
func (t *Truth) Watch(ctx context.Context) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		t.glance(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Processes are all there were, in the order in which they came.
func (t *Truth) Processes() []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Process, 0, len(t.all))
	for _, p := range t.all {
		all = append(all, *p)
	}
	return all
}

// Of gives the process of a container; ok is false where none was seen.
func (t *Truth) Of(container string) (p Process, ok bool) {
	all := t.Processes()
	i := slices.IndexFunc(all, func(p Process) bool { return p.Container == bareID(container) })
	if i < 0 {
		return Process{}, false
	}
	return all[i], true
}

// bareID is a container's ID without the name of its runtime.
func bareID(id string) string { return strings.TrimPrefix(id, "containerd://") }

func (t *Truth) glance(ctx context.Context) {
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

// componentOf is the Component that a process is, by the command line that it was started with.
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

// take takes a process in that is not known yet. A PID is used again, a container is not.
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

// await notes when the kernel says that a process has ended.
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

// Beats are the times that a process wrote down itself.
func Beats(p Process) ([]time.Time, error) {
	files, err := filepath.Glob(filepath.Join(beatsDir, strings.NewReplacer("[", `\[`, "]", `\]`).Replace(p.namespace)+".*"))
	if err != nil {
		return nil, fmt.Errorf("find the beats of process %d: %w", p.PID, err)
	}
	var nearest []time.Time // a namespace's number is used again
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
		if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil { // the last one may be torn
			beats = append(beats, time.Unix(0, n))
		}
	}
	return beats, nil
}
