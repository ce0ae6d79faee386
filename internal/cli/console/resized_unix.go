//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
)

// watchResize returns a channel for SIGWINCH and a function that ends the notification.
func watchResize() (<-chan os.Signal, func()) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGWINCH)
	return got, func() { signal.Stop(got) }
}
