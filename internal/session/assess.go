package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Assessment is one look at a cluster, for whoever decides what is done to it and when.
type Assessment struct {
	Target journal.Target
	// Unplaced is why nobody can say how far the cluster is, nor what a run would do; nil:
	// Says and Plan have it.
	Unplaced error
	Says     runner.Observation
	Plan     runner.WholePlan
	// UnderWay is the step that an earlier run has begun, that no run has seen to its end,
	// and that others still carry out; "": none.
	UnderWay journal.StepID
	Paused   string // who keeps the cluster from being rolled; "": nobody
	// Harm is that somebody put an old configuration back, which would make two managers
	// or none; nil: nobody.
	Harm    error
	Journal journal.State
	// Edit is what somebody else is to commit next, where the options leave edits to them.
	Edit procedure.NextEdit
	// Unread is that another version of awsmigrate wrote the journal, which this one cannot
	// read: Journal is empty, nothing may be run, and what rolls can be watched all the same.
	Unread error
}

// Assess opens a target, reads it, and plans the goal of the options. It writes nothing.
func Assess(ctx context.Context, t Connector, o Options) (Assessment, error) {
	s, err := Open(ctx, t, o, ReadOnly)
	if err != nil {
		return Assessment{}, err
	}
	a := Assessment{Target: s.Procedure.Target()}
	a.Journal, err = s.Counted().Load(ctx)
	switch {
	case journal.OfAnotherVersion(err):
		a.Journal, a.Unread = journal.State{}, err
	case err != nil:
		return a, err
	}
	record := a.Journal.Record()
	seen, err := s.Procedure.Observe(ctx, record)
	if err != nil {
		return a, err
	}
	a.Says, a.Plan, a.Unplaced = runner.PlanSeen[migration.Snapshot](ctx, s.Procedure, a.Journal, seen)
	a.Plan.Version = o.Version
	if o.HandOver && a.Unplaced == nil {
		if a.Edit, err = s.Procedure.NextEdit(ctx, seen); err != nil {
			return a, err
		}
	}
	record.Unread = a.Unread
	watching := s.Migration.Watching(record)
	if procedure.LastUndid(record) != s.undoing { // what was begun was begun the other way round
		if seen, err = watching.Observe(ctx, record); err != nil {
			return a, err
		}
	}
	a.Paused, a.Harm = seen.Reading.Paused, seen.Reading.Harm
	if step := watching.Watched(ctx, seen); step != nil {
		a.UnderWay = step.Info().ID
	}
	return a, nil
}
