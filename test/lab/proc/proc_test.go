package proc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// TestMain lets the test program act as the shim, and as a supervisor that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == proc.ShimCommand {
		fmt.Fprintln(os.Stderr, proc.RunShim(os.Args[2:]))
		os.Exit(1)
	}
	if len(os.Args) > 2 && os.Args[1] == "supervise" {
		supervise(os.Args[2])
	}
	os.Exit(m.Run())
}

func supervise(dir string) {
	s, err := proc.New(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p, err := s.Start(sh("child", "sleep 600"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(p.Pid())
	select {}
}

func sh(name, script string) proc.Spec {
	return proc.Spec{Name: name, Kind: "shell", Node: "n1", Path: "/bin/sh", Args: []string{"-c", script}}
}

func supervisor(t *testing.T) (*proc.Supervisor, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := proc.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

func wait(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("still running after a minute")
	}
}

func records(t *testing.T, dir string) []proc.Record {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, proc.RecordFile))
	if err != nil {
		t.Fatal(err)
	}
	out, err := proc.ReadRecords(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStartAndExitAreRecorded(t *testing.T) {
	for _, test := range []struct {
		name, script string
		code         int
	}{
		{"success", "exit 0", 0},
		{"failure", "exit 7", 7},
		{"signal", "kill -KILL $$", 128 + 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, dir := supervisor(t)
			p, err := s.Start(sh("one", test.script))
			if err != nil {
				t.Fatal(err)
			}
			wait(t, p.Done())
			if p.ExitCode() != test.code {
				t.Errorf("exit code %d, wanted %d", p.ExitCode(), test.code)
			}
			got := records(t, dir)
			if len(got) != 2 || got[0].Event != proc.Start || got[1].Event != proc.Exit {
				t.Fatalf("records %+v, wanted one start and one exit", got)
			}
			if got[1].ExitCode == nil || *got[1].ExitCode != test.code || got[0].ExitCode != nil {
				t.Errorf("exit codes in the records: %v, %v", got[0].ExitCode, got[1].ExitCode)
			}
			if got[0].PID != p.Pid() || got[0].Kind != "shell" || got[0].Node != "n1" || got[0].Args[1] != test.script {
				t.Errorf("start record %+v", got[0])
			}
			if proc.Alive(dir, p.Pid()) {
				t.Error("the pid file says that it runs")
			}
		})
	}
}

func TestHostname(t *testing.T) {
	s, dir := supervisor(t)
	for i, host := range []string{"ip-10-0-1-7", "ip-10-0-2-8", ""} {
		spec := sh("h"+strconv.Itoa(i), `cat /proc/sys/kernel/hostname; echo "$EXTRA"`)
		spec.Hostname, spec.Log, spec.Env = host, filepath.Join(dir, "log"+strconv.Itoa(i)), []string{"EXTRA=e"}
		p, err := s.Start(spec)
		if err != nil {
			t.Fatal(err)
		}
		wait(t, p.Done())
		want := host
		if host == "" {
			if want, err = os.Hostname(); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(spec.Log)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(raw); got != want+"\ne\n" {
			t.Errorf("the process saw %q, wanted host name %q", got, want)
		}
	}
}

func TestShimInAUserNamespace(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, proc.ShimCommand, "ip-10-0-3-9", "/bin/sh", "argv0", "-c", `cat /proc/sys/kernel/hostname; echo $0`)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "ip-10-0-3-9\nargv0\n" {
		t.Fatalf("shim: %v, output %q", err, out)
	}
}

func TestRefusals(t *testing.T) {
	s, _ := supervisor(t)
	if _, err := s.Start(sh("one", "sleep 600")); err != nil {
		t.Fatal(err)
	}
	noProgram := sh("none", "")
	noProgram.Path = "/nonexistent/program"
	for _, test := range []struct {
		spec proc.Spec
		want string
	}{
		{sh("one", "true"), "already runs"},
		{sh("", "true"), "no name"},
		{sh("a/b", "true"), "slash"},
		{proc.Spec{Name: "x"}, "no program"},
		{noProgram, "/nonexistent/program"},
	} {
		if _, err := s.Start(test.spec); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Start(%q) = %v, wanted an error with %q", test.spec.Name, err, test.want)
		}
	}
}

func TestStop(t *testing.T) {
	s, _ := supervisor(t)
	// A process that has not set its trap yet dies of the signal like any other.
	ready := filepath.Join(t.TempDir(), "deaf")
	deaf, err := s.Start(sh("deaf", `trap "" TERM; : > `+ready+`; while :; do sleep 0.05; done`))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := os.Stat(ready); err != nil; _, err = os.Stat(ready) {
		runtime.Gosched()
	}
	frozen, err := s.Start(sh("frozen", `trap "exit 3" TERM; kill -STOP $$; while :; do sleep 0.05; done`))
	if err != nil {
		t.Fatal(err)
	}
	if !frozen.Running() {
		t.Error("a frozen process counts as exited")
	}
	frozen.Stop(5 * time.Second)
	if got := frozen.ExitCode(); got != 3 && got != 128+15 {
		t.Errorf("the frozen process ended with %d, wanted an end by SIGTERM", got)
	}
	deaf.Stop(300 * time.Millisecond)
	if got := deaf.ExitCode(); got != 128+9 {
		t.Errorf("the deaf process ended with %d, wanted SIGKILL", got)
	}
	if err := deaf.Signal(syscall.SIGTERM); err == nil {
		t.Error("signalling an exited process succeeded")
	}
}

// startSupervisor runs a supervisor in another process and returns it with the pid of its
// child.
func startSupervisor(t *testing.T, dir string) (*exec.Cmd, int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "supervise", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return cmd, pid
}

func TestChildrenDieWithTheSupervisor(t *testing.T) {
	dir := t.TempDir()
	cmd, child := startSupervisor(t, dir)
	if !proc.Alive(dir, child) {
		t.Fatal("the child does not run")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for proc.Alive(dir, child) {
		select {
		case <-deadline:
			t.Fatal("the child outlived its supervisor by a minute")
		case <-tick.C:
		}
	}
}

func TestSweepKillsOnlyTheSameProcess(t *testing.T) {
	dir := t.TempDir()
	left, other := exec.Command("sleep", "600"), exec.Command("sleep", "600")
	for _, cmd := range []*exec.Cmd{left, other} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
		if err := proc.Mark(dir, "sleep", cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	// The pid of the second one was used again since: another start time.
	file := filepath.Join(dir, "pids", strconv.Itoa(other.Process.Pid)+".json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(raw, []byte(`"ticks":"`), []byte(`"ticks":"1`), 1)
	if err := os.WriteFile(file, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	killed, err := proc.Sweep(dir, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(killed) != 1 || killed[0].PID != left.Process.Pid {
		t.Errorf("killed %v, wanted only pid %d", killed, left.Process.Pid)
	}
	if err := syscall.Kill(other.Process.Pid, 0); err != nil {
		t.Errorf("the other process: %v", err)
	}
	if rest, _ := filepath.Glob(filepath.Join(dir, "pids", "*")); len(rest) != 0 {
		t.Errorf("pid files left: %v", rest)
	}
}

func TestReadRecordsDropsATornLine(t *testing.T) {
	whole := `{"time":"2024-01-02T03:04:05Z","event":"start","name":"a","kind":"k","node":"","pid":1,"args":null}` + "\n"
	got, err := proc.ReadRecords(strings.NewReader(whole + whole[:20]))
	if err != nil || len(got) != 1 {
		t.Errorf("got %v, %v; wanted the whole line alone", got, err)
	}
	if _, err := proc.ReadRecords(strings.NewReader("nonsense\n")); err == nil {
		t.Error("a line that is no JSON was accepted")
	}
}
