//go:build unix

package ownfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock that belongs to the open file, and so to every process
// that has inherited it.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
