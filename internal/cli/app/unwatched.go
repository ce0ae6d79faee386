package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
)

// Unwatched redirects a run's output when the terminal is gone.
type Unwatched struct {
	out, err *outlet
	log      *runLog
}

// Outlive keeps a run and its output alive when the terminal goes away. It is called once, before
// the run prints anything.
func (a *App) Outlive() *Unwatched {
	u := &Unwatched{log: newRunLog(a.Streams.Env, time.Now(), os.Getpid(), a.CommandLine())}
	gone := func() { a.Signals.notice(hangUp) }
	a.stdout.detaches = true
	u.out = &outlet{to: a.Streams.Out, terminal: a.Streams.OutTerminal, log: u.log, gone: gone}
	u.err = &outlet{to: a.Streams.Err, terminal: a.Streams.ErrTerminal, log: u.log, gone: gone}
	a.Streams.Out, a.Streams.Err, a.Unwatched = u.out, u.err, u
	a.Signals.outlive(u.lastSay)
	return u
}

// lastSay announces the log file, and moves terminal output there. A file or a pipe keeps its
// output.
func (u *Unwatched) lastSay() {
	text := "\r\nhang-up: the current step is watched to its end, no further step begins; the output continues in " + u.log.path + "\r\n"
	for _, o := range []*outlet{u.err, u.out} {
		o.move(text)
	}
}

// RunOutput returns where and how a run is shown.
func (a *App) RunOutput(progress runview.Progress) runview.Output {
	o := runview.Output{Streams: a.Streams, Format: a.Output, Progress: progress, Clock: clock.RealClock{}, Asks: a.canAsk()}
	if a.Unwatched != nil {
		o.Fallback = a.Unwatched
	}
	return o
}

// Where implements view.Fallback. It creates the log on demand.
func (u *Unwatched) Where() string {
	if err := u.log.open(); err != nil {
		return fmt.Sprintf("no log file could be made (%v): if this terminal goes away, what follows is lost", err)
	}
	return "if this terminal disconnects, the output continues in " + u.log.path
}

// OnTerminal implements view.Fallback.
func (u *Unwatched) OnTerminal() bool { return u.out.terminal || u.err.terminal }

// Watched implements view.Fallback.
func (u *Unwatched) Watched(out io.Writer) bool {
	o, is := out.(*outlet)
	return !is || o.watched()
}

// Drawing implements view.Fallback.
func (u *Unwatched) Drawing(out io.Writer) io.Writer {
	if o, is := out.(*outlet); is {
		return drawnOn{o}
	}
	return out
}

// OverSSH returns a hint for a terminal that depends on a connection. It is empty without one, or
// with a multiplexer.
func OverSSH(s console.Streams) string {
	over := s.Env("SSH_CONNECTION") != "" || s.Env("SSH_TTY") != ""
	if !over || !s.ErrTerminal || s.Env("TMUX") != "" || s.Env("STY") != "" {
		return ""
	}
	return "over SSH: if the connection is lost, the run stops after the current step; in tmux it would continue"
}

// outlet is a standard stream that may be closed during a run.
type outlet struct {
	to       io.Writer
	terminal bool
	log      *runLog
	gone     func() // called after a write to a closed stream

	mu    sync.Mutex
	moved bool
}

// Write implements io.Writer. Text that the stream does not accept goes to the log.
func (o *outlet) Write(text []byte) (int, error) {
	n, lost, err := o.write(text)
	if lost {
		o.gone()
	}
	return n, err
}

func (o *outlet) write(text []byte) (n int, lost bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.moved {
		n, err := o.to.Write(text)
		if !isReaderGone(err) {
			return n, false, err
		}
		o.moved, lost = true, true
	}
	o.log.write(o, text)
	return len(text), lost, nil
}

// drawnOn is an outlet for output without a meaning in a log.
type drawnOn struct{ *outlet }

// Write implements io.Writer. Text that the stream does not accept is lost.
func (d drawnOn) Write(text []byte) (int, error) {
	lost, err := d.draw(text)
	if lost {
		d.gone()
	}
	return len(text), err
}

func (d drawnOn) draw(text []byte) (lost bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.moved {
		return false, nil
	}
	_, err = d.to.Write(text)
	if isReaderGone(err) {
		d.moved = true
		return true, nil
	}
	return false, err
}

// isReaderGone reports whether a write failed because its reader is gone: a closed pipe (EPIPE),
// or a terminal that hung up (EIO).
func isReaderGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO)
}

// move redirects terminal output to the log, after lastWords.
func (o *outlet) move(lastWords string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.moved || !o.terminal {
		return
	}
	_, _ = io.WriteString(o.to, lastWords) // a closed terminal accepts none
	o.moved = true
}

// watched reports whether output still reaches its destination.
func (o *outlet) watched() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.moved
}

// runLog is the file for a run's output after its terminal is gone. It is created at the first
// use, and removed if it stays empty.
type runLog struct {
	path    string
	command string

	mu     sync.Mutex
	file   *os.File
	err    error
	opened bool
	used   bool
	last   *outlet // wrote last
	inLine bool    // its last line has not ended
}

// newRunLog names the log of a process.
func newRunLog(env func(string) string, now time.Time, pid int, command string) *runLog {
	return &runLog{path: stateFile(env, now, pid, logEnding), command: command}
}

// open creates the file, readable by its owner only. It must not exist.
func (l *runLog) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ready()
}

// ready opens the log if necessary. The caller holds l.mu.
func (l *runLog) ready() error {
	if l.opened {
		return l.err
	}
	l.opened = true
	if l.err = os.MkdirAll(filepath.Dir(l.path), 0o700); l.err == nil {
		l.file, l.err = os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	return l.err
}

// drawing matches terminal control sequences, which have no meaning in a file.
var drawing = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\r")

// write appends the text of a stream. It ends a line that another stream has begun.
func (l *runLog) write(from *outlet, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready() != nil {
		return
	}
	if !l.used {
		fmt.Fprintf(l.file, "%s\n", l.command)
		l.used = true
	}
	text = drawing.ReplaceAll(bytes.Clone(text), nil)
	if len(text) == 0 {
		return
	}
	if l.inLine && l.last != from && text[0] != '\n' {
		text = append([]byte("\n"), text...)
	}
	l.last, l.inLine = from, text[len(text)-1] != '\n'
	_, _ = l.file.Write(text)
}

// close closes the file, and removes it if it is empty.
func (l *runLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	_ = l.file.Close()
	if !l.used {
		_ = os.Remove(l.path)
	}
}
