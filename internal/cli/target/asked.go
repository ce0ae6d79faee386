package target

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Flags are those of a distribution, typed.
type Flags interface {
	// Asked is what they come to, before anything is reached.
	Asked(out Output) (Asked, error)
}

// Output says where opening a cluster writes, and under which name.
type Output struct {
	Err io.Writer // the output of programs that are run
	// Program is what people typed to start this one; a next command begins with it.
	Program Program
}

// Asked is what a command line asks of one cluster.
type Asked struct {
	Target  session.Connector
	Options session.Options
	Words   Words
	// Unanswered: nobody has said who makes the edits of an object that another tool may
	// keep. Terraform leaves no mark on it by which it would be found.
	Unanswered bool
}

// RequireEdits says what has to be said where nobody is asked; nil: it was.
func (a Asked) RequireEdits() error {
	if !a.Unanswered {
		return nil
	}
	return fault.AsUsage(errors.New("flag --edits is required where nobody is asked: apply, if no tool keeps Rancher's Cluster object; handoff, if one does, and is to make the edits. Terraform leaves no mark by which it would be found"))
}

// Open connects to what was asked for.
func Open(ctx context.Context, flags Flags, out Output, may session.Access) (*session.Session, Words, error) {
	if either, unsaid := flags.(*Either); unsaid {
		return either.open(ctx, out, may)
	}
	return openAsked(ctx, flags, out, may)
}

func openAsked(ctx context.Context, flags Flags, out Output, may session.Access) (*session.Session, Words, error) {
	asked, err := flags.Asked(out)
	if err != nil {
		return nil, Words{}, err
	}
	s, err := session.Open(ctx, asked.Target, asked.Options, may)
	return s, asked.Words, err
}

// Undo are flags by which a migration is taken back.
type Undo struct{ Flags }

// Asked implements Flags.
func (o Undo) Asked(out Output) (Asked, error) {
	asked, err := o.Flags.Asked(out)
	asked.Options.Undo, asked.Words.Undoing = true, true
	return asked, err
}

// Actor is who runs this process.
func Actor() session.Actor {
	a := session.Actor{Pod: lock.Pod{UID: os.Getenv(job.EnvPodUID), Container: os.Getenv(job.EnvContainerName)}}
	if who, err := user.Current(); err == nil {
		a.User = who.Username
	}
	if host, err := os.Hostname(); err == nil {
		a.Host = host
	}
	return a
}
