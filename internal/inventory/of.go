package inventory

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// notSeen is the position of a cluster that was to be asked and did not say it.
var notSeen = position.Unknown.String()

// providerSeparator is between the providers of a cluster whose control planes differ.
const providerSeparator = ", "

// Of is the row of a cluster.
func Of(f Facts) Row {
	row := Row{Namespace: f.Namespace, Name: f.Name, ID: f.ID, Distribution: f.Distribution, Version: f.Version,
		Provider: strings.Join(f.Providers, providerSeparator), InTree: f.InTree(), Migration: f.Migration, Stops: stops(f)}
	if f.DisplayName != f.Name {
		row.DisplayName = f.DisplayName
	}
	for _, owner := range f.Owners {
		row.Owners = append(row.Owners, Owner{Name: owner.Name, Mark: owner.Mark})
	}
	switch {
	case f.Seen != nil:
		row.Position, row.Summary = f.Seen.Position.Position.String(), f.Seen.Position.Summary
		row.Step, row.Undoing = f.Seen.Step, f.Seen.Undoing
	case f.OnItsWay(f.Traced()) && len(f.Errs) > 0:
		row.Position = notSeen
	}
	row.State = state(f, row)
	return row
}

// state is how the cluster is: what is not known comes before what is, and what stops it
// before how far it is.
func state(f Facts, row Row) State {
	for _, stop := range row.Stops {
		if stop.CouldNotLook {
			return Unknown
		}
	}
	switch {
	case len(f.Errs) == 0 && !f.OnItsWay(f.Traced()): // whoever pauses or deletes it
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
