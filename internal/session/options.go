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

// Options describes a run on a target.
type Options struct {
	Choices
	Engine
	// Undo runs the rollback procedure.
	Undo bool
	// Actor identifies the caller in the lock and the history.
	Actor Actor
	// Live receives the output of child programs, and waits before the run begins. It may be
	// nil.
	Live io.Writer
}

// Actor is a person or a workload, as other runs see it.
type Actor struct {
	User, Host string
	Pod        lock.Pod // zero outside a pod
}

// Choices holds the options that shape a migration. Opening a session sets the RunID.
type Choices struct {
	migration.Options
	RKE2 rke2.Options // options that only RKE2 has
	RKE  rke.Options  // options that only RKE has
}

// Fill sets the choices from a source and from the defaults of a scope.
func (c *Choices) Fill(scope options.Scope, from options.Source) error {
	return options.Fill(scope, from, &c.Options, &c.RKE2, &c.RKE)
}

// Engine holds the options of the engine for one run. The zero value of every field is usable.
type Engine struct {
	Version string // version of this awsmigrate
	// Unattended reports whether approval was given before a user saw a plan.
	Unattended bool
	Command    string // as typed, for the history and the resume line
	Attempt    string // identifies the request for the run; see runner.Options
	Until      journal.StepID
	Only       journal.StepID
	Timeout    time.Duration // maximum time without progress
	Poll       time.Duration // interval of observations while a step waits
	Deadline   time.Duration // maximum total time; zero means no limit
	Clock      clock.WithTicker
	Sink       runner.Sink
	// EveryReading sends every observation of a wait to Sink; see runner.Options.
	EveryReading bool

	// IgnoreRuns reports whether an audit judges the cluster without a look at the lock of a
	// live run, so that it needs no right to read it.
	IgnoreRuns bool

	// Recording records the run and the cluster. It may be nil. The caller that opened it
	// closes it.
	Recording *recording.Recording

	// Interrupt requests a clean stop, and HangUp reports that the terminal disconnected.
	// Either works with a value or by closing the channel.
	Interrupt, HangUp <-chan struct{}
	// PauseRequest requests a pause of the rollout; see runner.Options.
	PauseRequest <-chan struct{}

	// Approve is called once, before the first write. If nil, the run is approved.
	Approve func(ctx context.Context, p Proposal) error
	// Confirm is called at an irreversible step, with the cluster's name. If nil, the step is
	// refused.
	Confirm func(ctx context.Context, cluster string, step runner.Info) error
	// Saved returns a plan that was approved earlier for the target. It may be nil.
	Saved func(target journal.Target) (*runner.WholePlan, error)
	// Hold is called before a writing step begins that no run has begun. An error from it ends
	// the run. It may be nil.
	Hold func(ctx context.Context, step runner.Info) error
}

// clock returns the clock of the session.
func (o Options) clock() clock.WithTicker {
	if o.Clock == nil {
		return clock.RealClock{}
	}
	return o.Clock
}

// rke2 returns the options of an RKE2 cluster.
func (o Options) rke2(t Target) rke2.Options {
	choices := o.RKE2
	choices.Options, choices.Namespace, choices.Name = o.Options, t.Namespace, t.Name
	return choices
}

// OfRKE returns the options of an RKE cluster.
func (o Options) OfRKE(t Target) rke.Options {
	choices := o.RKE
	choices.Options, choices.Config, choices.Cluster = o.Options, t.File, t.Name
	return choices
}
