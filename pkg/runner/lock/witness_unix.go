//go:build unix

package lock

import "syscall"

// noFollow makes open fail if the last element of the path is a link.
const noFollow = syscall.O_NOFOLLOW
