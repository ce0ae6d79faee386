//go:build unix

package ownfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the open file description, which every process that inherits the file shares.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
