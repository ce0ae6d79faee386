package rkecli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/ownfile"
)

// Child is a run of the rke binary. It writes to a log file and not to our pipe. If this
// process died, rke would die of its next line to a pipe, perhaps in the middle of a node; with
// a file it finishes its work. It holds the lock on cluster.yml for as long.
type Child struct {
	Log  string // path of the output
	what string // "rke up"
	// unclean reports whether some line of the log differs from the shown text. Only follow uses
	// it.
	unclean bool
	cmd     *exec.Cmd
	done    chan struct{}

	mu    sync.Mutex
	err   error
	lines int
	last  string
	fatal string
	lost  []string // hosts that rke did not reach
}

// tailInterval is the interval between two reads of the log.
const tailInterval = 200 * time.Millisecond

// Start runs the binary with args. Its output goes to a new file, named log or similar, which
// only its owner may read, and line by line to live. The child inherits keep, the lock, which is
// released when the child ends.
func Start(binary string, args []string, log string, live io.Writer, keep *os.File, clk clock.WithTicker) (*Child, error) {
	what := strings.Join(append([]string{"rke"}, args...), " ")
	out, err := ownfile.CreateLog(log)
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "NoLog", Object: "file " + log, Seen: "cannot be written", Wanted: "a place to keep the output of " + what, Err: err}
	}
	c := &Child{Log: out.Name(), what: what, done: make(chan struct{}), cmd: exec.Command(binary, args...)}
	c.cmd.Stdout, c.cmd.Stderr = out, out
	if keep != nil {
		c.cmd.ExtraFiles = []*os.File{keep}
	}
	ownGroup(c.cmd)
	if err := c.cmd.Start(); err != nil {
		_ = out.Close()
		return nil, &fault.Error{Class: fault.Usage, Reason: "RKENotStarted", Object: what, Seen: "cannot be started", Fix: "name rke with --rke-binary", Err: err}
	}
	go c.follow(out, live, clk)
	return c, nil
}

// follow follows the log until the process has ended and the whole log was read.
func (c *Child) follow(log *os.File, live io.Writer, clk clock.WithTicker) {
	defer func() { _ = log.Close() }()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	tail := &tail{log: log, line: func(line string) { c.handleLine(line, live) }}
	ticker := clk.NewTicker(tailInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C():
			tail.read(false)
		case err := <-ended:
			tail.read(true)
			c.replaceLog(log)
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
			close(c.done)
			return
		}
	}
}

var (
	fatalLine = regexp.MustCompile(`^(?:FATA\S*|time="[^"]*" level=fatal msg=)\s*"?(.*?)"?$`)
	logLine   = regexp.MustCompile(`^time="[^"]*" level=\w+ msg="(.*)"$`)
	lostHost  = regexp.MustCompile(`(?i)Failed to set up SSH tunneling for host \[([^\]]+)\]|Removing host \[([^\]]+)\]`)
)

// handleLine handles a line from rke or from a text that rke quotes: an SSH server's banner, a
// container's output. None of it may control the terminal.
func (c *Child) handleLine(line string, live io.Writer) {
	raw := line
	line = showControls(raw)
	c.unclean = c.unclean || line != raw
	_, _ = fmt.Fprintln(live, line)
	plain := strings.TrimSpace(line)
	if plain == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines++
	c.last = plain
	if m := logLine.FindStringSubmatch(plain); m != nil {
		c.last = m[1]
	}
	if m := fatalLine.FindStringSubmatch(plain); m != nil {
		c.fatal = m[1]
	}
	if m := lostHost.FindStringSubmatch(plain); m != nil {
		c.lost = append(c.lost, m[1]+m[2])
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// showControls returns a line without colours and with other control characters made visible.
func showControls(line string) string {
	return plaintext.Line(strings.TrimRight(ansi.ReplaceAllString(line, ""), "\r"))
}

// LogPath returns the path of the output.
func (c *Child) LogPath() string { return c.Log }

// Running reports whether the process has not ended.
func (c *Child) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Done returns a channel that is closed when the process ends.
func (c *Child) Done() <-chan struct{} { return c.done }

// Seen returns the last line, and a mark that changes with every line.
func (c *Child) Seen() (last string, mark string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, fmt.Sprintf("rke %d lines", c.lines)
}

// Interrupt asks the process to end at once. rke handles no signal: its current node remains as
// it is, perhaps cordoned, and the next run continues there.
func (c *Child) Interrupt() {
	if c.Running() {
		_ = c.cmd.Process.Signal(os.Interrupt)
	}
}

// Err returns why the process failed, or nil if it is running or has succeeded. The exit codes of
// rke are 0 and 1 only, and it never returns 0 if a host was unreachable.
func (c *Child) Err() error {
	if c.Running() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && len(c.lost) == 0 {
		return nil
	}
	f := &fault.Error{Class: fault.Check, Reason: "RKEUpFailed", Object: c.what, Seen: "ended without an error",
		Wanted: "exit code 0 with every host reached", Fix: "read " + c.Log + ", fix the cause, then run again"}
	var exit *exec.ExitError
	switch {
	case errors.As(c.err, &exit):
		f.Seen = exit.Error()
	case c.err != nil:
		f.Seen = c.err.Error()
	}
	if c.fatal != "" {
		f.Seen += ": " + c.fatal
	} else if c.err != nil && c.last != "" {
		f.Seen += ", last line: " + c.last
	}
	if len(c.lost) > 0 {
		f.Seen += "; not reached: " + strings.Join(c.lost, ", ")
	}
	return f
}

// tail reads complete new lines of a growing file.
type tail struct {
	log  io.ReaderAt
	at   int64
	rest []byte
	line func(string)
}

// maxLine is the maximum length of a line; longer ones are split.
const maxLine = 64 << 10

// maxRead is the maximum amount of output to hold at once, in addition to a line.
const maxRead = 256 << 10

// read passes on every complete line and, at the end, text without a line end.
func (t *tail) read(end bool) {
	chunk := make([]byte, maxRead)
	for {
		n, err := t.log.ReadAt(chunk, t.at)
		t.at += int64(n)
		t.lines(chunk[:n])
		if err != nil {
			break
		}
	}
	if end && len(t.rest) > 0 {
		t.line(string(t.rest))
		t.rest = nil
	}
}

// lines passes on the lines that grown completes.
func (t *tail) lines(grown []byte) {
	t.rest = append(t.rest, grown...)
	for {
		i, next := bytes.IndexByte(t.rest, '\n'), 1
		if i > maxLine || i < 0 && len(t.rest) > maxLine {
			i, next = maxLine, 0
		}
		if i < 0 {
			return
		}
		t.line(string(t.rest[:i]))
		t.rest = t.rest[i+next:]
	}
}
