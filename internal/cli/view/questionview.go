package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Question holds what the user is asked before the first write.
type Question struct {
	Cluster string        // its name
	To      []Destination // where the run writes, if known
	Steps   []runner.PlannedStep
	Next    Commands
}

// Destination is a file or an API server that a run writes to.
type Destination struct {
	File    string // empty for an API server
	Context string // of a kubeconfig, or ""
	Server  string // its address
}

// WriteQuestion asks for approval on stderr, below the steps: where they write, what they cost, and how long
// they can be undone.
func WriteQuestion(streams console.Streams, q Question) {
	s := console.NewScreen(streams, streams.Err)
	cost := runner.CostOf(q.Steps)
	s.Line("")
	s.Prose("cluster   ", strings.Join(append([]string{q.Cluster}, destinations(q.To)...), " · "))
	s.Prose("costs     ", costSentence(cost))
	writeUndo(s, cost, q.Next)
	s.Prose("", "type d to see every changed line")
	lines := s.Wrap(s.Plain("Go on with "+q.Cluster+"? Only \"yes\" is accepted:"), s.Paragraph()-len(" yes"))
	fmt.Fprint(s.Out, strings.Join(lines, "\n"), " ")
}

// destinations describes where a run writes.
func destinations(to []Destination) []string {
	var all []string
	for _, d := range to {
		switch {
		case d.File != "":
			all = append(all, "file "+d.File)
		case d.Context != "":
			all = append(all, fmt.Sprintf("context %s, server %s", d.Context, d.Server))
		case len(all) > 0: // the first one is Rancher's
			all = append(all, "the cluster itself at "+d.Server)
		default:
			all = append(all, "server "+d.Server)
		}
	}
	return all
}

// costSentence returns the cost of the steps in one sentence.
func costSentence(cost runner.Cost) string {
	text := stepsText(cost)
	if pauses := pausesText(cost.Pauses); pauses != "" {
		text += "; " + pauses
	}
	return text
}

// writeUndo prints how long the approved steps can be undone. The command has its own line, which a user can
// paste.
func writeUndo(s console.Screen, cost runner.Cost, commands Commands) {
	if commands.Undoing {
		s.Prose("back      ", "the migration can be started again from any point where this ends")
		return
	}
	s.Command("back      ", commands.Undo)
	text := "undoes everything after every step, until Kubernetes is upgraded to 1.27 or later"
	if slices.Contains(cost.Irreversible, commands.NoWayBack) {
		text = fmt.Sprintf("undoes everything until step %s begins, which cannot be undone", commands.NoWayBack)
	}
	s.Prose("          ", text)
}

// WriteEveryLine prints every changed line of the steps on stderr.
func WriteEveryLine(streams console.Streams, steps []runner.PlannedStep) {
	s := console.NewScreen(streams, streams.Err)
	for number, step := range steps {
		writeChanges(s, number+1, step, math.MaxInt)
	}
}
