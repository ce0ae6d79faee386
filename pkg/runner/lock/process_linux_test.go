package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// statLine is /proc/<pid>/stat up to field 22.
func statLine(pid int, command, state string, threads int, start uint64) string {
	return fmt.Sprintf("%d (%s) %s 1 7 7 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 %d 0 %d 3133440 380\n", pid, command, state, threads, start)
}

// procfs returns a /proc that shows process 7 of tick 100 as this process.
type procfs map[string]string

func (p procfs) table(t *testing.T, signal error) procTable {
	t.Helper()
	dir := t.TempDir()
	for name, content := range p {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write := func() error { return os.WriteFile(path, []byte(content), 0o600) }
		if filepath.Base(filepath.Dir(name)) == "ns" {
			write = func() error { return os.Symlink(content, path) }
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	return procTable{dir: dir, pid: 7, signal: func(int, syscall.Signal) error { return signal }}
}

func self() procfs {
	return procfs{
		"sys/kernel/random/boot_id": "boot-1\n",
		"self/status":               "Name:\tawsmigrate\nPid:\t7\nNSpid:\t7\n",
		"self/ns/pid":               "pid:[1]",
		"self/ns/time":              "time:[1]",
		"self/stat":                 statLine(7, "awsmigrate", "R", 9, 100),
	}
}

func TestSelf(t *testing.T) {
	full := Place{Boot: "boot-1", PIDs: "pid:[1]", Times: "time:[1]"}
	for name, c := range map[string]struct {
		change func(procfs)
		want   Place
	}{
		"all is there":                {func(procfs) {}, full},
		"a kernel before 5.6":         {func(p procfs) { delete(p, "self/ns/time") }, Place{Boot: "boot-1", PIDs: "pid:[1]"}},
		"time namespace not readable": {func(p procfs) { delete(p, "self/ns/time"); p["self/ns/time/x"] = "a folder is no link" }, Place{}},
		"no boot id":                  {func(p procfs) { delete(p, "sys/kernel/random/boot_id") }, Place{}},
		"no namespace":                {func(p procfs) { delete(p, "self/ns/pid") }, Place{}},
		"no status":                   {func(p procfs) { delete(p, "self/status") }, Place{}},
		"a kernel before 4.1":         {func(p procfs) { p["self/status"] = "Pid:\t7\n" }, Place{}},
		"/proc of an outer namespace": {func(p procfs) { p["self/status"] = "NSpid:\t4711\t7\n" }, Place{}},
		"the same id inside and out":  {func(p procfs) { p["self/status"] = "NSpid:\t7\t7\n" }, Place{}},
		"/proc of others":             {func(p procfs) { p["self/status"] = "NSpid:\t4711\n" }, Place{}},
		"stat of another":             {func(p procfs) { p["self/stat"] = statLine(8, "awsmigrate", "R", 9, 100) }, Place{}},
		"no stat":                     {func(p procfs) { delete(p, "self/stat") }, Place{}},
		"stat cut off":                {func(p procfs) { p["self/stat"] = "7 (awsmigrate) R 1" }, Place{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := self()
			c.change(p)
			at, start := p.table(t, nil).Self()
			if at != c.want || (start == 100) != c.want.known() {
				t.Errorf("%+v at tick %d", at, start)
			}
		})
	}
}

func TestAlive(t *testing.T) {
	for name, c := range map[string]struct {
		stat         string // of process 12; empty: it is not shown
		signal       error
		pid          int
		alive, known bool
	}{
		"as it began":                {statLine(12, "awsmigrate", "S", 9, 500), nil, 12, true, true},
		"stopped":                    {statLine(12, "awsmigrate", "T", 9, 500), nil, 12, true, true},
		"a command that misleads":    {statLine(12, "a) Z 1 (b", "S", 9, 500), nil, 12, true, true},
		"the id was given again":     {statLine(12, "sh", "S", 1, 501), nil, 12, false, true},
		"no process":                 {"", syscall.ESRCH, 12, false, true},
		"hidden, of our own user":    {"", nil, 12, true, false},
		"hidden, of another user":    {"", syscall.EPERM, 12, true, false},
		"exited, parent did not ask": {statLine(12, "awsmigrate", "Z", 1, 500), nil, 12, false, true},
		"exited but for a thread":    {statLine(12, "awsmigrate", "Z", 2, 500), nil, 12, true, true},
		"no known form":              {"12 awsmigrate S\n", nil, 12, true, false},
		"start is no number":         {strings.Replace(statLine(12, "x", "S", 9, 500), " 500 ", " -5 ", 1), nil, 12, true, false},
		"stat of another":            {statLine(13, "awsmigrate", "S", 9, 501), nil, 12, true, false},
		"id 0":                       {"", syscall.ESRCH, 0, true, false},
		"a negative id":              {"", syscall.ESRCH, -12, true, false},
		"an id beyond all ids":       {"", syscall.ESRCH, 1<<32 + 12, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := self()
			if c.stat != "" {
				p["12/stat"] = c.stat
			}
			alive, known := p.table(t, c.signal).Alive(c.pid, 500)
			if alive != c.alive || known != c.known {
				t.Errorf("alive %v, known %v", alive, known)
			}
		})
	}
	t.Run("not readable", func(t *testing.T) {
		p := self()
		p["12/stat/x"] = "" // a folder: reading fails, for root too
		if alive, known := p.table(t, syscall.ESRCH).Alive(12, 500); !alive || known {
			t.Errorf("alive %v, known %v", alive, known)
		}
	})
}

func TestHostProcesses(t *testing.T) {
	processes := HostProcesses()
	at, start := processes.Self()
	if !at.known() || start == 0 {
		t.Fatalf("this test needs a /proc of its own PID namespace: %+v, tick %d", at, start)
	}
	if alive, known := processes.Alive(os.Getpid(), start); !alive || !known {
		t.Errorf("ourselves: alive %v, known %v", alive, known)
	}
	if alive, known := processes.Alive(os.Getpid(), start+1); alive || !known {
		t.Errorf("an earlier process with our id: alive %v, known %v", alive, known)
	}
}

func TestHostProcesses_kill_isSeen(t *testing.T) {
	p := startHelper(t, holding{})
	s, err := procTable{dir: "/proc"}.stat(fmt.Sprint(p.pid()))
	if err != nil {
		t.Fatal(err)
	}
	processes := HostProcesses()
	if alive, known := processes.Alive(p.pid(), s.start); !alive || !known {
		t.Fatalf("alive %v, known %v", alive, known)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	tick, deadline := time.NewTicker(5*time.Millisecond), time.Now().Add(20*time.Second)
	defer tick.Stop()
	for alive, known := true, false; alive || !known; <-tick.C { // a zombie from here: its parent has not reaped it
		if alive, known = processes.Alive(p.pid(), s.start); time.Now().After(deadline) {
			t.Fatalf("before its parent asked: alive %v, known %v", alive, known)
		}
	}
	if exit := p.reap(); exit.Success() {
		t.Error("it ended before the kill")
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", p.pid())); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("still there: %v", err)
	}
	if alive, known := processes.Alive(p.pid(), s.start); alive || !known {
		t.Errorf("gone: alive %v, known %v", alive, known)
	}
}
