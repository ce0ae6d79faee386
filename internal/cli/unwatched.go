package cli

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

// unwatched is what a run does about its output once nobody takes it any more.
type unwatched struct {
	out, err *outlet
	log      *runLog
}

// outlive keeps a run alive, and its output, when the terminal goes away. It is
// called once, before the run prints anything.
func (a *app) outlive() *unwatched {
	u := &unwatched{log: newRunLog(a.streams.Env, time.Now(), os.Getpid(), a.commandLine())}
	gone := func() { a.signals.notice(hangUp) }
	u.out = &outlet{to: a.streams.Out, terminal: a.streams.OutTerminal, log: u.log, gone: gone}
	u.err = &outlet{to: a.streams.Err, terminal: a.streams.ErrTerminal, log: u.log, gone: gone}
	a.streams.Out, a.streams.Err, a.unwatched = u.out, u.err, u
	a.signals.outlive(u.lastSay)
	return u
}

// lastSay says to whoever is still there where the output goes on, and moves there
// what went to a terminal. A file or a pipe goes on taking it.
func (u *unwatched) lastSay() {
	text := "\r\nhang-up: what was begun is watched to its end, no further step begins; the output goes on in " + u.log.path + "\r\n"
	for _, o := range []*outlet{u.err, u.out} {
		o.move(text)
	}
}

// runOutput is where a run is shown, and how.
func (a *app) runOutput(progress runview.Progress) runview.Output {
	o := runview.Output{Streams: a.streams, Format: a.output, Progress: progress, Clock: clock.RealClock{}}
	if a.unwatched != nil {
		o.Fallback = a.unwatched
	}
	return o
}

// Where implements view.Fallback. It makes the log, once there is something to lose.
func (u *unwatched) Where() string {
	if err := u.log.open(); err != nil {
		return fmt.Sprintf("no log file could be made (%v): if this terminal goes away, what follows is lost", err)
	}
	return "if this terminal goes away, the output goes on in " + u.log.path
}

// OnTerminal implements view.Fallback.
func (u *unwatched) OnTerminal() bool { return u.out.terminal || u.err.terminal }

// Watched implements view.Fallback.
func (u *unwatched) Watched(out io.Writer) bool {
	o, is := out.(*outlet)
	return !is || o.watched()
}

// Drawing implements view.Fallback.
func (u *unwatched) Drawing(out io.Writer) io.Writer {
	if o, is := out.(*outlet); is {
		return drawnOn{o}
	}
	return out
}

// overSSH is what somebody should know whose terminal hangs on a connection; "":
// it does not, or is kept by a multiplexer.
func overSSH(s console.Streams) string {
	over := s.Env("SSH_CONNECTION") != "" || s.Env("SSH_TTY") != ""
	if !over || !s.ErrTerminal || s.Env("TMUX") != "" || s.Env("STY") != "" {
		return ""
	}
	return "over SSH: if the connection is lost, the step in hand is watched to its end and no further one begins; in tmux the run would go on"
}

// outlet is a standard stream that may go away under a run.
type outlet struct {
	to       io.Writer
	terminal bool
	log      *runLog
	gone     func() // is called after a write that found nobody

	mu    sync.Mutex
	moved bool
}

// Write implements io.Writer. What the stream does not take goes to the log.
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
		if !nobodyThere(err) {
			return n, false, err
		}
		o.moved, lost = true, true
	}
	o.log.write(text)
	return len(text), lost, nil
}

// drawnOn is an outlet for what means nothing in a log.
type drawnOn struct{ *outlet }

// Write implements io.Writer. What the stream does not take is gone.
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
	if nobodyThere(err) {
		d.moved = true
		return true, nil
	}
	return false, err
}

// nobodyThere says whether a write failed because its reader is gone: a pipe that
// was closed (EPIPE), a terminal that hung up (EIO).
func nobodyThere(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO)
}

// move sends what follows to the log if it went to a terminal, after last words.
func (o *outlet) move(lastWords string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.moved || !o.terminal {
		return
	}
	_, _ = io.WriteString(o.to, lastWords) // a terminal that is gone takes none
	o.moved = true
}

// watched says whether what is written still reaches where it was meant to go.
func (o *outlet) watched() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.moved
}

// runLog is the file that takes a run's output once nobody watches. It is made at
// the first use, and removed again if nothing came.
type runLog struct {
	path    string
	command string

	mu     sync.Mutex
	file   *os.File
	err    error
	opened bool
	used   bool
}

// newRunLog names the log of a process.
func newRunLog(env func(string) string, now time.Time, pid int, command string) *runLog {
	return &runLog{path: stateFile(env, now, pid, logEnding), command: command}
}

// open makes the file, which only its owner may read. It must not be there before.
func (l *runLog) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ready()
}

// ready is open with l.mu held.
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

// drawing is what redraws and colours a terminal, and means nothing in a file.
var drawing = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\r")

func (l *runLog) write(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready() != nil {
		return
	}
	if !l.used {
		fmt.Fprintf(l.file, "%s\n", l.command)
		l.used = true
	}
	_, _ = l.file.Write(drawing.ReplaceAll(bytes.Clone(text), nil))
}

// close ends the file, and leaves none where nothing was written.
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
