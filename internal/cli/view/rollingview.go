package view

import "github.com/awsmigrate/awsmigrate/pkg/fleet"

// WriteRolling prints what would be left by whoever takes the controller away: first what
// holds it, then what somebody has to come back for.
func WriteRolling(streams Streams, rows []fleet.Left) {
	s := newScreen(streams, streams.Out)
	held := 0
	for _, row := range rows {
		if why := row.Holds(); why != "" {
			held++
			s.prose("✗  ", row.Cluster+": "+why)
		}
	}
	for _, row := range rows {
		if why := row.Stays(); why != "" {
			s.prose("!  ", row.Cluster+": "+why)
		}
	}
	s.line("clusters looked at: %d, not to be left: %d", len(rows), held)
}
