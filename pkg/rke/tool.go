package rke

import (
	"context"
	"io"
	"os"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

// Tool is the rke binary as a migration uses it.
type Tool interface {
	// Find is FindBinary.
	Find(ctx context.Context, name string, kubernetes ...string) (Binary, error)
	// Start is StartChild.
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

func (p *Procedure) tool() Tool {
	if p.edges.Tool != nil {
		return p.edges.Tool
	}
	return binaryTool{}
}

func (p *Procedure) disk() clusterfile.FS {
	if p.edges.Disk != nil {
		return p.edges.Disk
	}
	return clusterfile.Disk{}
}

// binaryTool runs a real one.
type binaryTool struct{}

// Find implements Tool.
func (binaryTool) Find(ctx context.Context, name string, kubernetes ...string) (Binary, error) {
	return FindBinary(ctx, name, kubernetes...)
}

// Start implements Tool.
func (binaryTool) Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (Running, error) {
	child, err := StartChild(binary, args, log, live, keep, clk)
	if err != nil {
		return nil, err // and no *Child that is nil and yet somebody
	}
	return child, nil
}
