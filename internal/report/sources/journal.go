package sources

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Journal returns the report on a journal, read at a time (zero if unknown).
func Journal(st journal.State, read time.Time) report.Report {
	r := report.Report{Source: report.Journal}
	r.Header = record.Header{Name: plaintext.Tidy(st.Target.Name), UID: st.Target.UID}
	r.Until = read
	for _, run := range st.Runs {
		r.Runs = append(r.Runs, runOf(st, run))
	}
	if len(r.Runs) == 0 {
		r.Lines = append(r.Lines, "The journal has no run of this cluster.")
	}
	if pause := st.Pause; pause != nil {
		r.Lines = append(r.Lines, plaintext.Tidy(fmt.Sprintf("The rollout was paused by run %s in step %s at %s, and no run has finished since: %s", pause.Run, pause.Step, pause.Time, pause.Done)))
	}
	r.Others = []string{noted(st)}
	return r
}

// runOf returns one run of a journal.
func runOf(st journal.State, run journal.Run) judge.Run {
	one := judge.Run{ID: run.ID, Command: plaintext.Tidy(run.Command), By: run.Who, Attempt: run.Attempt, Watched: run.Guard, Goal: goalOf(st, run), From: journal.Moment(run.Start), Until: journal.Moment(run.End)}
	switch run.Outcome {
	case "stopped":
		one.Error = reasonOf(run)
	case "interrupted":
		one.Stopped, one.Error = true, reasonOf(run)
	case "died":
		one.Error = report.Died
	}
	for _, step := range run.Verified {
		one.Steps = append(one.Steps, judge.Step{ID: string(step), Outcome: record.Finished})
	}
	if run.Step != "" {
		one.Steps = append(one.Steps, judge.Step{ID: string(run.Step), Outcome: record.Failed})
	}
	for _, a := range st.Approvals {
		if a.Run == run.ID {
			one.Approvals = append(one.Approvals, judge.Approval{At: journal.Moment(a.Time), Approval: record.Approval{Run: run.ID, Step: string(a.Step), Plan: a.Plan, By: a.Who}})
		}
	}
	for _, in := range st.Intents {
		if in.Run == run.ID {
			one.Writes = append(one.Writes, judge.Write{At: journal.Moment(in.Time), Write: record.Write{Run: run.ID, Step: string(in.Step), What: plaintext.Tidy(in.What), Object: plaintext.Tidy(in.Object)}})
		}
	}
	one.Former = recording.FormerOf(st, run.ID)
	return one
}

// reasonOf returns why a run ended before its goal, from its journal.
func reasonOf(run journal.Run) string {
	if run.Reason == "" {
		return "the journal names no reason"
	}
	return "the journal has the reason " + run.Reason
}

// goalOf returns the goal of a run by the steps that it is known to have reached, or "" if they
// do not show it.
func goalOf(st journal.State, run journal.Run) string {
	steps := slices.Clone(run.Verified)
	if run.Step != "" {
		steps = append(steps, run.Step)
	}
	for _, in := range st.Intents {
		if in.Run == run.ID {
			steps = append(steps, in.Step)
		}
	}
	goal := ""
	for _, step := range steps {
		switch {
		case strings.HasPrefix(string(step), "undo-"):
			return record.Undo
		case step != "uncordon" && step != "verify": // both directions have them
			goal = record.Migrate
		}
	}
	return goal
}

// noted returns the journal's notes about the cluster before the first write.
func noted(st journal.State) string {
	then, known, err := guard.Fingerprint(st.Record())
	switch {
	case err != nil:
		return "how the cluster was before the first write: " + plaintext.Tidy(err.Error())
	case !known:
		return "how the cluster was before the first write: the journal has no fingerprint"
	}
	return fmt.Sprintf("whether the state of %s and %s, which the journal notes from before the first write, is unchanged: status and verify compare them", fault.Count(len(then.Nodes), "Node"), fault.Count(len(then.Services), "load balancer"))
}
