package container

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Become turns this process into the container of a file. It returns only with an error.
func Become(path string) error {
	s, err := read(path)
	if err != nil {
		return err
	}
	// Namespaces belong to a thread; exec makes its thread the process.
	runtime.LockOSThread()
	for _, part := range []struct {
		what string
		do   func() error
	}{
		{"leaving the machine's mounts", leaveMounts},
		{"mounting", s.mount},
		{"entering its root", s.enter},
		{"giving up rights", s.giveUp},
	} {
		if err := part.do(); err != nil {
			return fmt.Errorf("container %s: %s: %w", s.Args[0], part.what, err)
		}
	}
	if err := syscall.Exec(s.Args[0], s.Args, s.Env); err != nil {
		return fmt.Errorf("container: starting %s: %w", s.Args[0], err)
	}
	return nil
}

// giveUp gives the process the container's user. No program that it starts can gain rights
// again.
func (s Spec) giveUp() error {
	for capability := uintptr(0); capability <= unix.CAP_LAST_CAP; capability++ {
		// A kernel may know fewer capabilities than this program.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && err != unix.EINVAL {
			return fmt.Errorf("capability %d: %w", capability, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	if err := syscall.Setresgid(s.Group, s.Group, s.Group); err != nil {
		return fmt.Errorf("group %d: %w", s.Group, err)
	}
	if err := syscall.Setresuid(s.User, s.User, s.User); err != nil {
		return fmt.Errorf("user %d: %w", s.User, err)
	}
	// A change of the user makes the kernel forget the parent whose death must end this process.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the lab: %w", err)
	}
	return nil
}
