//go:build linux || darwin

package console

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// keysOf has a terminal give each key at once and show none, until restore is called.
// Ctrl-C goes on being a signal. In the background nobody is asked: a process that reads
// from a terminal there is stopped.
func keysOf(terminal *os.File) (keys <-chan byte, restore func(), err error) {
	fd := int(terminal.Fd())
	front, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil {
		return nil, nil, err
	}
	if front != unix.Getpgrp() {
		return nil, nil, errors.New("this process is in the background of its terminal")
	}
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, nil, err
	}
	now := *before
	now.Lflag &^= unix.ECHO | unix.ICANON
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
		return nil, nil, err
	}
	typed, over, ended := make(chan byte), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		read(fd, typed, over)
	}()
	return typed, func() {
		close(over)
		<-ended // whoever reads on takes a later question's answer
		_ = unix.IoctlSetTermios(fd, setTermios, before)
	}, nil
}

// looksFor is how long, in milliseconds, is waited for a key before it is seen whether
// somebody still waits for one.
const looksFor = 50

// read sends what is typed until over is closed, or nothing can be read any more.
func read(fd int, typed chan<- byte, over <-chan struct{}) {
	defer close(typed)
	var one [1]byte
	for {
		select {
		case <-over:
			return
		default:
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // of a file descriptor
		if n, err := unix.Poll(ready, looksFor); n == 0 || errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return
		}
		if n, err := unix.Read(fd, one[:]); n != 1 || err != nil {
			return
		}
		select {
		case typed <- one[0]:
		case <-over:
			return
		}
	}
}
