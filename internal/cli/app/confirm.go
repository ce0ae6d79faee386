package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Confirmation is a question to which only "yes" is a yes.
type Confirmation struct {
	Object   string // of the errors, such as "plan of ClusterMigration fleet-default/prod"
	Question string
}

// Confirm asks on stderr, and returns an error for any answer but yes. yes answers the question
// without asking.
func (a *App) Confirm(yes bool, c Confirmation) error {
	switch {
	case yes:
		return nil
	case !a.Streams.InTerminal:
		return &fault.Error{Class: fault.Declined, Reason: "NoTerminal", Object: c.Object, Seen: "needs a yes and standard input is no terminal", Fix: "read the plan, then add --yes"}
	}
	s := console.NewScreen(a.Streams, a.Streams.Err)
	s.Line("")
	fmt.Fprint(s.Out, s.Plain(c.Question+" Only \"yes\" is accepted:"), " ")
	answer, err := a.ReadAnswer(bufio.NewReader(a.Streams.In))
	switch {
	case errors.Is(err, ErrInterrupted):
		return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Object: c.Object, Seen: "stopped at the question; nothing was approved"}
	case err == nil && strings.TrimSpace(answer) == "yes":
		return nil
	}
	return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: c.Object, Seen: "not approved", Err: IgnoreEOF(err)}
}

// ErrInterrupted means that an interrupt came instead of an answer.
var ErrInterrupted = errors.New("interrupted")

// ReadAnswer returns a line of standard input, or an error if the input ended.
func (a *App) ReadAnswer(in *bufio.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := in.ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-a.Signals.HangUps:
		return "", nil
	case <-a.Interrupts:
		fmt.Fprintln(a.Streams.Err) // ends the line of the question
		return "", ErrInterrupted
	case got := <-read:
		if got.err != nil {
			fmt.Fprintln(a.Streams.Err) // ends the line of the question, and fails if the terminal is gone
		}
		return got.text, got.err
	}
}

// IgnoreEOF returns nil for the end of the input, and any other error unchanged.
func IgnoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
