//go:build unix

package rkecli

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the child: the first one is for us
// alone, and lets rke finish.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
