package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const pidDir = "pids"

// mark is a pid file. A pid alone is no identity, because it is reused. Together with the boot
// and the start time since that boot it is one.
type mark struct {
	PID   int    `json:"pid"`
	Name  string `json:"name"`
	Ticks string `json:"ticks"` // /proc/<pid>/stat field 22, starttime (proc(5))
	Boot  string `json:"boot"`
}

func markFile(dir string, pid int) string {
	return filepath.Join(dir, pidDir, strconv.Itoa(pid)+".json")
}

// Mark writes the pid file of a process, so that Sweep finds it.
func Mark(dir, name string, pid int) error {
	ticks, err := startTicks(pid)
	if err != nil {
		return fmt.Errorf("reading the start time of %s (pid %d): %w", name, pid, err)
	}
	raw, err := json.Marshal(mark{PID: pid, Name: name, Ticks: ticks, Boot: bootID()})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, pidDir), 0o755); err != nil {
		return err
	}
	return os.WriteFile(markFile(dir, pid), raw, 0o644)
}

// Unmark removes the pid file of a process that has exited.
func Unmark(dir string, pid int) error {
	err := os.Remove(markFile(dir, pid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Stray is a process that an earlier lab in the folder left.
type Stray struct {
	PID  int
	Name string
}

// Sweep kills every process that has a pid file under dir and is still the same process. It
// waits until each is gone, removes the files and returns the killed processes. It never kills
// the caller's own process.
func Sweep(dir string, wait time.Duration) ([]Stray, error) {
	files, err := filepath.Glob(filepath.Join(dir, pidDir, "*.json"))
	if err != nil {
		return nil, err
	}
	var killed []Stray
	for _, file := range files {
		m, err := readMark(file)
		if err != nil {
			return killed, err
		}
		if m.PID != os.Getpid() && alive(m) {
			if err := syscall.Kill(m.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return killed, fmt.Errorf("killing %s (pid %d), left over in %s: %w", m.Name, m.PID, dir, err)
			}
			killed = append(killed, Stray{PID: m.PID, Name: m.Name})
			if err := waitGone(m, wait); err != nil {
				return killed, err
			}
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return killed, err
		}
	}
	return killed, nil
}

// Alive reports whether the process with that pid file under dir still runs.
func Alive(dir string, pid int) bool {
	m, err := readMark(markFile(dir, pid))
	return err == nil && alive(m)
}

func readMark(file string) (mark, error) {
	var m mark
	raw, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("pid file %s: %w", file, err)
	}
	return m, nil
}

func alive(m mark) bool {
	ticks, err := startTicks(m.PID)
	return err == nil && ticks == m.Ticks && m.Boot == bootID()
}

func waitGone(m mark, wait time.Duration) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(wait)
	for alive(m) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%s (pid %d) still runs %s after SIGKILL", m.Name, m.PID, wait)
		}
		<-tick.C
	}
	return nil
}

// startTicks also fails for a zombie: it has exited, and only its parent has not waited for it.
func startTicks(pid int) (string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The second field is the command in parentheses and may hold anything.
	_, rest, ok := strings.Cut(string(raw[strings.LastIndexByte(string(raw), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat has an unknown form", pid)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return "", fmt.Errorf("process %d has exited", pid)
	}
	return fields[19], nil
}

func bootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}
