// Package notify tells somebody who looks away from a run that it asks something, or that
// it has ended: by the bell of the terminal, and by a command of theirs.
//
// It knows no run: what there is to tell is a value. What a notice comes to never changes
// what a run does.
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

// Kind is what a notice is about, as the command has it in AWSMIGRATE_NOTICE.
type Kind string

const (
	// Question is asked at the terminal, before the first write.
	Question Kind = "question"
	// End is that of a run, however it ended.
	End Kind = "end"
)

// Notice is what there is to tell.
type Notice struct {
	Kind     Kind
	Target   string // the words that name the cluster, as typed: "rke2 --cluster demo"
	Position string // P0 to P5 at the end, "" where it is not known
	ExitCode int    // at the end
	Message  string
}

// Teller tells.
type Teller struct {
	Command string       // for the shell; "": none
	Bell    io.Writer    // a terminal; nil: none is rung
	Say     func(string) // where a command that failed is reported
}

// patience is for how long a command may work: a run does not end later than that for it.
const patience = 10 * time.Second

// Ring rings the bell. Whoever is away hears nothing either way.
func (t Teller) Ring() {
	if t.Bell != nil {
		_, _ = io.WriteString(t.Bell, "\a")
	}
}

// Tell rings, and has the command run to its end, for ten seconds at most. The command
// finds the notice in its environment, and nothing on its standard input.
func (t Teller) Tell(ctx context.Context, n Notice) {
	t.Ring()
	if t.Command == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", t.Command)
	cmd.Env = append(os.Environ(), n.environment()...)
	cmd.WaitDelay = time.Second // for what it has started and left behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it had not ended after %s", patience)
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
