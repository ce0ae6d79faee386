package runview

import (
	"cmp"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// ending holds the results of a finished run.
type ending struct {
	result   runner.Result
	took     time.Duration
	evidence Evidence
}

// writeEnd prints the last lines of a run: the position, the duration, what is unchanged, and the next
// command. It omits what was not read.
func writeEnd(s console.Screen, e ending, commands view.Commands) {
	s.Line("")
	s.Prose("now    ", whereText(s, e.result))
	if !commands.Following || e.took >= time.Second { // otherwise there was no run to follow
		s.Prose("time   ", short(e.took)+addedText(e.result.Added, e.took))
	}
	if text := cmp.Or(e.evidence.pausesText(), pausesText(e.result.Pauses)); text != "" {
		s.Prose("pause  ", text)
	}
	if e.evidence.isProof() {
		s.Prose("seen   ", report.Sentence(e.evidence.Judged))
	}
	writeCompared(s, e.result.Compared())
	e.evidence.writeFiles(s, "", commands)
	s.Command("next   ", commands.Next(e.result.Observation))
	if offersUpgrade(commands, e.result) {
		s.Prose("open   ", "later releases of Kubernetes, from where no way leads back, and what stops each:")
		s.Command("       ", commands.UpgradePath)
	}
}

// whereText returns a position with its rungs and its description.
func whereText(s console.Screen, result runner.Result) string {
	at, known := positionOf(result)
	if !known || at.Words() == "" {
		return result.Position + "   " + result.Observation.Summary
	}
	return at.String() + "  " + board.Rungs(at, !s.ASCII) + "  " + cmp.Or(result.Observation.Words, at.Words())
}

// positionOf returns the position where a run left the cluster. known is false without one.
func positionOf(result runner.Result) (at position.Position, known bool) {
	err := at.UnmarshalText([]byte(result.Position))
	return at, err == nil
}

// offersUpgrade reports whether an upgrade of Kubernetes is the next task. It is not if the run included one.
func offersUpgrade(c view.Commands, result runner.Result) bool {
	at, known := positionOf(result)
	_, had := result.Observation.States[c.NoWayBack]
	return known && at == position.P5 && c.UpgradePath != "" && !c.Undoing && !c.Following && !c.ByCommits && !had && !result.Observation.Pending()
}

// pausesText describes the maximum pauses of the cloud controllers, or returns "" without a hand-over.
func pausesText(pauses []time.Duration) string {
	var all []string
	for _, one := range pauses {
		all = append(all, short(one))
	}
	return pauseSentence("at most ", all)
}

// pauseSentence describes the pauses of the cloud controllers, or returns "" without a hand-over.
func pauseSentence(bound string, pauses []string) string {
	if len(pauses) == 0 {
		return ""
	}
	return "the cloud controllers changed hands, and were away for " + bound + strings.Join(pauses, ", then ")
}
