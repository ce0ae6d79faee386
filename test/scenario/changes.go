package scenario

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// lockedWriter lets several write to one.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// changes passes lines on that differ from the one before in more than their last word,
// which is an age.
type changes struct {
	to   io.Writer
	rest string // of a line that has no end yet
	last string
}

func (c *changes) Write(p []byte) (int, error) {
	lines := strings.Split(c.rest+string(p), "\n")
	c.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		trimmed := strings.TrimRight(line, " ")
		shown := trimmed[:max(strings.LastIndex(trimmed, " "), 0)]
		if shown = strings.TrimRight(shown, " "); shown == c.last {
			continue
		}
		c.last = shown
		if _, err := fmt.Fprintln(c.to, line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// watchMigration shows the object of the lab's cluster as kubectl does, a line for each
// change, until the function that it returns is called.
func (l *Lab) watchMigration(ctx context.Context, out io.Writer) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "lab.d", "kubectl"), "--kubeconfig", l.Kubeconfig("management"),
		"get", "awsm", "-n", clusterNamespace, clusterName, "-w")
	cmd.Stdout, cmd.Stderr = &changes{to: out}, io.Discard
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("kubectl get awsm -w: %w", err)
	}
	return func() {
		cancel()
		_ = cmd.Wait() // it was told to end
	}, nil
}
