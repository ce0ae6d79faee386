package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// planDocument holds the output of `plan -o json`.
type planDocument struct {
	view.TypeMeta
	Target      journal.Target     `json:"target"`
	Observation runner.Observation `json:"observation"`
	Header      []string           `json:"header"`
	// Hash identifies the plan by its basis and the writes of its steps.
	Hash string `json:"hash,omitempty"`
	// Text identifies the steps as they are printed, with the diffs and notes that Hash leaves out:
	// a person approves what the file shows.
	Text string `json:"text,omitempty"`
	runner.WholePlan
	// Cost is the total cost of the pending steps.
	Cost    *runner.Cost `json:"cost,omitempty"`
	Pending bool         `json:"pending"`
	// Run is the run that works on the cluster now, if any. A second one would be refused.
	Run     *runner.Account  `json:"run,omitempty"`
	Next    string           `json:"next,omitempty"`    // the command that carries the plan out, or empty if nothing is pending
	Offline *offlineDocument `json:"offline,omitempty"` // with --offline: the findings from cluster.yml alone
	Checks  *planChecks      `json:"checks,omitempty"`
}

// planChecks holds the checks that a run's preflight would make now. With --offline it holds
// those that the file alone decides.
type planChecks struct {
	Counts  map[verify.Status]int `json:"counts"`
	Results []verify.Result       `json:"results,omitempty"` // those that fail, warn or are Unknown
	Stops   []view.FaultDocument  `json:"stops,omitempty"`   // errors that would stop the run
	Code    int                   `json:"code"`              // the exit code with --offline or --detailed-exitcode
}

// planFlags select the output of a plan.
type planFlags struct {
	Handoff  string `flag:"handoff"`
	All      bool   `flag:"all"`
	Detailed bool   `flag:"detailed-exitcode"`
	Diff     bool   `flag:"diff"`
}

// newPlan returns the plan command of a distribution.
func newPlan(a *app.App, named string, flags target.Flags) *cobra.Command {
	show := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan " + named,
		Short: "Show what a run would do, step by step, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
				return err
			}
			switch {
			case show.Handoff != "":
				return handOff(cmd.Context(), a, flags, show.Handoff, show.All)
			case show.All:
				return fault.AsUsage(errors.New("flag --all: wanted with --handoff"))
			}
			return planMigration(cmd.Context(), a, flags, asPlan{detailed: show.Detailed, diff: show.Diff})
		},
	}
	target.Define(cmd.Flags(), options.Plan, show)
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
	return cmd
}

// asPlan holds the display options of a plan.
type asPlan struct {
	detailed bool            // the exit code reports the findings
	diff     bool            // show the changed lines of every object
	typed    []target.Option // the flags of a dry run
}

func planMigration(ctx context.Context, a *app.App, flags target.Flags, as asPlan) error {
	s, words, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	working, unread := s.Account(ctx)
	seen, observation, plan, err := runner.PlanAll[migration.Snapshot](ctx, s.Procedure, s.Counted())
	if err != nil {
		return err
	}
	plan.Version = build.This().String()
	foreseen, err := s.Procedure.Foresee(ctx, seen)
	if err != nil {
		return err
	}
	plan.Steps = counted(plan.Steps, foreseen)
	pending := observation.Pending()
	if pending && foreseen.Stops == nil { // also during a step, and for an undo
		foreseen.Stops = s.Procedure.RequireInformed(seen)
	}
	outcome := foreseen.Stops
	if pending {
		outcome = errors.Join(outcome, &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	doc := planDocument{TypeMeta: view.KindOf("Plan"), Target: s.Procedure.Target(), Observation: observation,
		Header: withRestore(s.Procedure.Header(seen), plan.Basis), WholePlan: plan, Pending: pending, Checks: newPlanChecks(foreseen, outcome)}
	if pending {
		doc.Next = words.With(as.typed).Run()
	}
	doc = doc.withRun(working, unread, words, s.Clock)
	if err := doc.write(a, foreseen, as.diff); err != nil {
		return err
	}
	if as.detailed {
		return view.Shown(outcome)
	}
	return nil
}

// withRun adds the run that works on the cluster. The next command then only watches it: another
// run would be refused. unread is why the lock could not be read, or nil.
func (d planDocument) withRun(run *runner.Account, unread error, words target.Words, clk clock.PassiveClock) planDocument {
	switch {
	case unread != nil:
		d.Header = append(slices.Clone(d.Header), "?      whether a run works on this cluster is unknown: "+unread.Error())
	case run != nil:
		d.Header = append(slices.Clone(d.Header), "run    "+view.RunText(*run, clk.Now()))
	}
	if run.Works() {
		d.Run, d.Next = run, words.Status()+" --watch"
	}
	return d
}

// write prints the plan, as text or as a document.
func (d planDocument) write(a *app.App, foreseen procedure.Foreseen, diff bool) error {
	if a.Output == "text" {
		view.WritePlan(a.Streams, d.Header, d.Steps, diff)
		view.WriteForeseen(a.Streams, foreseen.Lines(), foreseen.Stops)
		view.WriteSum(a.Streams, d.Steps, foreseen.Stops)
		if foreseen.Stops == nil || d.Run != nil {
			view.WriteNext(a.Streams, d.Next)
		}
		return nil
	}
	var err error
	if d, err = d.sealed(); err != nil {
		return err
	}
	cost := runner.CostOf(d.Steps)
	d.Cost = &cost
	return view.WriteDocument(a.Streams.Out, a.Output, d)
}

// withRestore adds the facts that the reader of a plan must know first.
func withRestore(header []string, basis runner.Basis) []string {
	if !basis.Restored {
		return header
	}
	return append(slices.Clone(header), "note   the journal counts less than the cluster itself: Rancher was restored from an older backup, or the journal was deleted (docs/after-a-restore.md)")
}

// counted puts the check counts into the preflight's row. It does not affect comparisons with
// saved plans: that step changes nothing.
func counted(steps []runner.PlannedStep, seen procedure.Foreseen) []runner.PlannedStep {
	steps = slices.Clone(steps)
	for i := range steps {
		if steps[i].ID == migration.StepPreflight && steps[i].State.Kind == runner.Always && seen.Counts() != "" {
			steps[i].Summary = []string{strings.Join(append(slices.Clone(steps[i].Summary), seen.Counts()), ": ")}
		}
	}
	return steps
}

func newPlanChecks(seen procedure.Foreseen, outcome error) *planChecks {
	doc := &planChecks{Counts: seen.Report.Counts, Results: verifyview.TidyReport(verify.Report{Results: seen.Results()}).Results, Code: view.ExitCode(outcome)}
	if doc.Counts == nil {
		doc.Counts = map[verify.Status]int{}
	}
	if seen.Stops != nil {
		doc.Stops = view.Faults(seen.Stops)
	}
	return doc
}

// handOff prints the next commit for the owner of the configuration. Standard output holds
// nothing else, because it goes into a file.
func handOff(ctx context.Context, a *app.App, flags target.Flags, form string, all bool) error {
	if a.Output != "text" {
		return fault.AsUsage(fmt.Errorf("flag --handoff: prints a fragment; wanted -o text"))
	}
	s, _, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	kept, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	seen, _, err := s.Look(ctx, kept.Record()) // during an undo the next edit is the inverse one
	if err != nil {
		return err
	}
	text, err := s.Procedure.Handoff(ctx, seen, form, all)
	if err != nil {
		return err
	}
	if text == "" {
		fmt.Fprintln(a.Streams.Err, "nothing is left to commit")
		return nil
	}
	fmt.Fprint(a.Streams.Out, text)
	fmt.Fprintln(a.Streams.Err, procedure.NeverAlone) // not every form has a place for it
	return nil
}
