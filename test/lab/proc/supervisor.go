package proc

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// closeGrace is the time that Close allows for processes to exit on their own.
const closeGrace = 2 * time.Second

// Supervisor starts processes and records their starts and exits.
type Supervisor struct {
	// Shim is the command that calls RunShim. It is used only if the supervisor may not set a
	// host name itself. The default is this program's own ShimCommand.
	Shim []string

	dir    string
	record *recorder

	mu        sync.Mutex
	closed    bool
	launchers map[string]*launcher
	running   map[string]*Process
	failed    error // the first failed write of a record
}

// New returns a supervisor whose record and pid files are under dir. It kills nothing; the
// caller runs Sweep before.
func New(dir string) (*Supervisor, error) {
	if err := os.MkdirAll(filepath.Join(dir, pidDir), 0o755); err != nil {
		return nil, err
	}
	record, err := openRecorder(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the process record: %w", err)
	}
	return &Supervisor{
		dir:       dir,
		record:    record,
		launchers: map[string]*launcher{},
		running:   map[string]*Process{},
	}, nil
}

// Start starts a process and records it. It refuses the name of a running process.
func (s *Supervisor) Start(spec Spec) (*Process, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("starting %s: the supervisor is closed", spec.Name)
	}
	if p, ok := s.running[spec.Name]; ok {
		return nil, fmt.Errorf("starting %s: it already runs with pid %d", spec.Name, p.Pid())
	}
	p, err := s.launch(spec)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	s.running[spec.Name] = p
	return p, nil
}

// WithoutAWS returns an environment without variables that point to an AWS. A process of the lab gets its own, and the
// variables of `lab env` in the shell that boots the lab are for the clients of another lab.
func WithoutAWS(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(one string) bool { return strings.HasPrefix(one, "AWS_") })
}

func (s *Supervisor) launch(spec Spec) (*Process, error) {
	cmd, on, err := s.command(spec)
	if err != nil {
		return nil, err
	}
	log, err := spec.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(WithoutAWS(os.Environ()), spec.Env...)
	cmd.SysProcAttr.Cloneflags |= spec.Namespaces
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.Setpgid = true // only the supervisor gets a terminal's Ctrl-C

	started := time.Now()
	if err := on.start(cmd); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	if err := Mark(s.dir, spec.Name, pid); err != nil {
		if _, exited := startTicks(pid); exited == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return nil, err
		}
		// It has exited and needs no pid file.
	}
	p := &Process{Spec: spec, Started: started, process: cmd.Process, done: make(chan struct{})}
	s.write(p, Start, started, nil)
	go s.reap(p, cmd.Wait)
	return p, nil
}

// command selects the thread and the method by which the process gets its host name.
func (s *Supervisor) command(spec Spec) (*exec.Cmd, *launcher, error) {
	if spec.Hostname != "" && os.Geteuid() != 0 {
		cmd, err := commandInShim(s.Shim, spec.Hostname, spec.argv(), spec.Path)
		if err != nil {
			return nil, nil, err
		}
		on, err := s.launcher("")
		return cmd, on, err
	}
	on, err := s.launcher(spec.Hostname)
	if err != nil {
		return nil, nil, err
	}
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.argv(), SysProcAttr: &syscall.SysProcAttr{}}
	return cmd, on, nil
}

func (s *Supervisor) launcher(hostname string) (*launcher, error) {
	if l, ok := s.launchers[hostname]; ok {
		return l, nil
	}
	l, err := newLauncher(hostname)
	if err != nil {
		return nil, err
	}
	s.launchers[hostname] = l
	return l, nil
}

func (s *Supervisor) reap(p *Process, wait func() error) {
	err := wait()
	ended := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.code = exitCode(err)
	s.write(p, Exit, ended, &p.code)
	s.forget(p)
}

// forget removes a process that has exited.
func (s *Supervisor) forget(p *Process) {
	if err := Unmark(s.dir, p.Pid()); err != nil && s.failed == nil {
		s.failed = err
	}
	maps.DeleteFunc(s.running, func(_ string, other *Process) bool { return other == p })
	close(p.done)
}

func (s *Supervisor) write(p *Process, event string, at time.Time, code *int) {
	err := s.record.write(Record{
		Time: at, Event: event, Name: p.Spec.Name, Kind: p.Spec.Kind, Node: p.Spec.Node,
		PID: p.Pid(), InnerPID: p.Spec.InnerPID, Args: p.Spec.Args, Log: p.Spec.Log, ExitCode: code,
	})
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("recording the %s of %s: %w", event, p.Spec.Name, err)
	}
}

// Processes returns the running processes, by name.
func (s *Supervisor) Processes() []*Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*Process, 0, len(s.running))
	for _, p := range s.running {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Spec.Name < out[j].Spec.Name })
	return out
}

// Find returns the running process of that name.
func (s *Supervisor) Find(name string) (*Process, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.running[name]
	return p, ok
}

// Err returns the first start or exit that could not be recorded, or nil. An incomplete record
// is no evidence.
func (s *Supervisor) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Close stops all processes that it started at once, and ends the supervisor.
func (s *Supervisor) Close() error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	if already {
		return nil
	}
	var stopping sync.WaitGroup
	for _, p := range s.Processes() {
		if !p.foreign {
			stopping.Go(func() { p.Stop(closeGrace) })
		}
	}
	stopping.Wait()
	for _, l := range s.launchers {
		l.close()
	}
	return errors.Join(s.Err(), s.record.close())
}
