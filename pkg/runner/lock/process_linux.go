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

// maxPID is PID_MAX_LIMIT of 64-bit Linux (include/linux/threads.h): what lies
// beyond never was a process, and kill(2) would read it as another number.
const maxPID = 1 << 22

// HostProcesses is the process table of this machine, read from /proc
// (man 5 proc_pid_stat, proc_pid_status; man 7 namespaces).
func HostProcesses() Processes {
	return procTable{dir: "/proc", pid: os.Getpid(), signal: syscall.Kill}
}

type procTable struct {
	dir    string // where procfs is mounted
	pid    int    // of this process, as it sees itself
	signal func(pid int, signal syscall.Signal) error
}

// Self implements Processes.
func (p procTable) Self() (at Place, start uint64) {
	boot, err := os.ReadFile(filepath.Join(p.dir, "sys/kernel/random/boot_id"))
	if err != nil || !p.ours() {
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

// ours says whether procfs shows the namespace of process ids that this
// process lives in. One that was mounted outside shows other processes under
// the same ids; there NSpid (Linux 4.1) lists an id for each namespace between.
func (p procTable) ours() bool {
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
		// procfs mounted with hidepid hides processes of others; kill does not.
		if errors.Is(p.signal(pid, 0), syscall.ESRCH) {
			return false, true
		}
		return true, false
	case err != nil || now.pid != pid:
		return true, false
	}
	return now.start == start && !now.over, true
}

// stat is what /proc/<pid>/stat says of a process.
type stat struct {
	pid   int
	start uint64 // field 22, clock ticks since boot
	over  bool   // it has exited with all its threads, only its parent did not ask yet
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

// parseStat reads the fields of stat. The second is the command in
// parentheses and may itself hold blanks and parentheses.
func parseStat(raw string) (stat, bool) {
	first, rest, _ := strings.Cut(raw, " (")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return stat{}, false
	}
	fields := strings.Fields(rest[end+1:]) // from field 3, the state
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
