package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Follow records a running process that another program started, and its end. It returns an error
// if the process has ended already. The record has no exit code, which only a parent gets.
func (s *Supervisor) Follow(ctx context.Context, spec Spec, pid int) (*Process, error) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("following %s (pid %d): %w", spec.Name, pid, err)
	}
	started, err := startedAt(pid)
	if err != nil {
		return nil, errors.Join(err, unix.Close(handle))
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return nil, errors.Join(err, unix.Close(handle))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(fmt.Errorf("following %s: the supervisor is closed", spec.Name), unix.Close(handle))
	}
	if err := Mark(s.dir, spec.Name, pid); err != nil {
		return nil, errors.Join(err, unix.Close(handle))
	}
	p := &Process{Spec: spec, Started: started, process: process, foreign: true, done: make(chan struct{})}
	s.running[spec.Name+" "+strconv.Itoa(pid)] = p // its successor may start before it ends
	s.write(p, Start, started, nil)
	go s.followed(ctx, p, handle)
	return p, nil
}

// followed waits for the end of a process.
func (s *Supervisor) followed(ctx context.Context, p *Process, handle int) {
	defer unix.Close(handle)
	for ctx.Err() == nil {
		const period = 500 * time.Millisecond // in which the end of ctx is seen; the process's end is seen at once
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, int(period.Milliseconds()))
		if ready == 0 || errors.Is(err, unix.EINTR) {
			continue
		}
		ended := time.Now()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.write(p, Exit, ended, nil)
		s.forget(p)
		return
	}
}

// ticksPerSecond is the unit of times in /proc/<pid>/stat (USER_HZ, 100 on every Linux platform of
// the lab).
const ticksPerSecond = 100

// startedAt returns the start of a process, in steps of 10 ms.
func startedAt(pid int) (time.Time, error) {
	text, err := startTicks(pid)
	if err != nil {
		return time.Time{}, err
	}
	ticks, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	now := time.Now()
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}, err
	}
	first, _, _ := strings.Cut(string(uptime), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("/proc/uptime %q: %w", uptime, err)
	}
	boot := now.Add(-time.Duration(seconds * float64(time.Second)))
	return boot.Add(time.Duration(ticks) * time.Second / ticksPerSecond), nil
}
