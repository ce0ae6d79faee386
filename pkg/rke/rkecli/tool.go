package rkecli

import (
	"context"
	"io"
	"os"

	"k8s.io/utils/clock"
)

// Tool is the rke binary as a migration uses it.
type Tool interface {
	// Find does what the function Find does.
	Find(ctx context.Context, name string, kubernetes ...string) (Binary, error)
	// Start does what the function Start does.
	Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (Running, error)
}

// Running is one run of it, as Child is.
type Running interface {
	// Running says whether it has not ended yet.
	Running() bool
	// Done is closed at its end.
	Done() <-chan struct{}
	// Seen is its last line, and a mark that changes with every line.
	Seen() (last, mark string)
	// Interrupt asks it to end at once.
	Interrupt()
	// Err is why it did not end well; nil while it runs, and if it did.
	Err() error
	// LogPath is where its output is kept.
	LogPath() string
}

// Local is the real one, on this machine.
type Local struct{}

// Find implements Tool.
func (Local) Find(ctx context.Context, name string, kubernetes ...string) (Binary, error) {
	return Find(ctx, name, kubernetes...)
}

// Start implements Tool.
func (Local) Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (Running, error) {
	child, err := Start(binary, args, log, live, keep, clk)
	if err != nil {
		return nil, err // and no *Child that is nil and yet somebody
	}
	return child, nil
}
