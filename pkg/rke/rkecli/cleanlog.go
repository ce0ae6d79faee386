package rkecli

import (
	"bufio"
	"os"
	"path/filepath"
)

// clean replaces the log of an rke that has ended by its lines as they were shown: who
// prints the file to a terminal is as safe as who looked on. rke writes the file itself, so
// that it outlives this process; where this process dies first, or the file cannot be
// replaced, the log stays as rke wrote it.
func (c *Child) clean(log *os.File) {
	if !c.unclean {
		return
	}
	next, err := os.CreateTemp(filepath.Dir(c.Log), filepath.Base(c.Log)+".*")
	if err != nil {
		return
	}
	defer func() { _ = os.Remove(next.Name()) }() // which a rename has taken away
	out := bufio.NewWriter(next)
	lines := &tail{log: log, line: func(line string) { _, _ = out.WriteString(harmless(line) + "\n") }}
	lines.read(true)
	if out.Flush() != nil || next.Close() != nil {
		return
	}
	_ = os.Rename(next.Name(), c.Log)
}
