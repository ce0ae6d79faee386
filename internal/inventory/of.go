package inventory

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// unknownPosition is the position of a cluster that could not be read.
var unknownPosition = position.Unknown.String()

// providerSeparator separates the providers of a cluster whose control planes differ.
const providerSeparator = ", "

// Of returns the row of a cluster.
func Of(f Facts) Row {
	row := Row{Namespace: f.Namespace, Name: f.Name, ID: f.ID, Distribution: f.Distribution, Version: f.Version,
		Provider: strings.Join(f.Providers, providerSeparator), InTree: f.InTree(), Migration: f.Migration, Labels: f.Labels, Stops: findStops(f), Run: f.account()}
	if f.DisplayName != f.Name {
		row.DisplayName = f.DisplayName
	}
	for _, owner := range f.Owners {
		row.Owners = append(row.Owners, Owner{Name: owner.Name, Mark: owner.Mark})
	}
	if f.Journal != nil {
		row.Runs = f.Journal.Runs
	}
	switch {
	case f.Seen != nil:
		row.Position, row.Summary = f.Seen.Position.Position.String(), f.Seen.Position.Summary
		row.Step, row.Undoing = f.Seen.Step, f.Seen.Undoing
	case f.OnItsWay(f.Traced()) && len(f.Errs) > 0:
		row.Position = unknownPosition
	}
	row.State = state(f, row)
	return row
}

// state returns the state of a cluster. Unknown facts take precedence over known ones, and
// obstacles over progress.
func state(f Facts, row Row) State {
	for _, stop := range row.Stops {
		if stop.CouldNotLook {
			return Unknown
		}
	}
	switch {
	case len(f.Errs) == 0 && !f.OnItsWay(f.Traced()): // even if it is paused or being deleted
		return None
	case f.Held != nil:
		return Locked
	case len(row.Stops) > 0:
		return Stopped
	case f.Seen == nil:
		return NotAsked
	case f.Seen.Step == "":
		return Done
	case f.Seen.Position.Position == position.P0 && !f.Seen.Position.Mixed:
		return NotBegun
	}
	return Begun
}
