package session

import (
	"context"
	"io"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Options are what somebody wants of a target.
type Options struct {
	Choices
	Engine
	// Undo goes back instead of on.
	Undo bool
	// Actor is who it is that runs, for the lock and the history.
	Actor Actor
	// Live takes what programs that are run print, and what is waited for before there
	// is a run to show it; nil: nobody.
	Live io.Writer
}

// Actor is a person or a workload, as other runs are told of it.
type Actor struct {
	User, Host string
	Pod        lock.Pod // the zero value: in none
}

// Choices are the options that shape a migration. Opening a session sets the RunID.
type Choices struct {
	migration.Options
	RKE2 rke2.Options // only the options that RKE2 alone has
	RKE  rke.Options  // only the options that RKE alone has
}

// Fill sets the choices to what a source has of the options of a scope, and to the defaults.
func (c *Choices) Fill(scope options.Scope, from options.Source) error {
	return options.Fill(scope, from, &c.Options, &c.RKE2, &c.RKE)
}

// Engine steers one run. The zero value of every field is usable.
type Engine struct {
	Version string // of this awsmigrate
	// Unattended says that the yes was given before anybody saw a plan.
	Unattended bool
	Command    string // as typed, for the history and the resume line
	Attempt    string // what asked for the run; see runner.Options
	Until      journal.StepID
	Only       journal.StepID
	Timeout    time.Duration // longest time without progress
	Poll       time.Duration // between two looks while a step waits
	Deadline   time.Duration // longest time in all, 0: none
	Clock      clock.WithTicker
	Sink       runner.Sink
	// EveryReading sends Sink every reading of a wait; see runner.Options.
	EveryReading bool

	// Recording keeps what the run does, and what is seen of the cluster meanwhile; nil:
	// nobody does. Whoever made it closes it.
	Recording *recording.Recording

	// Interrupt asks for a clean stop, HangUp says that nobody watches any more; both
	// by a value or by being closed.
	Interrupt, HangUp <-chan struct{}
	// Brake asks for the brake; see runner.Options.
	Brake <-chan struct{}

	// Approve is asked once, before the first write; nil means yes.
	Approve func(ctx context.Context, p Proposal) error
	// Confirm is asked at a step that has no way back, with the cluster's name; nil
	// refuses.
	Confirm func(ctx context.Context, cluster string, step runner.Info) error
	// Saved gives a plan that was approved before, for the target that it was made for;
	// nil: there is none.
	Saved func(target journal.Target) (*runner.WholePlan, error)
	// Hold is asked before a step begins that writes and that nobody has begun; what it
	// returns ends the run there. nil: nothing holds a step.
	Hold func(ctx context.Context, step runner.Info) error
}

// clock is the one that everything of a session goes by.
func (o Options) clock() clock.WithTicker {
	if o.Clock == nil {
		return clock.RealClock{}
	}
	return o.Clock
}

// rke2 returns the options of a cluster of RKE2.
func (o Options) rke2(t Target) rke2.Options {
	choices := o.RKE2
	choices.Options, choices.Namespace, choices.Name = o.Options, t.Namespace, t.Name
	return choices
}

// OfRKE returns the options of a cluster of RKE.
func (o Options) OfRKE(t Target) rke.Options {
	choices := o.RKE
	choices.Options, choices.Config, choices.Cluster = o.Options, t.File, t.Name
	return choices
}
