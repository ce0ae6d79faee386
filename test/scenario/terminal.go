package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/creack/pty"
)

// OnTerminal is a run of awsmigrate on a terminal, as for a person who watches.
type OnTerminal struct {
	*Run
	terminal *os.File
}

// StartOnTerminal starts awsmigrate on a terminal of 100 columns. The screen's bytes are its
// output and also go to out.
func (l *Lab) StartOnTerminal(ctx context.Context, out io.Writer, args ...string) (*OnTerminal, error) {
	r := &Run{Args: args, out: &lockedBuffer{}, err: &lockedBuffer{}, done: make(chan struct{})}
	r.cmd = exec.CommandContext(ctx, l.binary("awsmigrate"), args...)
	r.cmd.Env = append(append([]string{}, l.env...), "KUBECONFIG="+l.Kubeconfig("rancher"), "TERM=xterm", "CI=")
	terminal, err := pty.StartWithSize(r.cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		return nil, fmt.Errorf("start awsmigrate on a terminal: %w", err)
	}
	go func() {
		_, shown := io.Copy(io.MultiWriter(r.out, out), terminal) // ends with the terminal
		r.exit = r.cmd.Wait()
		_ = errors.Join(shown, terminal.Close())
		close(r.done)
	}()
	return &OnTerminal{Run: r, terminal: terminal}, nil
}

// Type sends keys as a keyboard does.
func (t *OnTerminal) Type(keys string) error {
	_, err := t.terminal.WriteString(keys)
	return err
}
