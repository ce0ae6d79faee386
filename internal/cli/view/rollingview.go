package view

import (
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
)

// WriteRolling prints what removing the controller would leave behind: first the rollouts that prevent it,
// then what needs attention later.
func WriteRolling(streams console.Streams, rows []fleet.Left) {
	s := console.NewScreen(streams, streams.Out)
	held := 0
	for _, row := range rows {
		if why := row.Holds(); why != "" {
			held++
			s.Prose("✗  ", row.Cluster+": "+why)
		}
	}
	for _, row := range rows {
		if why := row.Stays(); why != "" {
			s.Prose("!  ", row.Cluster+": "+why)
		}
	}
	s.Line("%s checked; %d must not be left unwatched now", fault.Count(len(rows), "cluster"), held)
}
