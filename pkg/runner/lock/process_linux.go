package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxPID is PID_MAX_LIMIT of 64-bit Linux (include/linux/threads.h). A larger number is never a
// process, and kill(2) would truncate it.
const maxPID = 1 << 22

// HostProcesses returns the process table of this machine, read from /proc (man 5 proc_pid_stat,
// proc_pid_status; man 7 namespaces).
func HostProcesses() Processes {
	return procTable{dir: "/proc", pid: os.Getpid(), signal: syscall.Kill}
}

type procTable struct {
	dir    string // mount point of procfs
	pid    int    // of this process, in its own namespace
	signal func(pid int, signal syscall.Signal) error
}

// Self implements Processes.
func (p procTable) Self() (at Place, start uint64) {
	boot, err := os.ReadFile(filepath.Join(p.dir, "sys/kernel/random/boot_id"))
	if err != nil || !p.inOwnNamespace() {
		return Place{}, 0
	}
	pids, err := os.Readlink(filepath.Join(p.dir, "self/ns/pid"))
	if err != nil {
		return Place{}, 0
	}
	// Linux shifts the tick in stat by the reader's own time namespace.
	times, err := os.Readlink(filepath.Join(p.dir, "self/ns/time"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Place{}, 0
	}
	self, err := p.stat("self")
	if err != nil || self.pid != p.pid {
		return Place{}, 0
	}
	return Place{Boot: strings.TrimSpace(string(boot)), PIDs: pids, Times: times}, self.start
}

// inOwnNamespace reports whether procfs shows the process ID namespace of this process. A procfs of an
// outer namespace shows other processes under the same IDs; its NSpid (Linux 4.1) lists one ID
// per namespace.
func (p procTable) inOwnNamespace() bool {
	status, err := os.ReadFile(filepath.Join(p.dir, "self/status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
			return strings.TrimSpace(ids) == strconv.Itoa(p.pid)
		}
	}
	return false
}

// Alive implements Processes.
func (p procTable) Alive(pid int, start uint64) (alive, known bool) {
	if pid <= 0 || pid > maxPID {
		return true, false
	}
	now, err := p.stat(strconv.Itoa(pid))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		// A procfs with hidepid hides other users' processes; kill(2) does not.
		if errors.Is(p.signal(pid, 0), syscall.ESRCH) {
			return false, true
		}
		return true, false
	case err != nil || now.pid != pid:
		return true, false
	}
	return now.start == start && !now.over, true
}

// stat holds fields of /proc/<pid>/stat.
type stat struct {
	pid   int
	start uint64 // field 22, clock ticks since boot
	over  bool   // all its threads have exited, but its parent has not reaped it
}

func (p procTable) stat(name string) (stat, error) {
	raw, err := os.ReadFile(filepath.Join(p.dir, name, "stat"))
	if err != nil {
		return stat{}, err
	}
	s, ok := parseStat(string(raw))
	if !ok {
		return stat{}, errors.New("stat of an unknown form")
	}
	return s, nil
}

// parseStat parses /proc/<pid>/stat. The second field is the command in parentheses, which may
// contain blanks and parentheses.
func parseStat(raw string) (stat, bool) {
	first, rest, _ := strings.Cut(raw, " (")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return stat{}, false
	}
	fields := strings.Fields(rest[end+1:]) // starting with field 3, the state
	if len(fields) < 20 {
		return stat{}, false
	}
	pid, err := strconv.Atoi(first)
	threads, threadsErr := strconv.Atoi(fields[17]) // field 20
	start, startErr := strconv.ParseUint(fields[19], 10, 64)
	if err != nil || threadsErr != nil || startErr != nil || start == 0 {
		return stat{}, false
	}
	over := (fields[0] == "Z" || fields[0] == "X") && threads <= 1
	return stat{pid: pid, start: start, over: over}, true
}
