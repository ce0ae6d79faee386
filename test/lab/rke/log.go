package rke

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Log writes as logrus does without a terminal. All output of rke goes to stdout, including the
// last message of a failed run.
type Log struct {
	Out   io.Writer // io.Discard with --quiet
	Debug bool
	Now   func() time.Time

	mu sync.Mutex
}

func (l *Log) infof(format string, args ...any)  { l.write("info", format, args) }
func (l *Log) warnf(format string, args ...any)  { l.write("warning", format, args) }
func (l *Log) errorf(format string, args ...any) { l.write("error", format, args) }
func (l *Log) fatalf(format string, args ...any) { l.write("fatal", format, args) }
func (l *Log) debugf(format string, args ...any) {
	if l.Debug {
		l.write("debug", format, args)
	}
}

func (l *Log) write(level, format string, args []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.Out, "time=%q level=%s msg=%q\n", l.Now().Format(time.RFC3339), level, fmt.Sprintf(format, args...))
}
