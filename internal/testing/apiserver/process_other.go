//go:build !linux

package apiserver

import "syscall"

// diesWithParent promises nothing here: the lab's binaries run on Linux.
func diesWithParent() *syscall.SysProcAttr { return nil }
