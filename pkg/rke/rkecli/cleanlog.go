package rkecli

import (
	"bufio"
	"os"
	"path/filepath"
)

// replaceLog replaces the log of a finished rke by its lines as they were shown, so that it is
// safe to print the file to a terminal. rke writes the file itself in order to outlive this
// process. If this process dies first, or the file cannot be replaced, the log remains as rke
// wrote it.
func (c *Child) replaceLog(log *os.File) {
	if !c.unclean {
		return
	}
	next, err := os.CreateTemp(filepath.Dir(c.Log), filepath.Base(c.Log)+".*")
	if err != nil {
		return
	}
	defer func() { _ = os.Remove(next.Name()) }() // no effect after the rename
	out := bufio.NewWriter(next)
	lines := &tail{log: log, line: func(line string) { _, _ = out.WriteString(showControls(line) + "\n") }}
	lines.read(true)
	if out.Flush() != nil || next.Close() != nil {
		return
	}
	_ = os.Rename(next.Name(), c.Log)
}
