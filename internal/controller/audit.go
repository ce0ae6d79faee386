package controller

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Audited holds the result of an audit.
type Audited struct {
	At       time.Time
	Position string
	Report   verify.Report
}

// failing returns the number of failed checks.
func (a Audited) failing() int { return a.Report.Counts[verify.Fail] }

// audit reads a cluster and makes every check that applies at its position.
func audit(ctx context.Context, t session.Target, o session.Options) (Audited, error) {
	o.IgnoreRuns = true // the chart grants no right to read locks
	source, err := session.Audit(ctx, t, o)
	if err != nil {
		return Audited{}, err
	}
	seen, err := source.Read(ctx)
	if err != nil {
		return Audited{}, err
	}
	at := seen.Input.Position
	which := o.Checks(at.Position)
	which.KeepGuards = false // no write depends on this audit
	which.PositionUnknown, which.AlsoAt = at.Position == position.Unknown && !at.HandMade, at.AlsoAt()
	return Audited{At: seen.At, Position: at.Position.String(), Report: verify.RunAll(ctx, seen.Bound(), which)}, nil
}
