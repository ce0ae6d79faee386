//go:build linux || darwin

package console

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// keysOf makes a terminal deliver each key at once without echo, until restore is called. Ctrl-C stays
// a signal. It returns an error in the background, where reading from a terminal stops the process.
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
	pressed, done, ended := make(chan byte), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		readKeys(fd, pressed, done)
	}()
	return pressed, func() {
		close(done)
		<-ended // a pending read would consume the answer to a later question
		_ = unix.IoctlSetTermios(fd, setTermios, before)
	}, nil
}

// pollMilliseconds is the interval at which readKeys checks whether it must stop.
const pollMilliseconds = 50

// readKeys sends pressed keys until done is closed or reading fails.
func readKeys(fd int, pressed chan<- byte, done <-chan struct{}) {
	defer close(pressed)
	var one [1]byte
	for {
		select {
		case <-done:
			return
		default:
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // of a file descriptor
		if n, err := unix.Poll(ready, pollMilliseconds); n == 0 || errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return
		}
		if n, err := unix.Read(fd, one[:]); n != 1 || err != nil {
			return
		}
		select {
		case pressed <- one[0]:
		case <-done:
			return
		}
	}
}
