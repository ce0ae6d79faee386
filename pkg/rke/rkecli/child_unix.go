//go:build unix

package rkecli

import (
	"os/exec"
	"syscall"
)

// ownGroup protects the child from a terminal's Ctrl-C: the first one is for us alone and lets
// rke finish.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
