package rkecli

import (
	"context"
	"io"
	"os"

	"k8s.io/utils/clock"
)

// Tool is the interface of a migration to the rke binary.
type Tool interface {
	// Find finds rke and reads its version and images, as the function Find does.
	Find(ctx context.Context, name string, kubernetes ...string) (Binary, error)
	// Start starts a run, as the function Start does.
	Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (Running, error)
}

// Running is a running rke process; Child implements it.
type Running interface {
	// Running reports whether the process has not ended.
	Running() bool
	// Done returns a channel that is closed when the process ends.
	Done() <-chan struct{}
	// Seen returns the last line, and a mark that changes with every line.
	Seen() (last, mark string)
	// Interrupt asks the process to end at once.
	Interrupt()
	// Err returns why the process failed, or nil if it is running or has succeeded.
	Err() error
	// LogPath returns the path of the output.
	LogPath() string
}

// Local implements Tool on this machine.
type Local struct{}

// Find implements Tool.
func (Local) Find(ctx context.Context, name string, kubernetes ...string) (Binary, error) {
	return Find(ctx, name, kubernetes...)
}

// Start implements Tool.
func (Local) Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (Running, error) {
	child, err := Start(binary, args, log, live, keep, clk)
	if err != nil {
		return nil, err // not a nil *Child in a non-nil interface
	}
	return child, nil
}
