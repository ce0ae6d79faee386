package board

import (
	"cmp"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Interrupt describes what a run does now, as far as it gives Ctrl-C its meaning. The zero value is a run
// that finishes its own action.
type Interrupt struct {
	Left      *runner.Left // the rollout that a stop would leave, or nil
	Asks      bool         // the user can be asked
	Asking    bool         // the question is open
	Stopping  bool         // a stop was requested
	Undoing   bool
	Following bool // the run belongs to another process
}

// Meaning describes what Ctrl-C does, in the words of each place that shows it.
type Meaning struct {
	Hint     string   // on the board
	Again    string   // behind the message of a requested stop
	Question string   // above the choices
	Choices  []string // each begins with its key
}

// Meaning returns what Ctrl-C does now.
func (i Interrupt) Meaning() Meaning {
	rolls, child := i.Left != nil && i.Left.GoesOn, i.Left != nil && !i.Left.GoesOn && !i.Left.Held
	m := Meaning{Hint: "Ctrl-C: stop cleanly", Again: "Ctrl-C again exits at once"}
	switch {
	case i.Following:
		m.Hint = "Ctrl-C: stop watching"
	case i.Stopping && child:
		m.Again = fmt.Sprintf("%s finishes first; Ctrl-C again interrupts it", i.Left.By)
		m.Hint = m.Again
	case i.Stopping:
		m.Hint = m.Again
	case i.Asking && (i.Left == nil || !i.Left.CanPause):
		m.Hint = "keys w, l; Ctrl-C again: l"
	case i.Asking:
		m.Hint = "keys w, b, l; Ctrl-C again: l"
	case rolls && i.Asks:
		m.Hint = "Ctrl-C: asks what to do"
	case rolls:
		m.Hint = "Ctrl-C: leave the rollout unwatched"
	case child:
		m.Hint = fmt.Sprintf("Ctrl-C: let %s finish, then stop", i.Left.By)
	case i.Undoing:
		m.Hint = "Ctrl-C: stop the undo cleanly"
	}
	if rolls {
		m.Question, m.Choices = question(*i.Left), choices(*i.Left)
	}
	return m
}

func question(left runner.Left) string {
	return fmt.Sprintf("Ctrl-C: %s. %s, with or without this run.", Changed(left), rest(left))
}

func choices(left runner.Left) []string {
	all := []string{"w  keep watching: the run can still pause the rollout"}
	if !left.CanPause {
		all[0] = "w  keep watching"
	}
	if left.CanPause {
		all = append(all, fmt.Sprintf("b  pause the rollout: %s stops after the current machine, and the run ends", left.By))
	}
	return append(all, "l  leave, or press Ctrl-C again: the rollout is neither watched nor paused")
}

// isWhole reports whether every counted part of a rollout is changed.
func isWhole(left runner.Left) bool { return left.Total > 0 && left.Changed == left.Total }

// Changed describes how far a rollout is.
func Changed(left runner.Left) string {
	noun := cmp.Or(left.Of, "machines")
	if isWhole(left) {
		return fmt.Sprintf("all %d %s are changed", left.Total, noun)
	}
	return fmt.Sprintf("%d of %d %s changed", left.Changed, left.Total, noun)
}

// rest describes what the program that rolls out still does.
func rest(left runner.Left) string {
	if isWhole(left) {
		return left.By + " finishes its work"
	}
	return left.By + " continues with the rest"
}

// Unwatched describes a rollout that continues after the run.
func Unwatched(left runner.Left) string {
	if isWhole(left) {
		return Changed(left) + "; " + rest(left) + ", which is not watched"
	}
	return rest(left) + ": " + Changed(left) + "; the others are neither watched nor paused"
}
