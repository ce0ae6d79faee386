package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// StatusDocument is the document of `status`.
type StatusDocument struct {
	TypeMeta
	Target      journal.Target     `json:"target"`
	Header      []string           `json:"header"`
	Observation runner.Observation `json:"observation"`
	Steps       []stepStatus       `json:"steps"`
	Paused      string             `json:"paused,omitempty"`
	// Run is the run that works on the cluster now, if any.
	Run *runner.Account `json:"run,omitempty"`
	// Died is a run whose lock is held although it no longer works, or seems not to.
	Died *runner.Account `json:"died,omitempty"`
	// Unread is why the journal could not be read. Facts that only the journal contains, such as a
	// snapshot by awsmigrate, are then reported as missing.
	Unread  string `json:"unread,omitempty"`
	Pending bool   `json:"pending"`
	Next    string `json:"next"` // the command that continues, or repeats the status
}

type stepStatus struct {
	ID     journal.StepID   `json:"id"`
	Title  string           `json:"title"`
	State  runner.StateKind `json:"state"`
	Reason string           `json:"reason,omitempty"`
	brief  string           // the first line of Reason, for people; empty if Reason has one
}

// NewStatus returns the document of an observation of these steps.
func NewStatus(target journal.Target, steps []runner.Info, seen runner.Observation, commands Commands) StatusDocument {
	doc := StatusDocument{TypeMeta: KindOf("Status"), Target: target, Observation: seen, Pending: seen.Pending(), Next: commands.Next(seen)}
	for _, info := range steps {
		state := seen.States[info.ID]
		doc.Steps = append(doc.Steps, stepStatus{ID: info.ID, Title: info.Title, State: state.Kind, Reason: state.Reason})
	}
	return doc
}

// stateMarks shows a step's state without color.
var stateMarks = map[runner.StateKind]string{
	runner.Done: "✓", runner.Todo: "·", runner.InProgress: "◐", runner.Skipped: "–", runner.Always: "·",
}

// WithRun adds the run that holds the lock, and shows the steps as that run has announced them. The
// next command then only watches it, unless it has died.
func (d StatusDocument) WithRun(run *runner.Account, commands Commands) StatusDocument {
	if run == nil {
		return d
	}
	if !run.Works() {
		d.Died = run
		return d
	}
	d.Run, d.Next = run, commands.Status+" --watch"
	if len(run.Steps) > 0 {
		d.Steps = nil
	}
	for _, step := range run.Steps {
		one := stepStatus{ID: step.ID, Title: step.Title, State: step.State, Reason: strings.Join(step.Said, "; ")}
		if len(step.Said) > 1 {
			one.brief = step.Said[0]
		}
		d.Steps = append(d.Steps, one)
	}
	for i := range d.Steps {
		if d.Steps[i].ID == run.Step && d.Steps[i].State != runner.Skipped {
			d.Steps[i].State = runner.InProgress
		}
	}
	return d
}

// RunText describes who works on the cluster, and in which step since when.
func RunText(run runner.Account, now time.Time) string {
	text := runnerText(run)
	if step := run.StepText(); step != "" {
		text += fmt.Sprintf("; in %s, for %s", step, WholeSeconds(now.Sub(run.Since)))
	}
	return text + lifeText(run, now)
}

// runnerText describes who works on the cluster, and with which goal.
func runnerText(run runner.Account) string {
	text := run.By
	if run.Guards {
		text += "; it only watches what another has begun"
	}
	if run.Goal != "" {
		text += "; " + run.Goal
	}
	if run.Until != "" {
		text += " until " + string(run.Until)
	}
	return text
}

// lifeText describes whether the run still works.
func lifeText(run runner.Account, now time.Time) string {
	switch run.Life {
	case runner.LifeDead:
		return "; its process has ended without releasing the lock: the same command continues at once"
	case runner.LifeSilent:
		return fmt.Sprintf("; its lock was not renewed for %s: the run may be dead, and the next run then takes the lock over", WholeSeconds(now.Sub(run.Renewed)))
	case runner.LifeWorks:
	}
	return fmt.Sprintf("; its lock was renewed %s ago", WholeSeconds(now.Sub(run.Renewed)))
}

// WriteStatus prints the header, a line for each step, and the next command.
func WriteStatus(streams console.Streams, doc StatusDocument, now time.Time) {
	s := console.NewScreen(streams, streams.Out)
	s.Header(doc.Header)
	if run := cmp.Or(doc.Run, doc.Died); run != nil {
		s.Prose("run    ", RunText(*run, now))
	}
	s.Line("")
	columns := ForwardSteps
	for _, step := range doc.Steps {
		columns = max(columns, len(step.ID))
	}
	for _, step := range doc.Steps {
		s.Prose(fmt.Sprintf("%s  %-*s  ", stateMarks[step.State], columns, step.ID), cmp.Or(step.brief, step.Reason))
	}
	if doc.Paused != "" {
		s.Line("")
		s.Prose("", "Rancher is paused for this cluster: "+doc.Paused)
		s.Prose("", GoingBack+" says how to go back or on")
	}
	if doc.Unread != "" {
		s.Line("")
		s.Prose("?  ", doc.Unread)
	}
	if doc.Pending {
		s.Line("")
		s.Command("next   ", doc.Next)
	}
}

// WriteFollowed prints the run that is followed, or that no run works. Its steps follow below.
func WriteFollowed(streams console.Streams, run *runner.Account, now time.Time) {
	s := console.NewScreen(streams, streams.Out)
	if run == nil {
		s.Line("no run works on this cluster")
		return
	}
	s.Prose("run    ", runnerText(*run)+lifeText(*run, now))
}

// WriteOutcome prints the outcome of a run that was followed.
func WriteOutcome(streams console.Streams, run journal.Run) {
	console.NewScreen(streams, streams.Out).Prose("run    ", outcomeText(run))
}

func outcomeText(run journal.Run) string {
	switch run.Outcome {
	case "":
		return "no end is recorded: it still runs, or it was killed"
	case "done", "guarded":
		return "it has ended: " + run.Outcome
	}
	text := "it has ended: " + run.Outcome
	if run.Step != "" {
		text += " in step " + string(run.Step)
	}
	if run.Reason != "" {
		text += " (" + run.Reason + ")"
	}
	return text
}

// WholeSeconds formats a duration in whole seconds.
func WholeSeconds(d time.Duration) string { return max(d, 0).Round(time.Second).String() }
