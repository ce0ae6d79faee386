package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Result is the result of a run.
type Result struct {
	runner.Result
	// Began is false if the cluster could not be opened or the run not prepared. No event was
	// sent then.
	Began bool
}

// Run opens a target and runs its procedure.
func Run(ctx context.Context, t Connector, o Options) (Result, error) {
	o.OnAudit = o.Recording.Audited
	s, err := Open(ctx, t, o, ReadWrite)
	if err != nil {
		return Result{}, err
	}
	options, err := s.engine(o)
	if err != nil {
		return Result{}, err
	}
	o.Recording.Watch(ctx, recording.Cluster{Name: s.Procedure.Target().Name, Way: s.watched.Way, Machines: s.watched.Machines})
	options.Sink, options.Journal = o.Recording.WrapSink(options.Sink, recording.About{Undo: s.isUndo, Attempt: o.Attempt}), o.Recording.Keeping(options.Journal, s.RunID)
	result, err := runner.Run[migration.Snapshot](ctx, s.Procedure, options)
	o.Recording.KeepRecord(ctx, s.keeper(), s.RunID)
	return Result{Result: result, Began: true}, err
}

// Guard opens a target and watches an earlier run's rollout until the cluster is at rest. It
// never prompts, and writes nothing forward.
func Guard(ctx context.Context, t Connector, o Options) (Result, error) {
	s, err := Open(ctx, t, o, ReadWrite)
	if err != nil {
		return Result{}, err
	}
	o.Saved, o.Approve, o.Confirm, o.Until, o.Only = nil, nil, nil, "", ""
	options, err := s.engine(o)
	if err != nil {
		return Result{}, err
	}
	record, kept, err := journal.ToWatch(ctx, options.Journal)
	if err != nil {
		return Result{}, err
	}
	options.Journal = kept
	result, err := runner.Guard[migration.Snapshot](ctx, s.Migration.Watching(record), options)
	return Result{Result: result, Began: true}, err
}

// engine returns the engine's options for this session.
func (s *Session) engine(o Options) (runner.Options, error) {
	target := s.Procedure.Target()
	options := runner.Options{
		Version: o.Version, Unattended: o.Unattended,
		RunID: s.RunID, Command: o.Command, Attempt: o.Attempt, Who: s.Owner.User + "@" + s.Owner.Host,
		Until: o.Until, Only: o.Only, Timeout: o.Timeout, Deadline: o.Deadline, Poll: o.Poll,
		Journal: s.Counted(), Lock: s.Lock, Clock: o.clock(), Sink: o.Sink, EveryReading: o.EveryReading,
		Interrupt: o.Interrupt, PauseRequest: o.PauseRequest, HangUp: o.HangUp, Hold: o.Hold,
	}
	if o.Approve != nil {
		options.Approve = func(ctx context.Context, p runner.Proposal) error {
			return o.Approve(ctx, Proposal{Proposal: p, Cluster: target.Name, To: s.To})
		}
	}
	if o.Confirm != nil {
		options.Confirm = func(ctx context.Context, step runner.Info) error { return o.Confirm(ctx, target.Name, step) }
	}
	if o.Saved == nil {
		return options, nil
	}
	var err error
	options.Saved, err = o.Saved(target)
	return options, err
}
