package proc

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// ShimCommand is the first argument of a program that calls RunShim; a host name, a program,
// its argv[0] and its arguments follow.
const ShimCommand = "shim"

// launcher starts processes from one operating-system thread that lives as long as the
// supervisor. The kernel sends the parent-death signal when that thread ends, not when the
// process does. A thread of the scheduler's choice would kill children at random.
type launcher struct {
	jobs chan func()
	done chan struct{}
}

// newLauncher gives the thread its own host name if permitted. Without root the shim sets it in
// a user namespace, per process.
func newLauncher(hostname string) (*launcher, error) {
	l := &launcher{jobs: make(chan func()), done: make(chan struct{})}
	ready := make(chan error)
	go func() {
		defer close(l.done)
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		if hostname != "" {
			if err := ownHostname(hostname); err != nil {
				ready <- err
				return
			}
		}
		ready <- nil
		for job := range l.jobs {
			job()
		}
	}()
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("giving a thread the host name %s: %w", hostname, err)
	}
	return l, nil
}

func ownHostname(name string) error {
	if err := syscall.Unshare(syscall.CLONE_NEWUTS); err != nil {
		return err
	}
	return syscall.Sethostname([]byte(name))
}

func (l *launcher) start(cmd *exec.Cmd) error {
	result := make(chan error)
	l.jobs <- func() { result <- cmd.Start() }
	return <-result
}

// close ends the thread. The kernel then kills the processes that it started.
func (l *launcher) close() {
	close(l.jobs)
	<-l.done
}

// commandInShim makes cmd start through the shim, as root of its own user namespace, which is the
// only way to a host name without privileges.
func commandInShim(shim []string, hostname string, argv []string, path string) (*exec.Cmd, error) {
	if len(shim) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		shim = []string{exe, ShimCommand}
	}
	args := append(append([]string{}, shim[1:]...), hostname, path)
	cmd := exec.Command(shim[0], append(args, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd, nil
}

// RunShim sets the host name args[0] and executes the program args[1] with the argument vector
// args[2:]. It returns only with an error.
func RunShim(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("%s wants HOSTNAME PROGRAM ARGV0 [ARG...], got %q", ShimCommand, args)
	}
	if err := syscall.Sethostname([]byte(args[0])); err != nil {
		return fmt.Errorf("setting host name %s: %w", args[0], err)
	}
	if err := syscall.Exec(args[1], args[2:], os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", args[1], err)
	}
	return nil
}
