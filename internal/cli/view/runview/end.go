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

// ending is a run that reached its end.
type ending struct {
	result   runner.Result
	took     time.Duration
	evidence Evidence
}

// writeEnd prints the last lines of a run: where the cluster is, what it took, what is as
// it was, and what is possible now. What was not read is not told.
func writeEnd(s console.Screen, e ending, commands view.Commands) {
	s.Line("")
	s.Line("now    %s", whereText(s, e.result))
	if !commands.Following || e.took >= time.Second { // else there was no run to follow
		s.Line("time   %s%s", short(e.took), addedText(e.result.Added, e.took))
	}
	if text := cmp.Or(e.evidence.pauses(), pausesText(e.result.Pauses)); text != "" {
		s.Prose("pause  ", text)
	}
	if e.evidence.proves() {
		s.Prose("seen   ", report.Sentence(e.evidence.Judged))
	}
	writeCompared(s, e.result.Compared())
	e.evidence.writeFiles(s, "", commands)
	s.Line("next   %s", commands.Next(e.result.Observation))
	if upgrades(commands, e.result) {
		s.Line("open   Kubernetes 1.27 and later, from where no way leads back (docs/steps/upgrade.md):")
		s.Line("       %s", commands.Upgrade)
	}
}

// whereText is a position with its rungs and in words.
func whereText(s console.Screen, result runner.Result) string {
	at, known := positionOf(result)
	if !known || at.Words() == "" {
		return result.Position + "   " + result.Observation.Summary
	}
	return at.String() + "  " + board.Rungs(at, !s.ASCII) + "  " + at.Words()
}

// positionOf is where a run left the cluster, and whether that is a position.
func positionOf(result runner.Result) (at position.Position, known bool) {
	err := at.UnmarshalText([]byte(result.Position))
	return at, err == nil
}

// upgrades says whether the cluster is where an upgrade is the next thing to think of, and
// the run had none.
func upgrades(c view.Commands, result runner.Result) bool {
	at, known := positionOf(result)
	_, had := result.Observation.States[c.NoWayBack]
	return known && at == position.P5 && c.Upgrade != "" && !c.Undoing && !c.Following && !c.ByCommits && !had && !result.Observation.Pending()
}

// pausesText says for how long at most nobody ran the cloud controllers; "": none changed
// hands while somebody looked.
func pausesText(pauses []time.Duration) string {
	var all []string
	for _, one := range pauses {
		all = append(all, short(one))
	}
	return awayFor("at most ", all)
}

// awayFor says for how long nobody ran the cloud controllers, each time; "": they never
// changed hands.
func awayFor(bound string, pauses []string) string {
	if len(pauses) == 0 {
		return ""
	}
	return "the cloud controllers changed hands, and were away for " + bound + strings.Join(pauses, ", then ")
}
