package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Question is what somebody is asked before the first write.
type Question struct {
	Cluster string        // its name
	To      []Destination // where it would be written; none where nobody knows
	Steps   []runner.PlannedStep
	Next    Commands
}

// Destination is a place that a run writes to.
type Destination struct {
	File    string // "": an API server
	Context string // of a kubeconfig; "": none
	Server  string // its address
}

// WriteQuestion asks on stderr for a yes, below the steps that it is for: where they write,
// what they cost, and how long there is a way back.
func WriteQuestion(streams console.Streams, q Question) {
	s := console.NewScreen(streams, streams.Err)
	cost := runner.CostOf(q.Steps)
	s.Line("")
	s.Prose("cluster   ", strings.Join(append([]string{q.Cluster}, destinations(q.To)...), " · "))
	s.Prose("costs     ", costSentence(cost))
	s.Prose("back      ", wayBack(cost, q.Next))
	s.Line("d shows every changed line")
	fmt.Fprint(s.Out, s.Plain("Go on with "+q.Cluster+"? Only \"yes\" is accepted:"), " ")
}

// destinations say where a run writes.
func destinations(to []Destination) []string {
	var all []string
	for _, d := range to {
		switch {
		case d.File != "":
			all = append(all, "file "+d.File)
		case d.Context != "":
			all = append(all, fmt.Sprintf("context %s, server %s", d.Context, d.Server))
		case len(all) > 0: // Rancher's is named before it
			all = append(all, "the cluster itself at "+d.Server)
		default:
			all = append(all, "server "+d.Server)
		}
	}
	return all
}

// costSentence is what the steps cost, in one sentence.
func costSentence(cost runner.Cost) string {
	text := stepsText(cost)
	if pauses := pausesOf(cost.Pauses); pauses != "" {
		text += "; " + pauses
	}
	return text
}

// wayBack says until when what is approved can be taken back.
func wayBack(cost runner.Cost, commands Commands) string {
	switch {
	case commands.Undoing:
		return "the migration can be begun again from wherever this ends"
	case slices.Contains(cost.Irreversible, commands.NoWayBack):
		return fmt.Sprintf("%s takes everything back until step %s begins; from there is no way back", commands.Undo, commands.NoWayBack)
	}
	return fmt.Sprintf("%s takes everything back after every step, until Kubernetes is upgraded to 1.27 or later", commands.Undo)
}

// WriteEveryLine prints on stderr every changed line of what somebody is asked about.
func WriteEveryLine(streams console.Streams, steps []runner.PlannedStep) {
	s := console.NewScreen(streams, streams.Err)
	for number, step := range steps {
		writeChanges(s, number+1, step, true)
	}
}
