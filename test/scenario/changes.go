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

// lockedWriter makes a writer safe for concurrent use.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// changes passes on each line that differs from the previous one in more than the last word, which
// is an age.
type changes struct {
	to   io.Writer
	rest string // an unfinished line
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

// watchMigration prints the object of the lab's cluster as kubectl does, one line per change. It
// ends when the returned function is called.
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
		_ = cmd.Wait() // it was ended on purpose
	}, nil
}
