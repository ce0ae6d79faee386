package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// watchPeriod bounds the lifetime of a component that Watch may miss.
const watchPeriod = 50 * time.Millisecond

// settled is the age from which a process is not expected to become a component: a container's
// process is an entrypoint first.
const settled = 10 * time.Second

// kinds maps the kernel's names of processes, which end after 15 bytes, to components.
func kinds() map[string]string {
	out := map[string]string{}
	for _, kind := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "aws-cloud-controller-manager"} {
		out[kind[:min(len(kind), 15)]] = kind
	}
	return out
}

// watcher finds the components' processes of all hosts.
type watcher struct {
	hosts  *Hosts
	log    *slog.Logger
	kinds  map[string]string
	seen   map[int]time.Time // processes that are no components, by when they were seen first
	known  map[int]bool      // followed processes
	copied map[string]bool   // containers, by ID
}

// Watch records the start and end of each component on the hosts, and copies the controller
// managers' logs, until ctx ends.
func (h *Hosts) Watch(ctx context.Context, log *slog.Logger) error {
	w := &watcher{hosts: h, log: log, kinds: kinds(), seen: map[int]time.Time{}, known: map[int]bool{}, copied: map[string]bool{}}
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			if err := w.look(ctx, now); err != nil {
				return err
			}
		}
	}
}

// look examines the processes of this machine that are new.
func (w *watcher) look(ctx context.Context, now time.Time) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	var networks map[uint64]*proc.Process
	alive := map[int]bool{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		alive[pid] = true
		if first, old := w.seen[pid]; w.known[pid] || old && now.Sub(first) > settled {
			continue
		}
		kind := w.kinds[commandName(pid)]
		if kind == "" {
			if _, old := w.seen[pid]; !old {
				w.seen[pid] = now
			}
			continue
		}
		if networks == nil {
			networks = w.networks()
		}
		if host, ok := networks[networkOf(pid)]; ok {
			w.follow(ctx, host, kind, pid)
		}
		w.known[pid] = true
	}
	w.prune(alive)
	return nil
}

// prune forgets ended processes, whose IDs may be used again.
func (w *watcher) prune(alive map[int]bool) {
	for pid := range w.seen {
		if !alive[pid] {
			delete(w.seen, pid)
		}
	}
	for pid := range w.known {
		if !alive[pid] {
			delete(w.known, pid)
		}
	}
}

// networks returns the first process of each host by its network.
func (w *watcher) networks() map[uint64]*proc.Process {
	out := map[uint64]*proc.Process{}
	for _, p := range w.hosts.Supervisor.Processes() {
		if p.Spec.Kind == "host" {
			out[networkOf(p.Pid())] = p
		}
	}
	return out
}

func (w *watcher) follow(ctx context.Context, host *proc.Process, kind string, pid int) {
	spec := proc.Spec{Name: kind + "@" + host.Spec.Node, Kind: kind, Node: host.Spec.Node, InnerPID: innerPID(pid)}
	spec.Args = arguments(pid)
	if strings.HasSuffix(kind, "controller-manager") {
		source, err := containerLog(host.Pid(), pid)
		if err != nil {
			w.log.Error("a controller manager's log", "process", spec.Name, "pid", pid, "error", err)
		} else {
			spec.Log = w.copyLog(ctx, spec.Name, source)
		}
	}
	if _, err := w.hosts.Supervisor.Follow(ctx, spec, pid); err != nil && !errors.Is(err, syscall.ESRCH) {
		w.log.Error("following a component", "process", spec.Name, "pid", pid, "error", err)
	}
}

// copyLog copies a container's log, once, and returns the copy. Each container has a copy of its own,
// because a replaced one may still write while the next one does.
func (w *watcher) copyLog(ctx context.Context, process string, source logSource) string {
	to := filepath.Join(w.hosts.Dir, "logs", process+"."+source.id[:12]+".log")
	if !w.copied[source.id] {
		w.copied[source.id] = true
		go source.copyTo(ctx, to, w.log)
	}
	return to
}

// commandName returns the kernel's name of a process, or empty if it has ended.
func commandName(pid int) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(raw))
}

// networkOf returns the inode of a process's network namespace, or 0 if it has ended.
func networkOf(pid int) uint64 {
	var info syscall.Stat_t
	if err := syscall.Stat(fmt.Sprintf("/proc/%d/ns/net", pid), &info); err != nil {
		return 0
	}
	return info.Ino
}

// innerPID returns the ID of a process in its own PID namespace.
func innerPID(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(raw)) {
		if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(ids)
			id, _ := strconv.Atoi(fields[len(fields)-1])
			return id
		}
	}
	return 0
}

func arguments(pid int) []string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	var out []string
	for i, arg := range bytes.Split(bytes.TrimRight(raw, "\x00"), []byte{0}) {
		if i > 0 {
			out = append(out, string(arg))
		}
	}
	return out
}
