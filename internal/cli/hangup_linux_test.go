package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/defect"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// playVariable makes the test binary a run of a script in the folder that it names.
const playVariable = "AWSMIGRATE_TEST_PLAY"

// catchWhatIsIgnored gives the processes of these tests the signals as a shell does: one
// that was ignored when the tests began, by nohup or a job in the background, would be
// ignored in them, too, and one that is caught here is not (signal(7), execve).
func catchWhatIsIgnored() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func TestMain(m *testing.M) {
	dir := os.Getenv(playVariable)
	if dir == "" {
		catchWhatIsIgnored()
		m.Run()
		return
	}
	os.Exit(playProcess(dir, os.Args[1:]))
}

// playProcess runs what newRKE2 would, with a script in place of a cluster: a first
// step that runs a child, as rke is one, and a second one that leaves a file.
func playProcess(dir string, args []string) int {
	streams := console.SystemStreams()
	ctx, signals, stop := app.WatchSignals(context.Background())
	defer stop()
	a := app.New(streams, signals, args, nil)
	a.Output = "text"
	engine := &engineFlags{Yes: true, Timeout: time.Hour, OnFailure: "stop"}
	cluster := folder{dir: dir}
	for _, arg := range args {
		switch arg {
		case "--ask":
			engine.Yes = false
		case "jsonl", "json":
			a.Output = arg
		case "--rolls":
			cluster.rolls = true
		case "--look": // a command that only looks
			touch(filepath.Join(dir, "looking"))
			<-ctx.Done()
			return 0
		}
	}
	return a.End(runMigration(ctx, a, cluster, engine))
}

// folder is a cluster that consists of files.
type folder struct {
	dir   string
	rolls bool // Rancher carries the first step out, and not a child
}

func (f folder) Asked(target.Output) (target.Asked, error) {
	return target.Asked{Target: f, Words: target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}}}, nil
}

func (f folder) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	first := &scripted{id: migration.StepEnable, state: runner.State{Kind: runner.Todo}, plan: runner.Plan{Rolls: 3, Takes: 6 * runner.Minute,
		Changes: []runner.Change{{Object: "Cluster fleet-default/demo", Diff: "    - a\n  + - enable-leader-migration\n"}}}}
	second := &scripted{id: migration.StepSwitch, state: runner.State{Kind: runner.Todo}, verdicts: []runner.Verdict{sees("done")}}
	return &session.Session{RunID: "run-1", To: []session.Destination{{Context: "prod-admin", Server: "https://rancher.example"}},
		Journal: &journal.Memory{}, Lock: new(lock.Memory).For(lock.Owner{User: "u"}),
		Procedure: &played2{script: &script{list: []*scripted{first, second}}, folder: f}}, nil
}

// played2 is a script whose first step has a child under way.
type played2 struct {
	*script
	folder
}

func (*played2) Basis(migration.Snapshot) runner.Basis           { return runner.Basis{Goal: "migrate"} }
func (*played2) Header(migration.Snapshot) []string              { return nil }
func (*played2) Paused(migration.Snapshot) string                { return "" }
func (*played2) RequireInformed(migration.Snapshot) error        { return nil }
func (*played2) Alone(context.Context, migration.Snapshot) error { return nil }

func (p *played2) Steps() []migration.Step {
	first := migration.Step(&withChild{scripted: p.list[0], dir: p.dir})
	if p.rolls {
		first = &rollsAlone{p.list[0], p.dir}
	}
	return []migration.Step{first, &leavesFile{p.list[1], p.dir}}
}

type withChild struct {
	*scripted
	dir   string
	child *rkecli.Child
}

func (s *withChild) Do(ctx context.Context, tx *runner.Tx, _ migration.Snapshot) error {
	if s.child != nil {
		return nil
	}
	return tx.Effect(ctx, journal.Intent{What: "run rke up"}, func(context.Context) (err error) {
		script := filepath.Join(s.dir, "rke")
		text := fmt.Sprintf("#!/bin/sh\ncd %s\necho working\ntouch started\nwhile ! test -e go; do sleep 0.02; done\necho finished\ntouch ended\n", s.dir)
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			return err
		}
		s.child, err = rkecli.Start(script, nil, filepath.Join(s.dir, "rke.log"), io.Discard, nil, clock.RealClock{})
		return err
	})
}

func (s *withChild) Verify(context.Context, *runner.Tx, migration.Snapshot) (runner.Verdict, error) {
	if s.child.Running() {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to finish", Seen: "working"}, nil
	}
	if err := s.child.Err(); err != nil {
		return runner.Verdict{Kind: runner.Failed, Err: err}, nil //nolint:nilerr // the verdict has it
	}
	s.state = runner.State{Kind: runner.Done, Reason: "observed"}
	return runner.Verdict{Kind: runner.Met, Evidence: []string{"rke finished"}, Stable: 1}, nil
}

func (s *withChild) Finish(ctx context.Context, _ *runner.Tx, graceful bool) error {
	if graceful {
		select {
		case <-s.child.Done():
		case <-ctx.Done():
		}
	}
	s.child.Interrupt()
	return nil
}

type leavesFile struct {
	*scripted
	dir string
}

func (s *leavesFile) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	touch(filepath.Join(s.dir, "second"))
	return s.scripted.Do(ctx, tx, seen)
}

func touch(path string) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		panic(err)
	}
}

// pty is a pseudo-terminal of Linux (pty(7)).
func pty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number, unlock int32
	for request, into := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		var errno syscall.Errno
		err := raw.Control(func(fd uintptr) { // Fd would make its reads block, and its end wait for them
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(into)))
		})
		if err != nil || errno != 0 {
			t.Fatal(err, errno)
		}
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// onTerminal is a run as the foreground job of its own terminal.
type onTerminal struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	master *os.File
	shown  *screenshot
	read   chan struct{}
}

func startOnTerminal(t *testing.T, bend func(*exec.Cmd), args ...string) *onTerminal {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &onTerminal{t: t, dir: t.TempDir(), cmd: exec.Command(binary, args...), shown: &screenshot{}, read: make(chan struct{})}
	master, slave := pty(t)
	p.master = master
	// Nothing of these tests' own environment, in which CI or NO_COLOR would change what is shown,
	// but the switch of seeded defects.
	p.cmd.Env = []string{defect.Variable + "=" + os.Getenv(defect.Variable), "PATH=" + os.Getenv("PATH"), playVariable + "=" + p.dir, "XDG_STATE_HOME=" + p.dir, "SSH_CONNECTION=10.0.0.1 1 10.0.0.2 22", "TERM=xterm", "LANG=C.UTF-8"}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if bend != nil {
		bend(p.cmd)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	go func() { _, _ = io.Copy(p.shown, master); close(p.read) }()
	return p
}

// hangUp closes the terminal, after its signal went to the whole foreground group,
// as a shell that ends sends it.
func (p *onTerminal) hangUp() {
	p.t.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	_ = p.master.Close() // the second: the kernel's, to the leader of the session
}

func (p *onTerminal) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func (p *onTerminal) waitFor(name string) {
	p.t.Helper()
	p.until("a file "+name, func() bool { return p.has(name) })
}

func (p *onTerminal) waitToSee(text string) {
	p.t.Helper()
	p.until("to see "+text, func() bool { return strings.Contains(p.shown.String(), text) })
}

func (p *onTerminal) until(what string, is func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited a minute for %s:\n%s", what, p.shown)
		}
	}
}

// screenshot holds the output to a terminal so far.
type screenshot struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (s *screenshot) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

// String is all of it.
func (s *screenshot) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (p *onTerminal) end() int {
	p.t.Helper()
	err := p.cmd.Wait()
	select {
	case <-p.read: // all that it wrote was read
	case <-time.After(10 * time.Second): // a child of it still has the terminal
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		p.t.Fatal(err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()) // as a shell tells it
	}
	return exit.ExitCode()
}

func (p *onTerminal) log() string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "awsmigrate", "*.log"))
	if err != nil || len(files) > 1 {
		p.t.Fatalf("%v, %v", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		p.t.Errorf("log: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// A terminal that goes away ends neither the run nor its child. The current step is watched to
// its end, the next does not begin, and the log has the rest of the output.
func TestTerminalGoesAway(t *testing.T) {
	p := startOnTerminal(t, nil, "rke2", "--cluster", "demo")
	shown := func(text string) bool {
		return strings.Contains(strings.Join(strings.Fields(p.shown.String()), " "), text)
	}
	goesOn := "the output continues in " + p.dir
	p.waitFor("started")
	p.until("the first lines", func() bool { return shown(goesOn) }) // or the terminal goes before they were read
	p.hangUp()
	<-p.read
	touch(filepath.Join(p.dir, "go"))
	if code := p.end(); code != 129 {
		t.Errorf("exit %d\n%s\n%s", code, p.shown, p.log())
	}
	if !p.has("ended") || p.has("second") {
		t.Errorf("the child ended normally: %t; a second step began: %t", p.has("ended"), p.has("second"))
	}
	for _, want := range []string{"awsmigrate rke2 --cluster demo\n", "✓  enable-leader-migration", "rke finished", "terminal disconnected", "exit 129"} {
		if !strings.Contains(p.log(), want) {
			t.Errorf("the log lacks %q:\n%s", want, p.log())
		}
	}
	if strings.ContainsAny(p.log(), "\x1b\r") {
		t.Errorf("the log is drawn like a terminal: %q", p.log())
	}
	for _, want := range []string{"over SSH", "tmux", goesOn} {
		if !shown(want) {
			t.Errorf("the first lines lack %q:\n%s", want, p.shown)
		}
	}
}

// A machine reader gets its document: on standard output where that is a file, in
// the log where it was the terminal.
func TestDocumentAfterAHangUp(t *testing.T) {
	for name, redirected := range map[string]bool{"to a file": true, "to the terminal": false} {
		out := filepath.Join(t.TempDir(), "out")
		p := startOnTerminal(t, func(cmd *exec.Cmd) {
			if redirected {
				file, err := os.Create(out)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = file.Close() })
				cmd.Stdout = file
			}
		}, "rke2", "--cluster", "demo", "-o", "jsonl")
		p.waitFor("started")
		p.hangUp()
		touch(filepath.Join(p.dir, "go"))
		if code := p.end(); code != 129 {
			t.Errorf("%s: exit %d", name, code)
		}
		text := p.log()
		if redirected {
			read, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			text = string(read)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		var last view.ErrorDocument
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Kind != "Error" || last.Code != 129 || last.Reason != "HungUp" || last.Resume == "" {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}

// Standard output that is a closed pipe, as with `| head`, counts as a hang-up.
func TestPipeNobodyReads(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := startOnTerminal(t, func(cmd *exec.Cmd) { cmd.Stdout = writer }, "rke2", "--cluster", "demo", "-o", "jsonl")
	_ = writer.Close()
	p.waitFor("started")
	_ = reader.Close()
	touch(filepath.Join(p.dir, "go"))
	if code := p.end(); code != 129 {
		t.Errorf("exit %d\n%s", code, p.log())
	}
	if p.has("second") || !strings.Contains(p.log(), `"kind":"Error"`) {
		t.Errorf("a second step began: %t\n%s", p.has("second"), p.log())
	}
}

// A question whose terminal goes away is a no.
func TestHangUpAtTheQuestion(t *testing.T) {
	p := startOnTerminal(t, nil, "rke2", "--cluster", "demo", "--ask")
	p.waitToSee("accepted:")
	_ = p.master.Close()
	if code := p.end(); code != 129 || p.has("started") {
		t.Errorf("exit %d, begun %t\n%s", code, p.has("started"), p.log())
	}
}

// The user can see every line before the answer, and is then asked again; only yes approves.
func TestEveryLineAtTheQuestion(t *testing.T) {
	for answer, wanted := range map[string]int{"yes": 0, "y": 7, "YES": 7, "d": 7, "\x04": 7} {
		p := startOnTerminal(t, nil, "rke2", "--cluster", "demo", "--ask")
		p.waitToSee("accepted:")
		for _, names := range []string{"demo · context prod-admin, server https://rancher.example", "2 steps to do, 3 restarts on machines, about 6m", "awsmigrate rke2 undo --cluster demo"} {
			p.waitToSee(names)
		}
		if strings.Contains(p.shown.String(), "+ - enable-leader-migration") {
			t.Errorf("shown before it was asked for:\n%s", p.shown)
		}
		p.types("d\n")
		p.waitToSee("+ - enable-leader-migration")
		p.until("the question again", func() bool { return strings.Count(p.shown.String(), "accepted:") == 2 })
		if answer == "yes" {
			touch(filepath.Join(p.dir, "go"))
		}
		if answer == "d" { // and then the terminal's end of input
			p.types("d\n")
			p.until("the question again", func() bool { return strings.Count(p.shown.String(), "accepted:") == 3 })
			answer = "\x04"
		}
		if answer != "\x04" {
			answer += "\n"
		}
		p.types(answer)
		if code := p.end(); code != wanted || p.has("started") != (wanted == 0) {
			t.Errorf("%q: exit %d, begun %t\n%s", answer, code, p.has("started"), p.shown)
		}
	}
}

// types sends a user's input.
func (p *onTerminal) types(text string) {
	p.t.Helper()
	if _, err := p.master.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// A signal that nohup ignores stays ignored; the run continues to its end.
func TestIgnoredHangUpStaysIgnored(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := startOnTerminal(t, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, binary, "rke2", "--cluster", "demo"}
	})
	p.waitFor("started")
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	touch(filepath.Join(p.dir, "go"))
	if code := p.end(); code != 0 || !p.has("second") {
		t.Errorf("exit %d, second %t", code, p.has("second"))
	}
	if log := p.log(); log != "" {
		t.Errorf("a log was kept of a run that was watched to its end: %s", log)
	}
}

// A read-only command ends at once.
func TestHangUpEndsACommandThatLooks(t *testing.T) {
	p := startOnTerminal(t, nil, "--look")
	p.waitFor("looking")
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 129 {
		t.Errorf("exit %d", code)
	}
}

// A first Ctrl-C that lets the child finish is not made a second one by a terminal
// that goes away meanwhile; a second one after a hang-up still leaves at once.
func TestInterruptsAndHangUps(t *testing.T) {
	t.Run("interrupt, then hang-up", func(t *testing.T) {
		p := startOnTerminal(t, nil, "rke2", "--cluster", "demo")
		p.waitFor("started")
		p.signal(syscall.SIGINT)
		p.waitToSee("interrupted:")
		p.hangUp()
		touch(filepath.Join(p.dir, "go"))
		if code := p.end(); code != 130 || !p.has("ended") {
			t.Errorf("exit %d, the child ended normally: %t", code, p.has("ended"))
		}
	})
	t.Run("hang-up, then interrupts", func(t *testing.T) {
		p := startOnTerminal(t, nil, "rke2", "--cluster", "demo")
		p.waitFor("started")
		p.signal(syscall.SIGHUP)
		p.until("the log to say hang-up", func() bool { return strings.Contains(p.log(), "hang-up:") })
		p.signal(syscall.SIGINT)
		p.until("the log to say interrupted", func() bool { return strings.Contains(p.log(), "interrupted:") })
		p.signal(syscall.SIGINT)
		if code := p.end(); code != 130 || p.has("second") {
			t.Errorf("exit %d", code)
		}
	})
}

func (p *onTerminal) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (*played2) Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error) {
	return procedure.Foreseen{}, nil
}
