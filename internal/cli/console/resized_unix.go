//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
)

// resized tells of SIGWINCH.
func resized() (<-chan os.Signal, func()) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGWINCH)
	return got, func() { signal.Stop(got) }
}
