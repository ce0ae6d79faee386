package target

import (
	"context"
	"io"
	"os"
	"os/user"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Flags holds the typed flags of a distribution.
type Flags interface {
	// Asked returns the request of the flags, before any connection.
	Asked(out Output) (Asked, error)
}

// Checked returns an error if the typed flags do not suit a run without questions. It needs no
// cluster.
type Checked interface {
	Register(flags *pflag.FlagSet)
	Check() error
}

// Output holds the destination of messages while a cluster is opened, and the program's name.
type Output struct {
	Err io.Writer // the output of child processes
	// Program is the typed name of this program; a next command begins with it.
	Program Program
}

// Asked describes what a command line requests of one cluster.
type Asked struct {
	Target  session.Connector
	Options session.Options
	Words   Words
	// Unanswered reports whether it is open which tool edits an object that another tool may own.
	// Terraform leaves no mark on it.
	Unanswered bool
}

// RequireEdits returns an error if --edits is missing and no user can be asked.
func (a Asked) RequireEdits() error {
	if !a.Unanswered {
		return nil
	}
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --edits", Seen: EditsMissing,
		Wanted: "apply, if no tool keeps Rancher's Cluster object; handoff, if one does and must make the edits. Terraform cannot be detected", Fix: "add --edits apply, or --edits handoff"}
}

// EditsMissing describes --edits if a run needs it.
const EditsMissing = "required without a terminal"

// Open connects to the requested cluster.
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

// Undo holds the flags of an undo.
type Undo struct{ Flags }

// Asked implements Flags.
func (o Undo) Asked(out Output) (Asked, error) {
	asked, err := o.Flags.Asked(out)
	asked.Options.Undo, asked.Words.Undoing = true, true
	return asked, err
}

// Actor returns the user and host of this process.
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
