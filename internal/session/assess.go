package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Assessment is the result of one read-only look at a cluster. A controller decides by it
// whether and when to run.
type Assessment struct {
	Target journal.Target
	// DisplayName is the name of the cluster in Rancher's UI, or empty if that is the target's name.
	DisplayName string
	// Unplaced explains why position and plan are unknown. If nil, Says and Plan are set.
	Unplaced error
	Says     runner.Observation
	Plan     runner.WholePlan
	// UnderWay is the step that an earlier run began, that no run has snap finish, and that
	// still rolls out; or empty.
	UnderWay journal.StepID
	Paused   string // who pauses the rollout, or empty
	// Harm is set if a reverted configuration would lead to two managers or to none.
	Harm    error
	Journal journal.State
	// Edit is the next edit for the owner to commit, if the options leave edits to an owner.
	Edit procedure.NextEdit
	// Unread is set if another version of awsmigrate wrote the journal, which this one cannot
	// read. Journal is then empty and no run is allowed, but a rollout can be watched.
	Unread error
}

// Assess opens a target, reads it, and plans the goal of the options. It writes nothing.
func Assess(ctx context.Context, t Connector, o Options) (Assessment, error) {
	s, err := Open(ctx, t, o, ReadOnly)
	if err != nil {
		return Assessment{}, err
	}
	a := Assessment{Target: s.Procedure.Target(), DisplayName: s.DisplayName}
	a.Journal, err = s.Counted().Load(ctx)
	switch {
	case journal.OfAnotherVersion(err):
		a.Journal, a.Unread = journal.State{}, err
	case err != nil:
		return a, err
	}
	record := a.Journal.Record()
	snap, err := s.Procedure.Observe(ctx, record)
	if err != nil {
		return a, err
	}
	a.Says, a.Plan, a.Unplaced = runner.PlanSeen[migration.Snapshot](ctx, s.Procedure, a.Journal, snap)
	a.Plan.Version = o.Version
	if o.HandOver && a.Unplaced == nil {
		if a.Edit, err = s.Procedure.NextEdit(ctx, snap); err != nil {
			return a, err
		}
	}
	record.Unread = a.Unread
	watching := s.Migration.Watching(record)
	if procedure.LastUndid(record) != s.isUndo { // the last run went in the other direction
		if snap, err = watching.Observe(ctx, record); err != nil {
			return a, err
		}
	}
	a.Paused, a.Harm = snap.Reading.Paused, snap.Reading.Harm
	if step := watching.Watched(ctx, snap); step != nil {
		a.UnderWay = step.Info().ID
	}
	return a, nil
}
