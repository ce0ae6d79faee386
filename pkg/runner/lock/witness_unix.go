//go:build unix

package lock

import "syscall"

// noFollow opens no link in the last part of a path.
const noFollow = syscall.O_NOFOLLOW
