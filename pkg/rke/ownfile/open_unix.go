//go:build unix

package ownfile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow refuses links, and does not wait for the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// foreign returns an error if an open file may belong to another user.
func foreign(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("its owner cannot be seen")
	case stat.Nlink != 1:
		return fmt.Errorf("it has %d names", stat.Nlink)
	case int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("it belongs to the user with the number %d, not %d", stat.Uid, os.Geteuid())
	}
	return nil
}
