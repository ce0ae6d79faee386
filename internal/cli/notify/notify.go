// Package notify notifies users who do not watch a run: it rings the bell of the terminal and runs a
// command of the user when the run asks a question or ends.
//
// It does not know the run: a notice is a value. Its result never changes what a run does.
package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Kind is the kind of a notice. The command finds it in AWSMIGRATE_NOTICE.
type Kind string

const (
	// Question is sent when a run asks at the terminal, before its first write.
	Question Kind = "question"
	// End is sent when a run ends.
	End Kind = "end"
)

// Notice holds the contents of a notice.
type Notice struct {
	Kind     Kind
	Target   string // the words that name the cluster, as typed: "rke2 --cluster demo"
	Position string // P0 to P5 at the end, or "" if it is not known
	ExitCode int    // at the end
	Message  string
}

// Teller sends notices.
type Teller struct {
	Command string       // for the shell, or ""
	Bell    io.Writer    // a terminal, or nil
	Say     func(string) // reports a failed command
}

// commandTimeout limits how long a command delays the end of a run.
const commandTimeout = 10 * time.Second

// Ring rings the bell. Errors are ignored.
func (t Teller) Ring() {
	if t.Bell != nil {
		_, _ = io.WriteString(t.Bell, "\a")
	}
}

// Tell rings the bell and runs the command until it ends or the timeout. The command finds the notice in
// its environment and nothing on its standard input.
func (t Teller) Tell(ctx context.Context, n Notice) {
	t.Ring()
	if t.Command == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", t.Command)
	cmd.Env = append(os.Environ(), n.environment()...)
	cmd.WaitDelay = time.Second // for processes that it left behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no exit within %s", commandTimeout)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Say(fmt.Sprintf("--notify-exec %q: %v; it printed %q", t.Command, err, out.String()))
	}
}

func (n Notice) environment() []string {
	env := []string{"AWSMIGRATE_NOTICE=" + string(n.Kind), "AWSMIGRATE_TARGET=" + n.Target, "AWSMIGRATE_MESSAGE=" + n.Message}
	if n.Kind == End {
		env = append(env, "AWSMIGRATE_POSITION="+n.Position, "AWSMIGRATE_EXIT_CODE="+strconv.Itoa(n.ExitCode))
	}
	return env
}
